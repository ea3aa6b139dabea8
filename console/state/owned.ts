import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Answer, type CallOptions, call, Refused } from '../api/call.ts';
import { noteLimit } from '../api/calls-left.ts';
import { credentials, origin } from '../api/session.ts';
import type { ExchangeSummary } from '../api/types.ts';
import { curl, type MadeRequest } from '../model/request-code.ts';
import { exchanges, me, resets } from './learner.ts';
import { useLoad } from './load.ts';

/*
 * What the pages of the things that a client owns share. The calls that they make count against the limit of the address,
 * so nothing is asked for again unless something changed.
 */

/** Milliseconds between two times of loading that a change causes, and once there were several in a minute. */
const restBetween = 3000;
const longRest = 10_000;
const maxQuick = 5;

export interface Resource<T> {
  readonly value: T;
  readonly etag: string | null;
  /** Seconds after which it should be asked for again, if its answer says some. */
  readonly retryAfter?: number;
}

export async function readResource<T>(path: string): Promise<Resource<T>> {
  const answer = await call('GET', path);
  noteLimit(answer);
  const seconds = answer.headers.get('Retry-After');
  return {
    value: JSON.parse(answer.text),
    etag: answer.headers.get('etag'),
    ...(seconds !== null && { retryAfter: Number(seconds) }),
  };
}

/** Something of the client's at a path of this origin. */
export function useResource<T>(path: string) {
  return useLoad(() => readResource<T>(path), [path, credentials.value?.clientId]);
}

/** The ids of exchanges that a page made, and after which it has loaded what they changed. */
const made = new Set<string>();

/**
 * Calls `work` when the live log has an exchange that `concerns` what is shown, and when the client's clock was moved or
 * the client was reset, at most every few seconds, so that a busy program keeps most of its calls.
 */
export function useChanges(concerns: (exchange: ExchangeSummary) => boolean, work: () => void): void {
  const latest = useRef({ concerns, work });
  latest.current = { concerns, work };
  useEffect(() => {
    let known: Set<string> | undefined;
    let ahead: number | undefined;
    let worked: number[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      timer = undefined;
      worked.push(performance.now());
      latest.current.work();
    };
    const soon = () => {
      const now = performance.now();
      worked = worked.filter((at) => at > now - 60_000);
      const rest = worked.length < maxQuick ? restBetween : longRest;
      timer ??= setTimeout(work, Math.max(0, (worked.at(-1) ?? Number.NEGATIVE_INFINITY) + rest - now));
    };
    const stopExchanges = effect(() => {
      const before = known;
      // The log is never empty once it is there: it has the console's request for a token.
      known = exchanges.value.length > 0 ? new Set(exchanges.value.map(({ id }) => id)) : undefined;
      if (!before) return;
      const come = exchanges.value.filter(({ id }) => !before.has(id) && !made.has(id));
      if (come.some((exchange) => latest.current.concerns(exchange))) soon();
    });
    let seen = resets.peek();
    const stopResets = effect(() => {
      if (resets.value !== seen) soon();
      seen = resets.value;
    });
    const stopClock = effect(() => {
      const before = ahead;
      ahead = me.value?.clock.aheadSeconds;
      if (before !== undefined && ahead !== undefined && ahead !== before) soon();
    });
    return () => {
      stopExchanges();
      stopClock();
      stopResets();
      clearTimeout(timer);
    };
  }, []);
}

/** Whether an exchange changed something below a path of the service. */
export function changedBelow(path: string) {
  return ({ method, route, status }: ExchangeSummary) =>
    !['GET', 'HEAD', 'OPTIONS'].includes(method) && route.startsWith(path) && status < 400;
}

/** A call that a button made, and what it was answered. */
export interface MadeCall extends MadeRequest {
  readonly curl: string;
  readonly status: number;
  /** The exchange, by which Traffic shows it. */
  readonly exchange: string | undefined;
  readonly answer?: Answer;
  readonly error?: Error;
}

/** Makes a call that changes something. It is answered with a refusal rather than rejected. */
export async function makeCall(
  method: string,
  path: string,
  options: Pick<CallOptions, 'json' | 'body' | 'headers'> = {},
): Promise<MadeCall> {
  const { headers: own = {}, json } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const headers = Object.entries({
    Authorization: 'Bearer {{token}}',
    ...own,
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
  }).map(([name, value]) => ({ name, value }));
  const request: MadeRequest = {
    method,
    url: `${origin}${path}`,
    headers,
    ...(body instanceof FormData ? { file: (body.get('file') as File | null)?.name } : { body }),
  };
  const shown = { ...request, curl: curl(request) };
  // The log does not have calls to the range itself.
  const kept = (id: string | null | undefined) => (path.startsWith('/range/') ? undefined : (id ?? undefined));
  try {
    const answer = await call(method, path, options);
    noteLimit(answer);
    const exchange = kept(answer.headers.get('X-Request-Id'));
    if (exchange) made.add(exchange);
    return { ...shown, status: answer.status, exchange, answer };
  } catch (error) {
    const refused = error instanceof Refused ? error : undefined;
    const exchange = kept(refused?.problem?.instance?.split(':').at(-1));
    return { ...shown, status: refused?.status ?? 0, exchange, error: error as Error };
  }
}
