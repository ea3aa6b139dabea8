import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';

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
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Is given the headers of the answer. Users' projects need not have the types of Node.js, so none of them is named here. */
  readonly onHeaders?: (headers: Readonly<Record<string, string | readonly string[] | undefined>>) => void;
}

/** Calls to the service that was started. Resolves to the parsed body; rejects with an `LPlateError`. */
export type CallService = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, call?: ServiceCall) => Promise<T>;

/** Not by `fetch`, which the environments of some test runners lack, and tests replace. */
export function callsTo(url: string): CallService {
  return <T>(method: string, path: string, call: ServiceCall = {}) =>
    new Promise<T>((resolve, reject) => {
      const { token, json, lines, onHeaders } = call;
      const headers = {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...(lines !== undefined && { 'Content-Type': 'application/x-ndjson' }),
        ...call.headers,
      };
      const body = lines?.map((line) => JSON.stringify(line)).join('\n') ?? (json && JSON.stringify(json));
      const request = url.startsWith('https:') ? requestByHttps : requestByHttp;
      // Without an agent, the connection ends with the answer. Whose certificate it is need not be asked of our own child.
      const options = { method, headers, agent: false as const, rejectUnauthorized: false };
      const sent = request(url + path, options, (answer) => {
        let text = '';
        onHeaders?.(answer.headers);
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('error', noAnswer).on('end', () => {
          try {
            const { statusCode = 0 } = answer;
            const body = text === '' ? undefined : JSON.parse(text);
            if (statusCode < 400) resolve(body);
            else reject(new LPlateError(`L-Plate refuses ${method} ${path}. ${faultOf(body)}`, { problem: body }));
          } catch (error) {
            reject(new LPlateError(`L-Plate's answer to ${method} ${path} is no JSON: ${text}`, { cause: error }));
          }
        });
      });
      function noAnswer(error: Error): void {
        reject(new LPlateError(`L-Plate does not answer ${method} ${path}: ${error.message}`, { cause: error }));
      }
      sent.on('error', noAnswer).end(body);
    });
}

function faultOf({ detail, errors = [] }: Problem): string {
  const faults = errors.map(({ pointer, parameter, detail }) => `${pointer?.slice(1) ?? parameter}: ${detail}`);
  return faults.length > 0 ? faults.join(' ') : detail;
}
