import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '../../text/counted.ts';
import { systemClock } from '../../time/clock.ts';
import { valueDifference } from '../compare.ts';
import { partOf } from '../descriptions.ts';
import type { Difference } from '../difference.ts';
import { distinct, firstOf } from '../events.ts';
import { type Answer, NameMissing, type Names, parsed } from '../side.ts';
import type { Wait } from '../wait.ts';
import { less } from './freedom.ts';
import type { Call } from './receiver.ts';
import { eventSchemas } from './stream.ts';
import { leeway, type Waited, type Waiting } from './waiting.ts';

/** Milliseconds in which the reference calls: a call that was refused is made again after five seconds. */
const longest = 8000;
const between = 30;
/** Milliseconds that a time-stamp may be off. */
const clockLeeway = 5000;

const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt', 'content-type'] as const;

/** What the hook of a step got on both sides. */
export async function deliveries(
  { count, secrets }: Extract<Wait, { for: 'deliveries' }>,
  { reference, yours, known, descriptions, receiver, free = [] }: Waiting,
): Promise<Waited> {
  const got = (half: typeof yours) => once(receiver.callsOf(half.sent.url.href));
  const reached = async (half: typeof yours, most: number) => {
    const end = systemClock.elapsed() + most;
    while (got(half).length < count && systemClock.elapsed() < end) await delay(between);
    return got(half);
  };
  const right = (await reached(reference, longest)).slice(0, count);
  if (right.length < count) throw new NameMissing('The reference does not get there');
  const given = await reached(yours, leeway);
  const [expected, answer] = [shown(right), shown(given)];
  const exchange = {
    reference: { sent: reference.sent, answer: expected },
    yours: { sent: yours.sent, answer },
  };
  const difference = (place: string, says: string): Waited => ({ exchange, late: { place, says } });
  if (given.length < count) {
    const calls = given.length === 0 ? 'has not called' : `has made ${counted(given.length, 'call')} to`;
    return difference(
      'calls',
      `Your service ${calls} ${yours.sent.url.href} by now; ${counted(count, 'call')} are right.`,
    );
  }
  if (count === 0 && given.length > 0)
    return difference('calls', `Your service has called ${yours.sent.url.href}; no call is right.`);
  for (const [at, call] of given.entries()) {
    const fault = formFault(call, yours.names, secrets) ?? repeatFault(given, right, at);
    if (fault) return difference(fault.place, fault.says);
  }
  const eventOf = ({ body }: Call) => less(parsed(body), free);
  const told = distinct(right.map(eventOf));
  const found = firstOf(told, given.map(eventOf), known);
  const batch = eventSchemas(descriptions);
  const about = { known, schema: batch && partOf(batch, 'events'), place: 'calls' };
  return { exchange, late: valueDifference([told, found], { expected, answer }, about) };
}

/** Each call once: what was taken may come again. */
function once(calls: readonly Call[]): Call[] {
  const taken = new Set<unknown>();
  return calls.filter(({ headers, status }) => {
    const id = headers['webhook-id'];
    if (id !== undefined && taken.has(id)) return false;
    if (status < 300) taken.add(id);
    return true;
  });
}

/** What is wrong with a call by itself. */
function formFault(
  { headers: sent, body, at }: Call,
  names: Names,
  secrets: readonly string[],
): Difference | undefined {
  const fault = (header: string, says: string) => ({ place: `calls:${header}`, says: `The call ${says}.` });
  for (const name of headers) if (sent[name] === undefined) return fault(name, `has no header ${name}`);
  if (!sent['content-type']?.startsWith('application/json'))
    return fault('content-type', `has the type ${sent['content-type']}; application/json is right`);
  const event = parsed(body) as { eventId?: unknown } | undefined;
  if (event === undefined) return { place: 'calls', says: 'The body of the call is not JSON.' };
  const id = String(sent['webhook-id']);
  if (id !== event?.eventId) return fault('webhook-id', `has the webhook-id ${id}; the eventId is right`);
  const timestamp = String(sent['webhook-timestamp']);
  if (!/^\d+$/.test(timestamp) || Math.abs(Number(timestamp) * 1000 - at) > clockLeeway)
    return fault('webhook-timestamp', `has the webhook-timestamp ${timestamp}; seconds since 1970, of now, are right`);
  if (!/^[1-9]\d{0,5}$/.test(String(sent['webhook-attempt'])))
    return fault('webhook-attempt', `has the webhook-attempt ${sent['webhook-attempt']}; a number from 1 is right`);
  const signatures = String(sent['webhook-signature']).split(' ');
  const right = secrets.map((name) => signatureOf(names.get(name) ?? '', `${id}.${timestamp}.${body}`));
  if (right.some((each) => !signatures.includes(each)))
    return fault(
      'webhook-signature',
      `has the webhook-signature ${signatures.join(' ')}; ${right.join(' ')} is that of its bytes`,
    );
  if (signatures.length > right.length)
    return fault('webhook-signature', `has ${signatures.length} signatures; ${right.length} is right`);
  return undefined;
}

/** By the Standard Webhooks specification. */
function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/** What is wrong with a call that is made again: its number, and when it comes. */
function repeatFault(given: readonly Call[], right: readonly Call[], at: number): Difference | undefined {
  const [call, before, expected, earlier] = [given[at], given[at - 1], right[at], right[at - 1]];
  if (!call || !before || !expected || !earlier) return undefined;
  const id = (each: Call) => each.headers['webhook-id'];
  if (id(expected) !== id(earlier)) return undefined;
  if (id(call) !== id(before))
    return { place: 'calls:webhook-id', says: 'A call that is made again has another webhook-id.' };
  const attempt = (each: Call) => Number(each.headers['webhook-attempt']);
  if (attempt(call) <= attempt(before))
    return {
      place: 'calls:webhook-attempt',
      says: `A call that is made again has the webhook-attempt ${attempt(call)}; ${attempt(expected)} is right.`,
    };
  const [wait, found] = [expected.at - earlier.at, call.at - before.at].map((ms) => ms / 1000) as [number, number];
  if (Math.abs(found - wait) * 1000 <= leeway) return undefined;
  return {
    place: 'calls:time',
    says: `Your service calls again after ${found.toFixed(1)} seconds; ${wait.toFixed(0)} are right.`,
  };
}

/** The calls as an answer is shown: what came, and when. */
function shown(calls: readonly Call[]): Answer {
  const lines = calls.map(({ headers: sent, body }) =>
    [...headers.flatMap((name) => (sent[name] === undefined ? [] : [`${name}: ${sent[name]}`])), body].join('\n'),
  );
  const [from, to] = [calls[0]?.at ?? systemClock.now(), calls.at(-1)?.at ?? systemClock.now()];
  return { status: 0, headers: {}, body: lines.join('\n\n'), from, to };
}
