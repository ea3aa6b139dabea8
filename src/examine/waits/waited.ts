import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '../../text/counted.ts';
import { shownValue } from '../../text/shown-value.ts';
import { systemClock } from '../../time/clock.ts';
import type { Difference, Exchange } from '../difference.ts';
import { distinct, eventsOf, firstBatches, newOf } from '../events.ts';
import type { Known } from '../known.ts';
import { type Answer, kept, NameMissing, type NoAnswer, parsed, type Reading } from '../side.ts';
import type { Wait } from '../wait.ts';
import { deliveries } from './deliveries.ts';
import { eventsIn, streamDifference } from './stream.ts';
import { type Half, leeway, type Waited, type Waiting } from './waiting.ts';

/** Milliseconds in which the reference gets to what is waited for: a claim ends after three seconds at the least. */
const longest = 7000;
/** Milliseconds between two calls: more each time, up to the most. */
const shortest = 10;
const factor = 2.5;
const between = 150;
/** Milliseconds for which a stream is read that has nothing to tell. */
const quiet = 400;

/** @throws {NameMissing} where the reference does not get there: the row shows nothing */
export function waited(wait: Wait, waiting: Waiting): Promise<Waited> {
  if (wait.for === 'value') return value(wait, waiting);
  if (wait.for === 'events') return events(wait, waiting);
  if (wait.for === 'answer') return atOnce(waiting);
  if (wait.for === 'batches') return batches(wait, waiting);
  if (wait.for === 'stream') return stream(wait, waiting);
  return deliveries(wait, waiting);
}

/** Both sides are called until they are there: first the reference, then yours. */
async function again(
  { reference, yours }: Waiting,
  isThere: (answer: Answer) => boolean,
  isYours: (answer: Answer, expected: Answer) => boolean = isThere,
) {
  const expected = await until(longest, () => reference.call(reference.sent), isThere);
  if ('failure' in expected || !isThere(expected)) throw new NameMissing('The reference does not get there');
  const isOver = (answer: Answer) => isYours(answer, expected) || answer.status !== expected.status;
  const answer = await until(leeway, () => yours.call(yours.sent), isOver);
  const exchange = { reference: { sent: reference.sent, answer: expected }, yours: { sent: yours.sent, answer } };
  return { exchange, expected, answer, isLate: !('failure' in answer) && !isOver(answer) };
}

async function until(
  mostMs: number,
  call: () => Promise<Answer | NoAnswer>,
  isThere: (answer: Answer) => boolean,
): Promise<Answer | NoAnswer> {
  const end = systemClock.elapsed() + mostMs;
  for (let pause = shortest; ; pause = Math.min(between, pause * factor)) {
    const answer = await call();
    if ('failure' in answer || isThere(answer) || systemClock.elapsed() > end) return answer;
    await delay(pause);
  }
}

async function value({ place, is }: Extract<Wait, { for: 'value' }>, waiting: Waiting): Promise<Waited> {
  const { exchange, answer, isLate } = await again(waiting, (each) => kept(each, place) === is);
  if (!isLate) return { exchange };
  const [found, right] = [kept(answer as Answer, place), is].map((text) => shownValue(parsed(text ?? '') ?? text));
  const says = `The member ${place} of your service is still ${found}; ${right} is right by now.`;
  return { exchange, late: { place, says } };
}

async function events({ count }: Extract<Wait, { for: 'events' }>, waiting: Waiting): Promise<Waited> {
  const { known } = waiting;
  const right = (answer: Answer) => distinct(eventsOf(answer.body)).slice(0, count);
  const found = (answer: Answer, expected: Answer) => newOf(right(expected), eventsOf(answer.body), known).length;
  const { exchange, expected, answer, isLate } = await again(
    waiting,
    (each) => right(each).length === count,
    (each, other) => found(each, other) >= count,
  );
  if ('failure' in answer) return { exchange };
  if (isLate) return { exchange, late: tooFew('/events', found(answer, expected), count) };
  return { exchange: inFirst(count, exchange, expected, answer, known) };
}

function inFirst(
  count: number,
  { reference, yours }: Exchange,
  expected: Answer,
  answer: Answer,
  known: Known,
): Exchange {
  const [right, given] = firstBatches(count, expected, answer, known);
  return { reference: { ...reference, answer: right }, yours: { ...yours, answer: given } };
}

