/* What the drills are called and take, for the program and for those who start it from their tests. */

/** What each drill that hits calls and their answers takes; `range/drills/catalogue.ts` has their meaning and bounds. */
export interface CallDrillParameters {
  delay: { fromMs: number; toMs: number; when: 'before' | 'after' } & Chance;
  unavailable: { retryAfter: number } & Chance;
  'cut-connections': { when: 'before' | 'middle' } & Chance;
  'bad-json': Chance;
  'html-from-a-proxy': { when: 'before' | 'after' } & Chance;
}

/** What each drill takes. */
export interface DrillParameters extends CallDrillParameters {
  'short-tokens': { seconds: number };
  'rotate-key': object;
  'stop-events': object;
  'duplicate-events': { times: number };
  'cut-streams': { seconds: number };
  'repeat-webhooks': { times: number; order: 'at-once' | 'late' } & Chance;
  'forged-webhooks': { how: 'wrong-secret' | 'changed-body' | 'old-timestamp' } & Chance;
  'small-rate-limit': { limit: number };
  sunset: object;
  'newer-events': object;
  'slow-imports': { groupSeconds: number };
}

/** For drills that hit some calls and not others. */
export interface Chance {
  /** Of the calls that are hit, 0 to 1. */
  readonly share: number;
  /** With the same seed the n-th call of a drill meets the same fate. */
  readonly seed: number;
}

export type DrillName = keyof DrillParameters;

/** Minutes that a drill lasts at the most: that of a client, and one that the trainer starts, for a block of a class. */
export const longestDrill = { client: 10, trainer: 90 } as const;
