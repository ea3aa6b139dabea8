import { STATUS_CODES } from 'node:http';
import type { Randomness } from '../../randomness.ts';
import type { MadeAttempt } from '../../webhooks/index.ts';
import { type Call, nextNumber, packed, sizeOf } from './call.ts';

/** In the place of the route of a call that went to a webhook. */
export const webhookRoute = '(webhook)';

/** Headers of the receiver's answer that are kept: the others are nobody's business but the receiver's. */
const kept = /^(?:content-type|location|retry-after)$/i;

/** Characters of each of them. */
const longest = 500;

/** An attempt to deliver an event, as a call that went the other way. Its status is 0 where nobody answered. */
export function deliveryCall(made: MadeAttempt, randomness: Randomness): Call {
  const { url, at, ms, status, error, subscriptionId, eventId, attempt, secondCopy } = made;
  const headers = Object.entries(made.headers).flat();
  const body = Buffer.from(made.body);
  const answer = packed(status === null ? '' : headOf(status, made.answered), made.responseBody ?? '');
  return {
    id: randomness.uuid('delivery'),
    number: nextNumber(),
    at,
    outcome: { status: status ?? 0, ms, end: status === null ? 'cut' : 'answered' },
    method: 'POST',
    url,
    prefix: undefined,
    route: webhookRoute,
    httpVersion: '1.1',
    headers,
    body,
    answer,
    longBody: undefined,
    problem: undefined,
    drills: made.drill && [made.drill],
    delivery: { subscriptionId, eventId, attempt, error },
    secondCopy,
    tokenExpiresAt: undefined,
    size: sizeOf(url, headers, body, answer),
  };
}

/** The head of the answer, as far as it is kept. `answered`: names and values in turn. */
function headOf(status: number, answered: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let at = 0; at < answered.length; at += 2) {
    const [name = '', value = ''] = answered.slice(at, at + 2);
    if (kept.test(name)) lines.push(`${name}: ${value.slice(0, longest)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