/** Both at the same time, so that each waits for what comes. */
async function both(
  { reference, yours }: Waiting,
  readings?: readonly [Reading, Reading],
): Promise<{ exchange: Exchange; late?: Difference }> {
  const called = ({ sent, call }: Half, reading?: Reading) => call(sent, { beside: true, ...(reading && { reading }) });
  const [expected, answer] = await Promise.all([called(reference, readings?.[0]), called(yours, readings?.[1])]);
  if ('failure' in expected) throw new NameMissing('The reference does not get there');
  const exchange = { reference: { sent: reference.sent, answer: expected }, yours: { sent: yours.sent, answer } };
  const behind = 'failure' in answer ? 0 : answer.to - answer.from - (expected.to - expected.from);
  if (behind < leeway) return { exchange };
  const says = `Your service answered ${(behind / 1000).toFixed(1)} seconds later than is right: it answers as soon as there is an event.`;
  return { exchange, late: { place: 'answer:time', says } };
}

const atOnce = (waiting: Waiting): Promise<Waited> => both(waiting);

/** The batches of each side as one. */
async function batches({ count, limit }: Extract<Wait, { for: 'batches' }>, waiting: Waiting): Promise<Waited> {
  const [right, given] = [await all(waiting.reference, count, limit), await all(waiting.yours, count, limit)];
  if ('failure' in right.answer || distinct(eventsOf(right.answer.body)).length < count)
    throw new NameMissing('The reference does not get there');
  const exchange = {
    reference: { sent: waiting.reference.sent, answer: right.answer },
    yours: { sent: waiting.yours.sent, answer: given.answer },
  };
  if ('failure' in given.answer) return { exchange };
  const most = given.longest > limit && {
    place: '/events',
    says: `A batch of your service has ${counted(given.longest, 'event')}; at most ${limit} is right.`,
  };
  if (most) return { exchange, late: most };
  return { exchange: inFirst(count, exchange, right.answer, given.answer, waiting.known) };
}

/** Follows `next` until there are so many events, or an empty batch. An event may come twice. */
async function all(half: Half, count: number, limit: number): Promise<{ answer: Answer | NoAnswer; longest: number }> {
  const url = new URL(half.sent.url);
  url.searchParams.set('limit', String(limit));
  const found: unknown[] = [];
  let most = 0;
  for (let calls = 1; ; calls += 1) {
    const answer = await half.call({ ...half.sent, url: new URL(url) });
    if ('failure' in answer || answer.status !== 200) return { answer, longest: most };
    const batch = eventsOf(answer.body);
    found.push(...batch);
    most = Math.max(most, batch.length);
    const next = kept(answer, '/next');
    if (batch.length === 0 || distinct(found).length >= count || next === undefined || calls > 2 * count) {
      const body = JSON.stringify({ ...(JSON.parse(answer.body) as object), events: found });
      return { answer: { ...answer, body }, longest: most };
    }
    url.searchParams.set('after', next);
  }
}

async function stream({ count }: Extract<Wait, { for: 'stream' }>, waiting: Waiting): Promise<Waited> {
  const mostMs = count > 0 ? longest : quiet;
  let right: readonly unknown[] = [];
  const isThere = (text: string) => {
    right = distinct(eventsIn(text)).slice(0, count);
    return count > 0 && right.length === count;
  };
  // What is told again is known by what the reference tells.
  const found = (text: string) => newOf(right, eventsIn(text), waiting.known).length;
  const isYours = (text: string) => count > 0 && right.length === count && found(text) >= count;
  const { exchange, late } = await both(waiting, [
    { enough: isThere, mostMs },
    { enough: isYours, mostMs },
  ]);
  const { reference, yours } = exchange;
  if ('failure' in yours.answer || yours.answer.status !== reference.answer.status) return { exchange };
  if (right.length < count) throw new NameMissing('The reference does not get there');
  if (late && found(yours.answer.body) < count)
    return { exchange, late: tooFew('stream', found(yours.answer.body), count) };
  return { exchange, late, more: streamDifference(right, exchange, waiting) };
}

function tooFew(place: string, found: number, count: number): Difference {
  return {
    place,
    says: `Your service has told ${found === 0 ? 'no event' : counted(found, 'event')} by now; ${count} is right.`,
  };
}
