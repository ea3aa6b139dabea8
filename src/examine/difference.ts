import type { Answer, NoAnswer, Sent } from './side.ts';

export interface Difference {
  /** What differs: `answer`, `status`, `body`, `header:ETag`, or the JSON pointer to a member. */
  readonly place: string;
  /** One sentence. */
  readonly says: string;
}

/** A call and its answer, on both sides. */
export interface Exchange {
  readonly reference: { readonly sent: Sent; readonly answer: Answer };
  readonly yours: { readonly sent: Sent; readonly answer: Answer | NoAnswer };
}
