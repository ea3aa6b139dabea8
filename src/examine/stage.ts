import type { Arbitrary } from 'fast-check';
import type { StageText } from '../examination-stages.ts';
import type { Wait } from './wait.ts';

/** What a service may offer beside the interface. */
export type Hook = 'clock' | 'limits';

/**
 * A call that is sent to both sides. Names in braces, in path, headers and strings of the body, stand for values: what
 * earlier answers gave; `{ann.id}`, `{ann.secret}` and `{ann.token}` of the clients that were named by then; `{plate1}` to
 * `{plate9}`, registration numbers that no other row has, `{longPlate}`, one of 40 characters; `{yesterday}`, `{today}`, `{tomorrow}`, `{yearAhead}`,
 * `{dayTooLate}`, `{endOfJanuary}`, dates; `{toLastDay}` and `{toExpiry}`, how long it is to the last day of a month’s cover and to the day after; in headers `{signature}`, that of the body by the key
 * `examination`. Each time that a row is run, it has clients and plates of its own.
 */
export interface Step {
  /** The client whose token it bears: a name, `ann` or `ben`. The row makes each by a demo client and a token when it is first named. Without: nobody. */
  readonly as?: string;
  readonly method: string;
  /** As in the descriptions: `/insurer/v1/policies/{one}`. The given URL stands for `/insurer/v1`; other interfaces are beside it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** In place of `json`, as it is. */
  readonly body?: string;
  /**
   * It has to be the first call of a minute: if the answers differ, both sides are called once more a minute later. Its
   * row is told as it is, without leaving out steps.
   */
  readonly firstOfMinute?: true;
  /** For what comes by itself. */
  readonly wait?: Wait;
  /** Members that depend on how fast a service is: JSON Pointers. */
  readonly free?: readonly string[];
  /** Names of values that the answer may not have anywhere: secrets that are shown once. */
  readonly hides?: readonly string[];
  /** Calls that are made at the same time. What of an answer is kept is of the one that was carried out. */
  readonly besides?: readonly Step[];
  /** What any number of calls at the same time may come to: `201 replayed`, `409 request-in-progress`. */
  readonly open?: readonly string[];
  /** It calls this hook of the service; the reference is moved in its place. */
  readonly hook?: Hook;
  /** What later steps may name, and where the answer has it: a JSON Pointer, `header:ETag`, or `stream:id`. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** One thing of a stage's goal. Its last step shows it, as a rule. */
interface Case {
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

/** What a stage calls. */
export interface StageCalls {
  /** The place in the description: `GET /insurer/v1/policies/{policyId}`. */
  readonly reads: string;
  /** A hook that the service may offer beside the interface. Without it, the stage is skipped. */
  readonly needs?: Hook;
  /** Whether the service calls a receiver on this machine, and so has to run there. */
  readonly isCalledBack?: true;
  /** Whether its rows are run side by side, since they wait most of their time. Their calls are made one at a time all the same. */
  readonly together?: true;
  readonly cases: readonly Case[];
  readonly random?: Random;
}

export interface Stage extends StageCalls, StageText {
  readonly name: string;
}
