import type { Descriptions } from '../descriptions.ts';
import type { Difference, Exchange } from '../difference.ts';
import type { Known } from '../known.ts';
import type { Answer, Names, NoAnswer, Reading, Sent } from '../side.ts';
import type { Receiver } from './receiver.ts';

/** One side of a row. */
export interface Half {
  readonly sent: Sent;
  readonly names: Names;
  call(sent: Sent, manner?: { beside?: true; reading?: Reading }): Promise<Answer | NoAnswer>;
}

export interface Waiting {
  readonly reference: Half;
  readonly yours: Half;
  readonly known: Known;
  readonly descriptions: Descriptions;
  readonly receiver: Receiver;
  /** Members that the step leaves open. */
  readonly free: readonly string[] | undefined;
}

/** What came of a wait. */
export interface Waited {
  readonly exchange: Exchange;
  /** That your side did not get there in time. */
  readonly late?: Difference | undefined;
  /** What differs besides what answers have. */
  readonly more?: Difference | undefined;
}

/** Milliseconds that your side may take longer than the reference. */
export const leeway = 2500;
