/** What is known of a problem. One table makes the answers, the pages at `/problems/…` and the descriptions. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** What the problem means. In this and the next two, code stands between backticks. */
  readonly meaning: string;
  /** Why it happens. */
  readonly cause: string;
  /** How to fix it. */
  readonly remedy: string;
  /**
   * Shell lines that provoke it with the default settings; the last answer is the problem. `$BASE` is the base URL of
   * an interface and `$TOKEN` a token of a demo client. Null where no request can provoke it; `cause` has the reason.
   */
  readonly example: string | null;
  /** The path of the interface in the example; default: the insurer's. */
  readonly base?: string;
}
