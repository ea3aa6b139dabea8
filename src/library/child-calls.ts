import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  type Answered,
  type Call,
  onMessages,
  type ToChild,
  type ToParent,
  wrapped,
} from '../process/child-messages.ts';
import { latin1, utf8 } from '../text/bytes.ts';
import { type CallService, LPlateError, type Problem, type ServiceCall } from './service-calls.ts';

/**
 * The service makes the calls itself: `fetch`, `http`, timers and more of this process may be what a test has replaced, or
 * what the environment of its runner lacks.
 */
export function callsTo(child: ChildProcess): CallService {
  const open = new Map<number, (answered: Answered) => void>();
  let count = 0;
  onMessages<ToParent>(child, (message) => {
    if ('answered' in message) end(message.answered);
  });
  child.once('exit', () => {
    for (const id of open.keys()) end({ id, noAnswer: 'its process has ended' });
  });

  function end(answered: Answered): void {
    open.get(answered.id)?.(answered);
    open.delete(answered.id);
    // A test that has nothing to wait for can end.
    if (open.size === 0) child.channel?.unref?.();
  }

  function send(call: Omit<Call, 'id'>): Promise<Answered> {
    count += 1;
    const id = count;
    return new Promise((resolve) => {
      open.set(id, resolve);
      child.channel?.ref?.();
      child.send(wrapped<ToChild>({ call: { ...call, id } }), (error) => {
        if (error) end({ id, noAnswer: 'its process has ended' });
      });
    });
  }

  return async <T>(method: string, path: string, call: ServiceCall = {}): Promise<T> => {
    const { token, json, lines, file, after = 0, onHeaders } = call;
    const boundary = `l-plate-${randomUUID()}`;
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(lines !== undefined && { 'Content-Type': 'application/x-ndjson' }),
      ...(file !== undefined && { 'Content-Type': `multipart/form-data; boundary=${boundary}` }),
      ...call.headers,
    };
    const body = file ? formOf(boundary, file) : bodyOf(`${method} ${path}`, lines, json);
    const answered = await send({ after, method, path, headers, body, encoding: file ? 'latin1' : 'utf8' });
    if ('noAnswer' in answered)
      throw new LPlateError(`L-Plate does not answer ${method} ${path}: ${answered.noAnswer}`);
    onHeaders?.(answered.headers);
    if (call.isText && answered.status < 400) return answered.body as T;
    const parsed = parse(answered.body, `${method} ${path}`);
    if (answered.status < 400) return parsed as T;
    const problem = parsed as Problem;
    throw new LPlateError(`L-Plate refuses ${method} ${path}. ${faultOf(problem)}`, { problem });
  };
}

/** A form (RFC 7578), each of whose characters is a byte. */
function formOf(boundary: string, { name, bytes }: NonNullable<ServiceCall['file']>): string {
  const quoted = latin1(utf8(name)).replaceAll(/["\r\n]/g, encodeURIComponent);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\n\r\n`;
  return `${head}${latin1(bytes)}\r\n--${boundary}--\r\n`;
}

function bodyOf(asked: string, lines: readonly unknown[] | undefined, json: unknown): string | undefined {
  try {
    return lines ? lines.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(json);
  } catch (error) {
    throw new LPlateError(`What was given for ${asked} is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

function parse(text: string, asked: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    throw new LPlateError(`L-Plate's answer to ${asked} is no JSON: ${text}`, { cause: error });
  }
}

function faultOf({ detail, errors = [] }: Problem): string {
  const faults = errors.map(({ pointer, parameter, detail }) => `${pointer?.slice(1) ?? parameter}: ${detail}`);
  return faults.length > 0 ? faults.join(' ') : detail;
}
