import type { ActiveDrills, DrillName } from '../../active-drills.ts';
import type { ClientsPart } from '../../clients/index.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Learner, Learners } from '../exchanges/learners.ts';
import type { Announcement, Announcements } from './announcements.ts';

/** How a client is treated: what time it is for it, and what faults it meets. */
export interface Treatment {
  readonly clock: { readonly now: string; readonly aheadSeconds: number };
  readonly drills: { readonly name: DrillName; readonly secondsLeft: number }[];
}

/** How many of each a client owns. */
export interface Owned {
  readonly policies: number;
  readonly claims: number;
  readonly subscriptions: number;
}

/** A client as the trainer sees it. */
export type LearnerProfile = Learner & Treatment & { readonly owns: Owned };

/** A client as it sees itself. */
export type Me = LearnerProfile & { readonly keptUntil: string | null; readonly announcement: Announcement | null };

export interface ProfilesOptions {
  readonly learners: Learners;
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

  async me(clientId: string): Promise<Me> {
    const { clients, announcements } = this.#options;
    const keptUntil = await clients.keptUntil(clientId);
    return { ...(await this.of(clientId)), keptUntil, announcement: (await announcements.current()) ?? null };
  }

  async of(clientId: string): Promise<LearnerProfile> {
    const { learners, clients } = this.#options;
    const { policies = 0, claims = 0, subscriptions = 0 } = await clients.countRows(clientId);
    return { ...this.treated(await learners.read(clientId)), owns: { policies, claims, subscriptions } };
  }

  /** A learner with what is on for it now. */
  treated(learner: Learner): Learner & Treatment {
    const { clock, clocks, drills } = this.#options;
    const { clientId } = learner;
    const on = drills.on(clientId).map(({ name, endsAt }) => ({
      name,
      secondsLeft: Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)),
    }));
    const aheadSeconds = Math.round(clocks.offset(clientId) / 1000);
    return { ...learner, clock: { now: instant(clocks.now(clientId)), aheadSeconds }, drills: on };
  }
}
