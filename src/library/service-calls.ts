/** What is wrong, as L-Plate answers it (RFC 9457). */
export interface Problem {
  /** A URL, whose page explains it. */
  readonly type: string;
  readonly title: string;
  /** The status of the answer. */
  readonly status: number;
  readonly detail: string;
  /** Of a `validation-error`: what is wrong, and where. */
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly detail: string }[];
}

/** Thrown by all that the library does. The message says in one line what is wrong. */
export class LPlateError extends Error {
  /** What L-Plate answered. Undefined if it gave no answer: it could not start, or has ended. */
  readonly problem: Problem | undefined;

  constructor(message: string, options: { readonly problem?: Problem; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'LPlateError';
    this.problem = options.problem;
  }
}

export interface ServiceCall {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as NDJSON, one a line. */
  readonly lines?: readonly unknown[] | undefined;
  /** Sent as the part `file` of a form. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  /** Whether the answer is a text, not JSON. */
  readonly isText?: boolean;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds to wait before it. */
  readonly after?: number | undefined;
  /** Is given the headers of the answer. Users' projects need not have the types of Node.js, so none of them is named here. */
  readonly onHeaders?: (headers: Readonly<Record<string, string | readonly string[] | undefined>>) => void;
}

/** Calls to the service that was started. Resolves to the parsed body, or its text; rejects with an `LPlateError`. */
export type CallService = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, call?: ServiceCall) => Promise<T>;

/** Tests replace the class: this is the one that was there when this was loaded. */
const { Date: LoadedDate } = globalThis;

/** An instant in ISO 8601 as a `Date`. */
export function dateOf(text: string): Date {
  return new LoadedDate(text);
}
