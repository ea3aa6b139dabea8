import type { ActiveDrills, DrillName } from '../../active-drills.ts';
import type { ClientsPart } from '../../clients/index.ts';
import type { Page } from '../../http/paging.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Learner, Learners } from '../exchanges/learners.ts';
import type { Board, WorksOn } from '../lessons/board.ts';
import { isLearner } from '../lessons/index.ts';
import type { Announcement, Announcements } from './announcements.ts';
import { type Warning, warningsOf } from './warnings.ts';

/** How a client is treated: what time it is for it, and what faults it meets. */
export interface Treatment {
  readonly clock: { readonly now: string; readonly aheadSeconds: number };
  readonly drills: { readonly name: DrillName; readonly secondsLeft: number }[];
}

/** A client as the list of the trainer has it. */
export type TreatedLearner = Omit<Learner, 'found'> &
  Treatment & { readonly worksOn: WorksOn | null; readonly warnings: Warning[] };

/** How many of each a client owns. */
export interface Owned {
  readonly policies: number;
  readonly claims: number;
  readonly subscriptions: number;
}

/** A client as the trainer sees it. */
export type LearnerProfile = TreatedLearner & { readonly owns: Owned };

/** A client as it sees itself. */
export type Me = LearnerProfile & { readonly keptUntil: string | null; readonly announcement: Announcement | null };

export interface ProfilesOptions {
  readonly learners: Learners;
  readonly board: Board;
  readonly clients: ClientsPart;
  readonly announcements: Announcements;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly drills: ActiveDrills;
}

/** Puts together what is known of a client. */
export class Profiles {
  readonly #options: ProfilesOptions;

  constructor(options: ProfilesOptions) {
    this.#options = options;
  }

  /** `unattributedAt`: when a call came last that may be of the client, and counts for nobody. */
  async me(clientId: string, unattributedAt: string | undefined): Promise<Me> {
    const { clients, announcements } = this.#options;
    const keptUntil = await clients.keptUntil(clientId);
    const profile = await this.#of(clientId, false, unattributedAt);
    return { ...profile, keptUntil, announcement: (await announcements.current()) ?? null };
  }

  /** For the trainer. */
  of(clientId: string): Promise<LearnerProfile> {
    return this.#of(clientId, true);
  }

  async #of(clientId: string, forTrainer: boolean, unattributedAt?: string): Promise<LearnerProfile> {
    const { learners, board, clients } = this.#options;
    const { policies = 0, claims = 0, subscriptions = 0 } = await clients.countRows(clientId);
    const known = await learners.read(clientId);
    const found = { ...known.found, unattributedAt: unattributedAt ?? known.found.unattributedAt };
    const learner = { ...known, found };
    const worksOn = await board.worksOn(learner);
    return { ...this.#treated(learner, worksOn, forTrainer), owns: { policies, claims, subscriptions } };
  }

  /** Those that called last come first. */
  async list(page: Page): Promise<{ items: TreatedLearner[]; total: number }> {
    const { learners, board } = this.#options;
    const { items, total } = await learners.list(page);
    // Of all on the page at once.
    const worksOn = await board.worksOnOfPage(page);
    return { items: items.map((each) => this.#treated(each, worksOn.get(each.clientId) ?? null, true)), total };
  }

  /** A learner with what is on for it now. */
  #treated(learner: Learner, worksOn: WorksOn | null, forTrainer: boolean): TreatedLearner {
    const { clock, clocks, drills } = this.#options;
    const { clientId } = learner;
    const on = drills.on(clientId).map(({ name, endsAt }) => ({
      name,
      secondsLeft: Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)),
    }));
    const aheadSeconds = Math.round(clocks.offset(clientId) / 1000);
    const itsClock = { now: instant(clocks.now(clientId)), aheadSeconds };
    const { found: _, ...shown } = learner;
    const warnings = warningsOf(learner, clock.now(), forTrainer);
    return { ...shown, worksOn: isLearner(clientId) ? worksOn : null, warnings, clock: itsClock, drills: on };
  }
}
