/* What the drills are called and take, for the program and for those who start it from their tests. */

/** What each drill that hits calls and their answers takes; `range/drills/catalogue.ts` has their meaning and bounds. */
export interface CallDrillParameters {
  delay: { fromMs: number; toMs: number; when: 'before' | 'after' } & OfCalls;
  unavailable: { retryAfter: number } & OfCalls;
  'cut-connections': { when: 'before' | 'middle' } & OfCalls;
  'bad-json': OfCalls;
  'html-from-a-proxy': { when: 'before' | 'after' } & OfCalls;
}

/** What each drill takes. */
export interface DrillParameters extends CallDrillParameters {
  'short-tokens': { seconds: number };
  'rotate-key': { publishedFor: number };
  'revoke-tokens': object;
  'stop-events': object;
  'duplicate-events': { times: number };
  'cut-streams': { seconds: number };
  'repeat-webhooks': { times: number; order: 'at-once' | 'late' } & Chance;
  'forged-webhooks': { how: 'wrong-secret' | 'changed-body' | 'old-timestamp' } & Chance;
  'small-rate-limit': { limit: number };
  sunset: object;
  'newer-events': object;
  'slow-imports': { groupSeconds: number };
  'late-statement': { seconds: number };
  'short-file': Chance;
  'wrong-trailer': { what: 'count' | 'premiums' | 'commissions' };
  'slow-sign-in': { seconds: number };
  /** `people`: the user names of those who refuse, in a run of a capstone. All if absent. */
  denied: Chance & { people?: readonly string[] };
  'forged-callback': Chance;
  'consent-withdrawn': { afterMinutes: number };
  'short-consents': { days: number };
}

/** For drills that hit some calls and not others. */
export interface Chance {
  /** Of the calls that are hit, 0 to 1. */
  readonly share?: number;
  /** With the same seed the n-th call of a drill meets the same fate. */
  readonly seed: number;
  /** What the calls meet, one after the other, in place of a share: 1 to 20. */
  readonly sequence?: readonly Turn[];
  /** What the calls after the sequence meet: `pass` if absent. */
  readonly sequenceThen?: Turn;
}

/** For drills that hit calls. */
export interface OfCalls extends Chance {
  /** Those that it concerns, as the descriptions write them: `POST /insurer/v1/policies`. All if absent; at most 10. */
  readonly calls?: readonly string[];
}

/** What a call meets. */
export type Turn = 'hit' | 'pass';

export type DrillName = keyof DrillParameters;

/** Minutes that a drill lasts at the most: that of a client, and one that the trainer starts, for a block of a class. */
export const longestDrill = { client: 10, trainer: 90 } as const;
