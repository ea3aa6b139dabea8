import type { Belongings } from '../insurer/index.ts';
import type { Announcement, Announcements } from './announcements.ts';
import type { Learner, Learners } from './learners.ts';

/** How many of each a client owns. */
export interface Owned {
  readonly policies: number;
  readonly claims: number;
  readonly subscriptions: number;
}

/** What the trainer sees of one client. */
export type LearnerProfile = Learner & { readonly owns: Owned };

/** What a client sees of itself. */
export type Me = LearnerProfile & { readonly announcement: Announcement | null };

/** Puts together what is known of a client. */
export class Profiles {
  readonly #learners: Learners;
  readonly #belongings: Belongings;
  readonly #announcements: Announcements;

  constructor(learners: Learners, belongings: Belongings, announcements: Announcements) {
    this.#learners = learners;
    this.#belongings = belongings;
    this.#announcements = announcements;
  }

  async me(clientId: string): Promise<Me> {
    return { ...(await this.of(clientId)), announcement: (await this.#announcements.current()) ?? null };
  }

  async of(clientId: string): Promise<LearnerProfile> {
    const { policies = 0, claims = 0, subscriptions = 0 } = await this.#belongings.counts(clientId);
    return { ...(await this.#learners.read(clientId)), owns: { policies, claims, subscriptions } };
  }
}
