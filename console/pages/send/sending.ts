import { useEffect, useRef, useState } from 'preact/hooks';
import { byHand, consoleHeader } from '../../../src/http/requests/header-names.ts';
import { clientToken, send } from '../../api/call.ts';
import { credentials, origin } from '../../api/session.ts';
import type { Header } from '../../model/body-view.ts';
import { type Draft, filled, requestOf } from '../../model/draft.ts';
import type { Body } from '../../model/exchange-body.ts';

/** What came so far of an answer. */
export interface CameBack {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Body | undefined;
  /** Whether it was so long that the rest was not read. */
  readonly isCut: boolean;
  /** Milliseconds since the call was sent. */
  readonly ms: number;
}

export interface Sending {
  /** Counts the calls. */
  readonly number: number;
  readonly isOver: boolean;
  readonly answer?: CameBack;
  readonly error?: Error;
}

/** Bytes of an answer that are read. */
const mostRead = 1024 * 1024;

/** Milliseconds between two times at which a stream that goes on is shown. */
const showEvery = 200;

/** Sends calls, one at a time; `stop` ends the one that is under way. */
export function useSending(onOver: (draft: Draft, status: number) => void) {
  const [sending, setSending] = useState<Sending>();
  const controller = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => controller.current?.abort(), []);

  const start = async (draft: Draft) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const number = (sending?.number ?? 0) + 1;
    const show = (change: Omit<Sending, 'number'>) => {
      if (controller.current === own) setSending({ number, ...change });
    };
    show({ isOver: false });
    let answer: CameBack | undefined;
    try {
      for await (answer of answers(draft, own.signal)) show({ isOver: false, answer });
      show({ isOver: true, ...(answer && { answer }) });
    } catch (reason) {
      const error = reason as Error;
      // What came of a stream stays when it is stopped or cut.
      show({ isOver: true, ...(answer && { answer }), ...(error.name !== 'AbortError' && { error }) });
    }
    if (controller.current === own) onOver(draft, answer?.status ?? 0);
  };
  return { sending, start, stop: () => controller.current?.abort() };
}

/** The answer: a stream of events again and again as it comes, any other once. */
async function* answers(draft: Draft, signal: AbortSignal): AsyncGenerator<CameBack> {
  const own = credentials.peek();
  const { method, url, headers, body } = requestOf(draft, origin, own?.clientId);
  const needsToken = JSON.stringify([url, headers, body]).includes('{{token}}');
  const secrets = { token: needsToken ? await clientToken() : '', client_secret: own?.clientSecret ?? '' };
  const sent = Object.fromEntries(headers.map(({ name, value }) => [name, filled(value, secrets)]));
  const began = performance.now();
  const response = await send(method, filled(url, secrets), {
    as: 'nobody',
    headers: { ...sent, [consoleHeader]: byHand },
    ...(body !== undefined && { body: filled(body, secrets) }),
    counts: true,
    anyStatus: true,
    signal,
  });
  const { status } = response;
  const answered = [...response.headers].map(([name, value]) => ({ name, value }));
  const isStream = response.headers.get('Content-Type')?.includes('event-stream') ?? false;
  const soFar = (isCut = false): CameBack => ({
    status,
    headers: answered,
    body: bodyOf(bytes),
    isCut,
    ms: performance.now() - began,
  });
  let bytes = new Uint8Array();
  const reader = response.body?.getReader();
  let shown = Number.NEGATIVE_INFINITY;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    const longer = new Uint8Array(bytes.length + value.length);
    longer.set(bytes);
    longer.set(value, bytes.length);
    bytes = longer;
    if (bytes.length > mostRead) {
      await reader.cancel();
      yield soFar(true);
      return;
    }
    if (!isStream || performance.now() - shown < showEvery) continue;
    shown = performance.now();
    yield soFar();
  }
  yield soFar();
}

function bodyOf(bytes: Uint8Array): Body | undefined {
  if (bytes.length === 0) return undefined;
  const whole = { bytes: bytes.length, complete: true };
  try {
    // What comes next may go on with the last character.
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }),
      encoding: 'utf-8',
      ...whole,
    };
  } catch {
    return {
      text: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
      encoding: 'base64',
      ...whole,
    };
  }
}
