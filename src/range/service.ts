import type { StandingClock } from '../time/clock.ts';

/** The means of the trainer to change the service as a whole. */
export interface Service {
  /** Present where time stands still until it is moved. */
  readonly time: StandingClock | undefined;
  /** Brings it back to how it was when it had started. Absent where its data are kept. */
  readonly resetEverything: (() => Promise<void>) | undefined;
  /** Does what is due. */
  catchUp(): Promise<void>;
}
