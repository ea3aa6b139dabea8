import type { Arbitrary } from 'fast-check';

/**
 * A call that is sent to both sides. Names in braces, in path, headers and strings of the body, are what earlier answers
 * gave. Names that begin with `plate` are made when they are first named: twelve digits, new in each run of a row.
 */
export interface Step {
  /**
   * The client whose token it bears, which is made when it is first named: `ann` or `ben`, whom the rows of a stage share,
   * or another name, who is new in each run of a row. Without: nobody.
   */
  readonly as?: string;
  readonly method: string;
  /** As in the descriptions: `/insurer/v1/policies/{one}`. The given URL stands for `/insurer/v1`; other interfaces are beside it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** In place of `json`, as it is. */
  readonly body?: string;
  /** What X-Signature is made of, with the secret of both sides: the body as it is sent, or another text in its place. */
  readonly sign?: true | string;
  /**
   * It has to be the first call of its minute: if the answers differ, it is sent once more after as many seconds as
   * RateLimit-Reset says, at most 60. Its row is told as it is, without leaving out steps.
   */
  readonly firstOfMinute?: true;
  /** What later steps may name: from a JSON Pointer into the answer, or `header:ETag`. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** One thing of a stage's goal. Its last step shows it, as a rule. */
export interface Case {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** A kind of step of random rows, and when a model of the steps so far lets it be sent. */
export interface Action<Model, Given> {
  readonly given: Arbitrary<Given>;
  possible(model: Model, given: Given): boolean;
  /** The step. The model knows after it what it did. */
  take(model: Model, given: Given): Step;
}

export interface Random {
  readonly model: () => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each action has values of its own
  readonly actions: readonly Action<any, any>[];
  /** How many rows, and how many steps each has at most. */
  readonly rows: number;
  readonly most: number;
}

export interface Stage {
  /** In lower case, with dashes: `read-a-policy`. */
  readonly name: string;
  /** What your service does after it: one sentence, second person. */
  readonly goal: string;
  /** The place in the description: `GET /insurer/v1/policies/{policyId}`. */
  readonly reads: string;
  /** Lessons that show the other side, by their names. */
  readonly lessons: readonly string[];
  /** A hook that the service may offer beside the interface, or its HMAC_SECRET. Without it, the stage is skipped. */
  readonly needs?: 'clock' | 'limits' | 'secret';
  readonly cases: readonly Case[];
  readonly random?: Random;
}
