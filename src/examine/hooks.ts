import { moveClock, readDuration } from '../time/duration.ts';
import { minute } from '../time/units.ts';
import type { MovedClock } from './moved-clock.ts';
import { type Answer, parsed, type Sent, type Side } from './side.ts';
import type { Hook } from './stage.ts';

/*
 * What a service may offer beside the interface, so that stages need not wait:
 * - `POST …/test/clock` `{ "advance": "PT1H" }`: its time is so much later from now on
 * - `POST …/test/limits` `{ "perMinute": 60 }`: it takes so many calls a minute from now on, and none of before count
 * Both answer 204. They are below the address that stands for `/insurer/v1`.
 */

export const hookPath = (hook: Hook) => `/insurer/v1/test/${hook}`;

/** As good as no limit. */
const manyCalls = 1_000_000;

/** What changes nothing: a service that offers the hook answers 204. */
const harmless: Readonly<Record<Hook, object>> = { clock: { advance: 'PT0S' }, limits: { perMinute: manyCalls } };

/** Whether a service offers a hook. */
export async function asked(side: Side, hook: Hook): Promise<{ sent: Sent; isThere: boolean }> {
  const headers = { 'content-type': 'application/json' };
  const url = new URL(side.addressOf(hookPath(hook)));
  const sent = { method: 'POST', url, headers, body: JSON.stringify(harmless[hook]) };
  const answer = await side.call(sent);
  return { sent, isThere: !('failure' in answer) && answer.status === 204 };
}

/** When something was: the time of day, and on the scale that never goes back. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

/**
 * The reference has no hooks: its clock is moved from here. A minute later its limit counts from the start. Returns what a
 * moment becomes by it, so that no time has passed since.
 */
export function moveReference(hook: Hook, { body = '' }: Sent, clock: MovedClock, since: Moment): Moment {
  if (hook === 'limits') {
    clock.elapse(minute);
    return { ...since, elapsed: since.elapsed + minute };
  }
  const { advance } = parsed(body) as { advance: string };
  const duration = readDuration(advance);
  const to = duration && moveClock(clock.now(), duration);
  if (to === undefined) throw new Error(`${advance} is no time`);
  const by = to - clock.now();
  clock.advance(by);
  return { ...since, now: since.now + by };
}

/** What a hook answers. */
export function done(clock: MovedClock): Answer {
  const now = clock.now();
  return { status: 204, headers: {}, body: '', from: now, to: now };
}
