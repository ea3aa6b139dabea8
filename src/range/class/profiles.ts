import type { ActiveDrills } from '../../active-drills.ts';
import type { Kept } from '../../clients/going.ts';
import type { ClientsPart } from '../../clients/index.ts';
import type { Page } from '../../http/requests/paging.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Learner, Learners } from '../exchanges/learners.ts';
import type { Board, WorksOn } from '../lessons/board.ts';
import { isLearner } from '../lessons/index.ts';
import type { Announcements } from './announcements.ts';
import type { LearnerProfile, Me, TreatedLearner } from './learner-schemas.ts';
import { warningsOf } from './warnings.ts';

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

  /** `unattributed`: calls that may be of the client, and count for nobody. `unattributedAt`: when one came last. */
  async me(clientId: string, unattributed: Me['unattributed'], unattributedAt: string | undefined): Promise<Me> {
    const { announcements } = this.#options;
    const profile = await this.#of(clientId, false, unattributedAt);
    return { ...profile, unattributed, announcement: (await announcements.current()) ?? null };
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
    const kept = await clients.going.of(clientId);
    return { ...this.#treated(learner, { worksOn, kept }, forTrainer), owns: { policies, claims, subscriptions } };
  }

  /** Those that called last come first. */
  async list(page: Page): Promise<{ items: TreatedLearner[]; total: number }> {
    const { learners, board, clients } = this.#options;
    const { items, total } = await learners.list(page);
    // Of all on the page at once.
    const worksOn = await board.worksOnOfPage(page);
    const shown = items.map(({ use, ...each }) => {
      const kept = use ? clients.going.kept(use) : null;
      return this.#treated(each, { worksOn: worksOn.get(each.clientId) ?? null, kept }, true);
    });
    return { items: shown, total };
  }

  /** A learner with what is on for it now. */
  #treated(
    learner: Learner,
    { worksOn, kept }: { readonly worksOn: WorksOn | null; readonly kept: Kept | null },
    forTrainer: boolean,
  ): TreatedLearner {
    const { clock, clocks, drills } = this.#options;
    const { clientId } = learner;
    const on = drills.on(clientId).map(({ name, endsAt }) => ({
      name,
      secondsLeft: Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)),
    }));
    const aheadSeconds = Math.round(clocks.offset(clientId) / 1000);
    const itsClock = { now: instant(clocks.now(clientId)), aheadSeconds };
    const { found: _, ...shown } = learner;
    const warnings = warningsOf(learner, kept, clock.now(), forTrainer);
    return {
      ...shown,
      keptUntil: kept?.keptUntil ?? null,
      worksOn: isLearner(clientId) ? worksOn : null,
      warnings,
      clock: itsClock,
      drills: on,
    };
  }
}
