import { equal } from 'node:assert/strict';
import type { Answer } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { claimOn, EventStream, insure, pass, topicPath } from '../../support/topic.ts';
import { logOf } from '../range.ts';
import { answer, type Learner, newLearner, reset, stateOf, testLessons, wrongAnswer } from './lesson.ts';
import { assertUntold, batch, ended, move, newClaim, nextArrival, receiveEvents, streamed } from './topic.ts';

const forStream = { Accept: 'text/event-stream' };

/** A long poll that waits until claims move. */
async function longPoll(learner: Learner, after: string) {
  const arrived = nextArrival();
  const poll = batch(learner, `?after=${after}&wait=20`);
  await arrived;
  await move(learner, 1);
  return poll;
}

const drill = ({ call }: Learner, name: string, parameters = {}) =>
  call('POST', '/range/v1/me/drills', { json: { name, parameters } });

/** The events of one claim that has moved by so many steps, each of them three times. */
async function tripled(learner: Learner, query = '') {
  await drill(learner, 'duplicate-events');
  await newClaim(learner);
  await move(learner, 2);
  return batch(learner, query);
}

/** The end of the advice of event-twice. */
const askedFor = ({ headers }: Answer) => new RegExp(`exchange ${headers.get('x-request-id')}\\.$`);

/** One batch with events of a claim, of which one more step is to come. */
async function begun(learner: Learner, query = '') {
  await newClaim(learner);
  await move(learner, 2);
  return (await batch(learner, query)).json.next as string;
}

/** Events of a newer version, and where they end. The claim has one more step to come. */
async function newer(learner: Learner): Promise<string> {
  await drill(learner, 'newer-events');
  return begun(learner);
}

/** The cursor behind all events of a claim, from the first to the last. */
async function followedOne(learner: Learner): Promise<string> {
  await newClaim(learner);
  await move(learner, 3);
  return (await batch(learner)).json.next;
}

/** Two claims that run at the same time, unless one comes after the other, read to their end. */
async function twoClaims(learner: Learner, { outcome, apart }: { outcome: 'APPROVED' | 'REJECTED'; apart: boolean }) {
  const one = await newClaim(learner);
  if (apart) await move(learner, 3);
  const other = await newClaim(learner, { outcome });
  await move(learner, 3);
  return { one, other, read: await batch(learner) };
}

const closed = (outcome: string) => ['REGISTERED', 'UNDER_REVIEW', outcome, 'CLOSED'];

/** The client eight days later, with the cursor that it had, some claims, and a new token. */
async function away(learner: Learner, { days = 8, claims = 2 } = {}): Promise<Learner & { old: string }> {
  const { lplate, id, secret } = learner;
  for (let claim = 0; claim < claims; claim += 1) await newClaim(learner);
  await move(learner, 3);
  const old = (await batch(learner, '?limit=1')).json.next as string;
  await pass(lplate, 1);
  await learner.call('POST', '/range/v1/me/clock', { json: { advance: `P${days}D` } });
  const token = await lplate.token(id, secret);
  const call: Learner['call'] = (method, path, options = {}) => lplate.call(method, path, { token, ...options });
  Object.assign(learner, { token, call });
  equal((await batch(learner, `?after=${old}`)).status, days > 7 ? 410 : 200);
  return { ...learner, old };
}

/** A cursor of the end of the topic, the client's clock moved, and that cursor read on from with a new token. */
async function readOnAfter<Read = unknown>(
  learner: Learner,
  advance: string,
  read: (later: Learner, after: string) => Promise<Read> = async (later, after) =>
    (await batch(later, `?after=${after}`)) as Read,
): Promise<Read> {
  const { lplate, id, secret } = learner;
  const old = await fresh(learner);
  await learner.call('POST', '/range/v1/me/clock', { json: { advance } });
  await lplate.catchUp();
  learner.token = await lplate.token(id, secret);
  learner.call = (method, path, options = {}) => lplate.call(method, path, { token: learner.token, ...options });
  return read(learner, old);
}

const list = ({ call }: Learner, query = '') => call('GET', `/claims/v1/claims${query}`);

const fresh = async (learner: Learner) => (await batch(learner, '?after=latest')).json.next as string;

/** The same, with a new cursor. */
async function renewed(learner: Learner): Promise<{ later: Awaited<ReturnType<typeof away>>; next: string }> {
  const later = await away(learner);
  return { later, next: await fresh(later) };
}

/** After the cursor has expired: a new cursor, what `read` does, and on from the cursor. */
const resync = (read: (later: Learner) => Promise<unknown>) => async (learner: Learner) => {
  const { later, next } = await renewed(learner);
  if ((await read(later)) !== 'not on') await batch(later, `?after=${next}`);
};

/** After the cursor has expired: a stream that goes on until the lessons have been asked for. */
const streamedResync =
  (act: (open: () => Promise<void>, later: Learner) => Promise<unknown>) => async (learner: Learner) => {
    const later = await away(learner);
    let stream: EventStream | undefined;
    const open = async () => {
      stream = await EventStream.open(learner.lplate.url, later.token, { after: 'latest' });
    };
    await act(open, later);
    await assertUntold(later, 'events-resync');
    stream?.close();
  };

testLessons(
  {
    'long-poll': {
      async solve(learner) {
        await newClaim(learner);
        return longPoll(learner, 'earliest');
      },
      alsoSolvedBy: {
        'a second': async (learner) => {
          await newClaim(learner, { paceSeconds: 1 });
          const arrived = nextArrival();
          const poll = batch(learner, '?wait=20');
          await arrived;
          await pass(learner.lplate, 1);
          await poll;
        },
      },
      misses: {
        'events were there': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner, '?wait=20');
        },
        'nothing came': async (learner) => {
          const arrived = nextArrival();
          const poll = batch(learner, '?wait=1');
          await arrived;
          await pass(learner.lplate, 2);
          await poll;
        },
        'no wait': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner, '?wait=0');
          await batch(learner);
        },
        'no wait, when there is nothing': async (learner) => {
          const next = await followedOne(learner);
          for (let read = 0; read < 3; read += 1) await batch(learner, `?after=${next}`);
          equal((await stateOf(learner, 'long-poll')).misses, 1);
        },
        'no wait, and asked again': async (learner) => {
          for (let read = 0; read < 3; read += 1) await batch(learner);
          equal((await stateOf(learner, 'long-poll')).misses, 1);
        },
        'a wait that is short enough': async (learner) => {
          for (const wait of [60, 'long']) await batch(learner, `?wait=${wait}`);
          equal((await stateOf(learner, 'long-poll')).misses, 1);
        },
        'no wait, but a delay': async (learner) => {
          const next = await followedOne(learner);
          await drill(learner, 'delay', { fromMs: 10, toMs: 20 });
          await batch(learner, `?after=${next}`);
        },
        'the name of the wait': (learner) => batch(learner, '?Wait=5'),
        'the topic': async (learner) => {
          const claimId = await newClaim(learner);
          await list(learner, '?wait=5');
          await learner.call('GET', `/claims/v1/claims/${claimId}?wait=5`);
          equal((await stateOf(learner, 'long-poll')).misses, 2);
        },
        'events that are not held back': async (learner) => {
          await drill(learner, 'stop-events');
          const arrived = nextArrival();
          const poll = batch(learner, '?wait=1');
          await arrived;
          await pass(learner.lplate, 2);
          await poll;
        },
        'a new cursor': async (learner) => {
          await followedOne(learner);
          for (let read = 0; read < 2; read += 1) await batch(learner, '?after=latest');
        },
        'while a claim is followed': async (learner) => {
          const next = await begun(learner);
          await batch(learner, `?after=${next}`);
        },
        'patience of its own': async (learner) => {
          const arrived = nextArrival();
          const controller = new AbortController();
          const headers = { Authorization: `Bearer ${learner.token}` };
          const url = `${learner.lplate.url}${topicPath}?wait=20`;
          const called = fetch(url, { headers, signal: controller.signal }).catch(() => undefined);
          await arrived;
          await list(learner);
          learner.lplate.clock.advance(3000);
          controller.abort();
          await called;
          await until(async () => (await logOf(learner.lplate, learner)).some(({ end }) => end === 'cut'), 'its end');
        },
        'a stream in place of a poll': async (learner) => {
          await followedOne(learner);
          await batch(learner, '?wait=20');
          for (let time = 0; time < 2; time += 1) await streamed(learner, 3);
          equal((await stateOf(learner, 'long-poll')).misses, 2);
        },
        'a stream that follows a claim': async (learner) => {
          await followedOne(learner);
          await streamed(learner, 3);
        },
        'a stream': async (learner) => {
          await newClaim(learner);
          const stream = await EventStream.open(learner.lplate.url, learner.token, { after: 'earliest&wait=20' });
          await move(learner, 1);
          await stream.until(() => stream.received.length === 1);
          stream.close();
          await ended(learner, stream);
        },
      },
      remarks: {
        'events were there': /nothing to wait for/,
        'nothing came': /^Nothing happened in the 2\.0 s that the service waited/,
        'no wait, when there is nothing': /^There was no event, and the service did not wait for one/,
        'no wait, but a delay': /^There was no event, and the service did not wait for one/,
        'the name of the wait': /^Your wait was refused/,
        'the topic': /^This address does not wait/,
        'events that are not held back': /^No event comes while the drill stop-events is on/,
        'no wait, and asked again': /^There was no event, and the service did not wait for one/,
        'a wait that is short enough': /^Your wait was refused; the answer says why\./,
        'patience of its own': /^You hung up after 3\.0 s, and the service was to wait for up to 20 s/,
        'a stream in place of a poll': /^This was a stream, which is another way/,
        'a stream': /^This was a stream, which has no wait/,
        'a new cursor': /^There was no event, and the service did not wait for one/,
        'while a claim is followed': /There was no event, and the service did not/,
      },
    },

    'event-stream': {
      async solve(learner) {
        await newClaim(learner);
        await move(learner, 1);
        return (await streamed(learner, 1)).response;
      },
      misses: {
        'a batch': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner, '', { headers: { Accept: 'application/json' } });
        },
        'a long poll': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner, '?wait=20');
        },
        'a stream without events': async (learner) => {
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await assertUntold(learner, 'event-stream');
          learner.lplate.clock.advance(2000);
          stream.close();
          await ended(learner, stream);
        },
        'a stream with events: they are held back': async (learner) => {
          await newClaim(learner);
          await drill(learner, 'stop-events');
          await move(learner, 1);
          await streamed(learner, 0);
        },
        'the topic': (learner) => learner.call('GET', '/claims/v1/claims', { headers: forStream }),
        'the header that says what is sent': (learner) =>
          batch(learner, '', { headers: { 'Content-Type': 'text/event-stream' } }),
        'another media type': (learner) => batch(learner, '', { headers: { Accept: 'application/stream+json' } }),
        'a parameter': (learner) => batch(learner, '?stream=true'),
        'a batch with the header of streams': (learner) => batch(learner, '', { headers: { 'Last-Event-ID': '1-1' } }),
        'a token': ({ bare }) => bare('GET', topicPath, { headers: forStream }),
        'a position that there is': (learner) =>
          batch(learner, '', { headers: { ...forStream, 'Last-Event-ID': 'abc' } }),
        'a stream alone': (learner) =>
          batch(learner, '', { headers: { Accept: 'application/json, text/event-stream' } }),
        'any header, after a parameter': async (learner) => {
          await batch(learner, '?stream=true');
          for (let read = 0; read < 2; read += 1) await batch(learner);
          equal((await stateOf(learner, 'event-stream')).misses, 2);
        },
      },
      remarks: {
        'a stream without events': /^Your stream ended after 2\.0 s, before it had brought an event/,
        'a stream with events: they are held back': /^No event comes while the drill stop-events is on/,
        'the topic': /^You asked for a stream of claims, and there is none/,
        'the header that says what is sent': /^You named a stream in Content-Type/,
        'another media type': /^You seem to want a stream/,
        'a parameter': /^You seem to want a stream/,
        'a batch with the header of streams': /^You seem to want a stream/,
        'a token': /^Your stream was refused with 401; its answer says why\./,
        'a position that there is': /^Your stream was refused with 400; its answer says why\./,
        'a stream alone': /^Your call takes JSON as well, so a batch came\./,
        'any header, after a parameter': /^You read a batch\. A header asks for the stream\./,
        'a batch': /^You read a batch\. A header asks for the stream\./,
        'a long poll': /^You read a batch\. A header asks for the stream\./,
      },
    },

    'event-twice': {
      async solve(learner) {
        await reset(learner);
        const other = await newLearner(learner.lplate);
        await tripled(other);
        equal((await answer(other, 'event-twice', '2')).correct, true);
        const read = await tripled(learner);
        await move(learner, 1);
        await learner.call('DELETE', '/range/v1/me/drills/duplicate-events');
        await batch(learner, `?after=${read.json.next}`);
        equal((await answer(learner, 'event-twice', 2)).correct, true);
        return read;
      },
      alsoSolvedBy: {
        'the shortest way': async (learner) => {
          await tripled(learner);
          await answer(learner, 'event-twice', 2);
        },
      },
      misses: {
        'none came twice': async (learner) => {
          await begun(learner);
          await batch(learner);
          await wrongAnswer(learner, 'event-twice', 2, /no event came twice within one/);
        },
        'all of them': async (learner) => {
          const asked = askedFor(await tripled(learner));
          await wrongAnswer(learner, 'event-twice', 6, asked);
          await wrongAnswer(learner, 'event-twice', [2], asked);
          await wrongAnswer(learner, 'event-twice', [2], /^Send a plain number\./);
          await wrongAnswer(learner, 'event-twice', 'two', /^Send a plain number\./);
        },
        'an earlier batch': async (learner) => {
          await tripled(learner);
          await wrongAnswer(learner, 'event-twice', 2, askedFor(await batch(learner, '?limit=3')));
          await wrongAnswer(learner, 'event-twice', 2, /^That is the number of an older one\./);
        },
        'more than the log has': async (learner) => {
          await drill(learner, 'duplicate-events', { times: 10 });
          for (let claim = 0; claim < 2; claim += 1) await newClaim(learner);
          await move(learner, 3);
          equal((await batch(learner)).json.events.length, 60);
          await wrongAnswer(learner, 'event-twice', 6, /no event came twice within one/);
        },
      },
      remarks: {
        'more than the log has': /^Events came more than once, but the answer is longer than the 16 KiB/,
        'none came twice': /Each of these events came once\. Read more of/,
      },
      done: { 'all of them': 1, 'an earlier batch': 1 },
    },

    'events-resumed': {
      async solve(learner) {
        const other = await newLearner(learner.lplate);
        const next = await begun(other);
        await move(other, 1);
        await batch(other, `?after=${next}`);
        equal((await stateOf(other, 'events-resumed')).state, 'solved');
        await newClaim(learner, { paceSeconds: 5 });
        await pass(learner.lplate, 10);
        const { lastEventId } = await streamed(learner, 2);
        await pass(learner.lplate, 5);
        const { response } = await streamed(learner, 1, { lastEventId, after: 'earliest' });
        return response;
      },
      alsoSolvedBy: {
        'ten seconds': async (learner) => {
          await newClaim(learner, { paceSeconds: 10 });
          await pass(learner.lplate, 10);
          const { json } = await batch(learner);
          await pass(learner.lplate, 10);
          await batch(learner, `?after=${json.next}`);
        },
      },
      misses: {
        'no break': async (learner) => {
          await newClaim(learner);
          await move(learner, 2);
          const { json } = await batch(learner, '?limit=1');
          await pass(learner.lplate, 9);
          await batch(learner, `?after=${json.next}`);
        },
        'a break that is long enough': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { paceSeconds: 5 });
          await pass(learner.lplate, 5);
          await batch(learner, `?after=${next}`);
        },
        'a break: it went on at once': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { paceSeconds: 1 });
          await pass(learner.lplate, 1);
          await batch(learner, `?after=${next}`);
        },
        'a break: it read in between': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { paceSeconds: 5 });
          for (const pause of [5, 6]) {
            await pass(learner.lplate, pause);
            await batch(learner, `?after=${next}`);
          }
        },
        'a break: it was a long poll': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { paceSeconds: 5 });
          await pass(learner.lplate, 5);
          await batch(learner, `?after=${next}&wait=5`);
        },
        'nothing new': async (learner) => {
          const next = await begun(learner);
          await pass(learner.lplate, 15);
          await batch(learner, `?after=${next}`);
        },
        'news after the break': async (learner) => {
          const next = await followedOne(learner);
          await pass(learner.lplate, 15);
          for (let read = 0; read < 2; read += 1) await batch(learner, `?after=${next}`);
          equal((await stateOf(learner, 'events-resumed')).misses, 2);
        },
        'the place where the stream stopped': async (learner) => {
          await begun(learner);
          await streamed(learner, 2);
          await streamed(learner, 2);
        },
        'the place where a stream stopped that was cut': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await drill(learner, 'cut-streams', { seconds: 1 });
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await stream.end();
          await ended(learner, stream);
          await learner.call('DELETE', '/range/v1/me/drills/cut-streams');
          await streamed(learner, 1);
        },
        'only what it had, from a cursor before its last': async (learner) => {
          await newClaim(learner);
          await move(learner, 2);
          const { json } = await batch(learner, '?limit=1');
          await batch(learner, `?after=${json.next}`);
          await pass(learner.lplate, 15);
          await batch(learner, `?after=${json.next}`);
        },
        'only what it had': async (learner) => {
          await newClaim(learner);
          await move(learner, 2);
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await stream.until(() => stream.received.length === 2);
          stream.close();
          await ended(learner, stream);
          await pass(learner.lplate, 15);
          await batch(learner, `?after=${stream.received[0]?.id}`);
        },
        'from the begin': async (learner) => {
          await begun(learner);
          await move(learner, 1);
          await batch(learner);
        },
        'nothing read before': async (learner) => {
          const next = await begun(learner, '?after=latest');
          await move(learner, 1);
          await batch(learner, `?after=${next}`);
        },
        'from the end': async (learner) => {
          await begun(learner);
          await pass(learner.lplate, 10);
          await batch(learner, '?after=latest');
        },
        'from the begin, by a batch': async (learner) => {
          await begun(learner);
          await pass(learner.lplate, 10);
          await batch(learner, '?after=latest');
          await move(learner, 1);
          await batch(learner);
        },
        'from the end, by a stream': async (learner) => {
          await begun(learner);
          await streamed(learner, 2);
          const stream = await EventStream.open(learner.lplate.url, learner.token, { after: 'latest' });
          stream.close();
          await ended(learner, stream);
          equal((await stateOf(learner, 'events-resumed')).misses, 1);
        },
        'from the end, without a break': async (learner) => {
          await begun(learner);
          await pass(learner.lplate, 9);
          await batch(learner, '?after=latest');
        },
        'from the end, after nothing': async (learner) => {
          await batch(learner);
          await batch(learner, '?after=latest');
        },
        'from the end, after it expired': async (learner) => {
          const later = await away(learner);
          await batch(later, '?after=latest');
        },
        'from the end, after it went on': async (learner) => {
          const next = await followedOne(learner);
          await pass(learner.lplate, 15);
          await batch(learner, `?after=${next}`);
          for (let read = 0; read < 2; read += 1) await batch(learner, '?after=latest');
          equal((await stateOf(learner, 'events-resumed')).misses, 2);
        },
        'a stream that missed something': async (learner) => {
          await begun(learner);
          const { lastEventId } = await streamed(learner, 2);
          await streamed(learner, 0, { lastEventId });
        },
        'a position: it was an eventId': async (learner) => {
          await begun(learner);
          const { json } = await batch(learner);
          const { eventId } = json.events[0];
          await batch(learner, `?after=${eventId}`);
          await batch(learner, '', { headers: { ...forStream, 'Last-Event-ID': eventId } });
          equal((await stateOf(learner, 'events-resumed')).misses, 2);
        },
        'a batch with the header of streams': async (learner) => {
          const next = await begun(learner);
          await move(learner, 1);
          await batch(learner, '', { headers: { 'Last-Event-ID': next } });
        },
        refused: async (learner) => {
          const next = await begun(learner);
          await move(learner, 1);
          await batch(learner, `?after=${next}&limit=0`);
          await batch(learner, '?after=latest&limit=0');
          await list(learner, '?after=latest');
        },
      },
      remarks: {
        'from the end': /You began at latest again/,
        'from the begin, by a batch': /^You began at the oldest event again, so you get what you had already/,
        'from the end, by a stream': /^You opened the stream at latest, so it does not bring/,
        'a break that is long enough': /^You went on at the right place, but after 5\.0 s without a read/,
        'a break: it read in between': /^You went on at the right place, but after 6\.0 s without a read/,
        'only what it had': /^You had all of these events already/,
        'only what it had, from a cursor before its last': /^You had all of these events already/,
        'news after the break': /^You went on at the right place, but nothing has happened since/,
        'the place where the stream stopped': /^You opened the stream at the oldest event again/,
        'a batch with the header of streams': /^Last-Event-ID is for a stream/,
        'from the end, after it went on': /^You began at latest again/,
        'a position: it was an eventId': /^You sent an eventId/,
        'nothing read before': /^You went on at the right place, but you had read no event before/,
        'no break': /^You went on at the right place, but after 9\.0 s/,
        'nothing new': /^You went on at the right place, but nothing has happened since/,
        'a stream that missed something': /^You went on at the right place, but nothing has happened since/,
        'a break: it went on at once': /You went on at the right place, but after/,
        'a break: it was a long poll': /You went on at the right place, but after/,
        'from the begin': /You began at the oldest event again, so you/,
        'from the end, without a break': /You began at latest again, so you do not/,
        'from the end, after nothing': /You began at latest again, so you do not/,
      },
    },

    'events-in-order': {
      async solve(learner) {
        const { one, other, read } = await twoClaims(learner, { outcome: 'REJECTED', apart: false });
        await learner.call('GET', '/claims/v1/claims');
        const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
        equal((await answer(learner, 'events-in-order', states)).correct, true);
        return read;
      },
      alsoSolvedBy: {
        'the shortest way': async (learner) => {
          const { lplate, token } = learner;
          const policy = await insure(lplate, token);
          const one = await claimOn(lplate, token, policy, { paceSeconds: 20 });
          const other = await claimOn(lplate, token, policy, { paceSeconds: 20, outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner);
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await answer(learner, 'events-in-order', states);
        },
      },
      misses: {
        'one claim': async (learner) => {
          const { one } = await twoClaims(learner, { outcome: 'REJECTED', apart: false });
          await wrongAnswer(learner, 'events-in-order', { [one]: closed('APPROVED') }, /ids of two claims/);
          for (const odd of [null, 7, 'CLOSED', []]) {
            await wrongAnswer(learner, 'events-in-order', odd, /ids of two claims/);
          }
        },
        'no texts': async (learner) => {
          const { one, other } = await twoClaims(learner, { outcome: 'REJECTED', apart: false });
          const right = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', JSON.stringify(right), /^Send the JSON object itself/);
          const texts = { [one]: closed('APPROVED').join(), [other]: closed('REJECTED').join() };
          await wrongAnswer(learner, 'events-in-order', texts, /^Send the states of each claim as a list/);
        },
        'not read': async (learner) => {
          const [one, other] = [await newClaim(learner), await newClaim(learner, { outcome: 'REJECTED' })];
          await move(learner, 3);
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', states, /whose events you have read/);
        },
        'only by a webhook': async (learner) => {
          const received = await receiveEvents(learner, 204);
          const [one, other] = [await newClaim(learner), await newClaim(learner, { outcome: 'REJECTED' })];
          await move(learner, 3);
          await received(6);
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', states, /whose events you have read/);
        },
        'wrong states': async (learner) => {
          const { one, other } = await twoClaims(learner, { outcome: 'REJECTED', apart: false });
          const right = closed('APPROVED');
          for (const states of [closed('APPROVED'), right.slice(1), [], 'CLOSED', null, [{ toString: 1 }]]) {
            const sent = { [one]: right, [other]: states };
            await wrongAnswer(learner, 'events-in-order', sent, /not the states that you read/);
          }
          const changes = { [one]: right.slice(1), [other]: closed('REJECTED').slice(1) };
          await wrongAnswer(learner, 'events-in-order', changes, /^The first state is missing/);
        },
        'one after the other': async (learner) => {
          const { one, other } = await twoClaims(learner, { outcome: 'REJECTED', apart: true });
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', states, /were not mixed/);
        },
        'mixed with a third': async (learner) => {
          const { one } = await twoClaims(learner, { outcome: 'APPROVED', apart: false });
          const third = await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner);
          const states = { [one]: closed('APPROVED'), [third]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', states, /were not mixed/);
        },
        'the same way': async (learner) => {
          const { one, other } = await twoClaims(learner, { outcome: 'APPROVED', apart: false });
          const states = { [one]: closed('APPROVED'), [other]: closed('APPROVED') };
          await wrongAnswer(learner, 'events-in-order', states, /both went the same way/);
        },
        'two that are rejected': async (learner) => {
          await followedOne(learner);
          for (let claim = 0; claim < 2; claim += 1) await newClaim(learner, { outcome: 'REJECTED' });
        },
        'two that are rejected, one later': async (learner) => {
          await followedOne(learner);
          await newClaim(learner, { outcome: 'REJECTED' });
          await pass(learner.lplate, 60);
          await newClaim(learner, { outcome: 'REJECTED' });
        },
        'two that are rejected, before any was followed': async (learner) => {
          for (let claim = 0; claim < 2; claim += 1) await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner);
        },
        'a part of the events': async (learner) => {
          const [one, other] = [await newClaim(learner), await newClaim(learner, { outcome: 'REJECTED' })];
          await move(learner, 2);
          await batch(learner);
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          const advice = /^You have not read all events of these claims yet/;
          await wrongAnswer(learner, 'events-in-order', states, advice);
          const read = { [one]: closed('APPROVED').slice(0, 3), [other]: closed('REJECTED').slice(0, 3) };
          await wrongAnswer(learner, 'events-in-order', read, advice);
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await wrongAnswer(learner, 'events-in-order', states, /^Your stream is still open\./);
          stream.close();
          await ended(learner, stream);
        },
        'a stream that is open': async (learner) => {
          const [one, other] = [await newClaim(learner), await newClaim(learner, { outcome: 'REJECTED' })];
          await move(learner, 3);
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await stream.until(() => stream.received.length === 6);
          const states = { [one]: closed('APPROVED'), [other]: closed('REJECTED') };
          await wrongAnswer(learner, 'events-in-order', states, /^Your stream is still open\./);
          stream.close();
          await ended(learner, stream);
        },
        'two that are approved, after one at a time': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          const later = (await batch(learner, `?after=${next}`)).json.next;
          for (let claim = 0; claim < 2; claim += 1) await newClaim(learner);
          await move(learner, 3);
          await batch(learner, `?after=${later}`);
        },
        'the events after the first': async (learner) => {
          for (const outcome of ['APPROVED', 'REJECTED'] as const) await newClaim(learner, { outcome });
          await move(learner, 2);
          await batch(learner);
        },
        'the events of the claims': async (learner) => {
          await newClaim(learner);
          const claimId = await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'the end of the approved one': async (learner) => {
          await followedOne(learner);
          await newClaim(learner, { paceSeconds: 30 });
          await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner);
        },
        'the second change of the approved one': async (learner) => {
          await followedOne(learner);
          await newClaim(learner, { paceSeconds: 59 });
          await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner);
        },
        'one at a time': async (learner) => {
          const next = await followedOne(learner);
          await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 3);
          await batch(learner, `?after=${next}`);
        },
      },
      remarks: {
        'two that are rejected': /^Both of your claims will be rejected/,
        'mixed with a third': /none of an approved one came between them/,
        'one at a time': /none of an approved one came between them/,
        'two that are approved, after one at a time': /^You read two claims that were approved\./,
        'the same way': /^You read two claims that were approved\./,
        'the events after the first': /^Not all of your claims are CLOSED in the events/,
        'the events of the claims': /^A claim shows only the state that it has now/,
        'one after the other': /none of an approved one came between them/,
        'two that are rejected, before any was followed': /^You have all events of a rejected claim, and none/,
        'a part of the events': /Not all of your claims are CLOSED in the/,
        'the end of the approved one': /Not all of your claims are CLOSED in the/,
        'the second change of the approved one': /Not all of your claims are CLOSED in the/,
      },
      done: { 'one claim': 1, 'no texts': 1, 'wrong states': 1, 'a stream that is open': 1 },
    },

    'newer-events': {
      solve: async (learner) => {
        const next = await newer(learner);
        await move(learner, 1);
        await batch(learner, `?after=${next}`);
      },
      alsoSolvedBy: {
        'a batch after a stream': async (learner) => {
          await drill(learner, 'newer-events');
          await newClaim(learner);
          await move(learner, 2);
          const { lastEventId } = await streamed(learner, 1);
          await move(learner, 1);
          await batch(learner, `?after=${lastEventId}`);
        },
      },
      misses: {
        'stopped after the first': async (learner) => {
          const from = await begun(learner);
          await move(learner, 1);
          await drill(learner, 'newer-events');
          for (const _ of [1, 2]) await batch(learner, `?after=${from}`);
        },
        'at the oldest again': async (learner) => {
          const from = await begun(learner);
          await move(learner, 1);
          await drill(learner, 'newer-events');
          await batch(learner, `?after=${from}`);
          await learner.call('DELETE', '/range/v1/me/drills/newer-events');
          await batch(learner);
        },
        'at the oldest again, with news': async (learner) => {
          await newer(learner);
          await move(learner, 1);
          await batch(learner, '?after=earliest');
        },
        'the oldest again: it sent the header of streams': async (learner) => {
          const next = await newer(learner);
          await move(learner, 1);
          await batch(learner, '', { headers: { 'Last-Event-ID': next } });
        },
        'events after the drill was started': async (learner) => {
          const next = await begun(learner);
          await drill(learner, 'newer-events');
          await batch(learner, `?after=${next}`);
        },
        'events that are not held back': async (learner) => {
          const next = await newer(learner);
          await drill(learner, 'stop-events');
          await batch(learner, `?after=${next}`);
        },
        'at latest': async (learner) => {
          await newer(learner);
          await move(learner, 1);
          for (let read = 0; read < 2; read += 1) await batch(learner, '?after=latest');
          equal((await stateOf(learner, 'newer-events')).misses, 1);
        },
        'a place that was kept, by a long poll': async (learner) => {
          await drill(learner, 'newer-events');
          await newClaim(learner);
          for (let change = 0; change < 2; change += 1) await longPoll(learner, 'latest');
        },
        'the drill when they were read': async (learner) => {
          await drill(learner, 'newer-events');
          await newClaim(learner);
          await move(learner, 2);
          await learner.call('DELETE', '/range/v1/me/drills/newer-events');
          await batch(learner);
        },
        'nothing new': async (learner) => {
          const next = await newer(learner);
          await batch(learner, `?after=${next}`);
        },
        'no drill': async (learner) => {
          const next = await begun(learner);
          await move(learner, 1);
          await batch(learner, `?after=${next}`);
        },
      },
      remarks: {
        'stopped after the first': /as a program does that failed on them/,
        'at the oldest again': /You began at the oldest/,
        'the oldest again: it sent the header of streams': /^Last-Event-ID is for a stream/,
        'events that are not held back': /^No event comes while the drill stop-events is on/,
        'at the oldest again, with news': /You began at the oldest/,
        'at latest': /^You began at latest, so/,
        'a place that was kept, by a long poll': /^You began at latest, so/,
        'nothing new': /nothing has happened since/,
        'events after the drill was started': /^This read brought no event\./,
        'no drill': /^These events are of the old version/,
        'the drill when they were read': /^These events are of the old version/,
      },
      done: {
        'the oldest again: it sent the header of streams': 1,
        'events that are not held back': 1,
        'at the oldest again, with news': 1,
        'at latest': 1,
        'a place that was kept, by a long poll': 1,
        'stopped after the first': 1,
        'at the oldest again': 1,
        'nothing new': 1,
      },
    },

    'events-resync': {
      async solve(learner) {
        await reset(learner);
        const other = await away(await newLearner(learner.lplate));
        const stream = await EventStream.open(learner.lplate.url, other.token, { after: 'latest' });
        await list(other);
        equal((await stateOf(other, 'events-resync')).state, 'solved');
        stream.close();
        const later = await away(learner);
        const next = await fresh(later);
        equal((await list(later, '?pageSize=1')).json.totalPages, 2);
        await list(later, '?pageSize=1&page=2');
        const proof = await batch(later, `?after=${next}`);
        return proof;
      },
      alsoSolvedBy: {
        'the shortest way': async (learner) => {
          const later = await away(learner, { claims: 1 });
          const next = await fresh(later);
          await list(later);
          await batch(later, `?after=${next}`);
        },
        'the old cursor again in between': async (learner) => {
          const { later, next } = await renewed(learner);
          await list(later, '?page=2&pageSize=1');
          await batch(later, `?after=${later.old}`);
          await list(later, '?page=1&pageSize=1');
          await batch(later, `?after=${later.old}`);
          await batch(later, `?after=${next}`);
        },
        'a page too many, of another size': async (learner) => {
          const { later, next } = await renewed(learner);
          await list(later);
          await list(later, '?pageSize=1&page=2');
          await batch(later, `?after=${next}`);
        },
        'two pages of the usual size, named once': async (learner) => {
          const { later, next } = await renewed(learner);
          const { policyNumber } = (await list(later, '?page=2&pageSize=1')).json.items[0];
          for (let claim = 2; claim < 21; claim += 1) await claimOn(later.lplate, later.token, policyNumber);
          await list(later, '?pageSize=20');
          await list(later, '?page=2');
          await batch(later, `?after=${next}`);
        },
      },
      misses: {
        'the new cursor': async (learner) => {
          const { later } = await renewed(learner);
          await list(later);
          await batch(later, `?after=${later.old}`);
        },
        'no list': async (learner) => {
          const { later, next } = await renewed(learner);
          await batch(later, `?after=${next}`);
        },
        'no list, and on': async (learner) => {
          const { later, next } = await renewed(learner);
          await list(later, '?status=CLOSED');
          for (let poll = 0; poll < 2; poll += 1) await batch(later, `?after=${next}`);
          equal((await stateOf(later, 'events-resync')).misses, 2);
        },
        'not the last page': resync((later) => list(later, '?pageSize=1')),
        'not the first page': resync((later) => list(later, '?pageSize=1&page=2')),
        'pages of two sizes': resync(async (later) => {
          await list(later, '?pageSize=1');
          await list(later, '?page=2');
        }),
        'by status': resync((later) => list(later, '?status=CLOSED')),
        'by policy': resync((later) => list(later, '?policyNumber=pol-1')),
        'another list': resync((later) => later.call('GET', '/policies')),
        'a list that was refused': resync(({ bare }) => bare('GET', '/claims/v1/claims')),
        'the list first': async (learner) => {
          const later = await away(learner);
          await list(later);
          const next = await fresh(later);
          await batch(later, `?after=${next}`);
        },
        'the list first, and then a part of it': async (learner) => {
          const later = await away(learner);
          await list(later);
          await batch(later, `?after=${await fresh(later)}`);
          const next = await fresh(later);
          await list(later, '?pageSize=1');
          await batch(later, `?after=${next}`);
        },
        'the cursor that it had': (learner) => readOnAfter(learner, 'P8D', (later) => batch(later)),
        'the cursor that it had, but latest': (learner) => readOnAfter(learner, 'P8D', (later) => fresh(later)),
        'from the new cursor, but latest': async (learner) => {
          const { later } = await renewed(learner);
          await list(later);
          await fresh(later);
        },
        'the list before the cursor expired': async (learner) => {
          await list(learner);
          const { later, next } = await renewed(learner);
          await batch(later, `?after=${next}`);
        },
        'a whole list, and on': async (learner) => {
          const { later } = await renewed(learner);
          await list(later, '?status=CLOSED');
        },
        'what changed since': async (learner) => {
          const { later } = await renewed(learner);
          await list(later, '?updatedSince=2000-01-01T00:00:00Z');
        },
        'not on': resync(async (later) => {
          await list(later);
          return 'not on';
        }),
        'not from the new cursor': async (learner) => {
          const { later } = await renewed(learner);
          await list(later);
          await batch(later, '?after=earliest');
          await batch(later);
        },
        'on, but refused': async (learner) => {
          const { later, next } = await renewed(learner);
          await list(later);
          await batch(later, `?after=${next}&limit=0`);
        },
        'no cursor that expired': async (learner) => {
          const later = await away(learner, { days: 6 });
          await batch(later, '?limit=0');
          const next = await fresh(later);
          await list(later);
          await batch(later, `?after=${next}`);
        },
        'events that come with the move': async (learner) => {
          await newClaim(learner);
          await readOnAfter(learner, 'P8D');
        },
        'no events': (learner) => readOnAfter(learner, 'P8D'),
        'no event yet when a stream opens': async (learner) => {
          const stream = await readOnAfter(learner, 'P8D', async (later, after) =>
            EventStream.open(later.lplate.url, later.token, { after }),
          );
          await assertUntold(learner, 'events-resync');
          stream.close();
          await ended(learner, stream);
        },
        'no more than seven days': async (learner) => {
          await newClaim(learner);
          await readOnAfter(learner, 'P7D');
        },
        'no new cursor, only the list': async (learner) => {
          const later = await away(learner);
          await list(later);
        },
        'a new cursor: it came with the old one again': async (learner) => {
          const { lplate, id, secret } = learner;
          const old = await followedOne(learner);
          await newClaim(learner);
          await move(learner, 1);
          await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P8D' } });
          const token = await lplate.token(id, secret);
          learner.token = token;
          for (let read = 0; read < 2; read += 1) {
            equal((await lplate.call('GET', `${topicPath}?after=${old}`, { token })).status, 410);
          }
        },
        'a stream that had ended before the list': async (learner) => {
          const later = await away(learner);
          const stream = await EventStream.open(learner.lplate.url, later.token, { after: 'latest' });
          await assertUntold(later, 'events-resync');
          stream.close();
          await ended(later, stream);
          await list(later);
        },
        'a stream after the list': streamedResync(async (open, later) => {
          await list(later, '?pageSize=1');
          await open();
          await list(later, '?pageSize=1&page=2');
        }),
        'a stream and a part of the list': streamedResync(async (open, later) => {
          await open();
          await list(later, '?pageSize=1');
        }),
      },
      remarks: {
        'events that come with the move': /^This cursor had not expired: the events after it came with the move/,
        'no events': /^This cursor had not expired: there is no event after it/,
        'no event yet when a stream opens': /there is no event after it/,
        'no new cursor, only the list': /^You read the claims before you had a new cursor/,
        'a stream that had ended before the list': /^You read the claims before you had a new cursor/,
        'a new cursor: it came with the old one again': /^A cursor that has expired stays so/,
        'not from the new cursor': /^You began at the oldest event again/,
        'the new cursor': /^This cursor has expired\. You have a new cursor/,
        'no list': /without the whole list/,
        'a whole list, and on': /^You read only some of the claims/,
        'what changed since': /^You read only some of the claims/,
        'no cursor that expired': /^Your cursor has not expired: you were away for 6 days\./,
        'no more than seven days': /^Your cursor has not expired: you were away for 7 days\./,
        'the list first, and then a part of it': /^You read only some of the claims since the new cursor/,
        'from the new cursor, but latest': /^You began at latest\. You have a new cursor, from before the list/,
        'the list first': /before you got the new cursor/,
        'the list before the cursor expired': /without the whole list/,
        'a list that was refused': /without the whole list/,
        'another list': /without the whole list/,
        'by policy': /without the whole list/,
        'by status': /without the whole list/,
        'no list, and on': /without the whole list/,
        'not the first page': /without the whole list/,
        'not the last page': /without the whole list/,
        'pages of two sizes': /without the whole list/,
        'the cursor that it had': /^You came back after more than 7 days, but without the cursor/,
        'the cursor that it had, but latest': /^You came back after more than 7 days, but without the cursor/,
      },
      done: {
        'the list first, and then a part of it': 2,
        'from the new cursor, but latest': 3,
        'the new cursor': 3,
        'no list': 2,
        'a whole list, and on': 2,
        'what changed since': 2,
        'no list, and on': 2,
        'not the last page': 2,
        'not the first page': 2,
        'pages of two sizes': 2,
        'by status': 2,
        'by policy': 2,
        'another list': 2,
        'a list that was refused': 2,
        'the list first': 2,
        'the list before the cursor expired': 2,
        'not on': 3,
        'not from the new cursor': 3,
        'on, but refused': 3,
        'no new cursor, only the list': 1,
        'a new cursor: it came with the old one again': 1,
        'a stream that had ended before the list': 2,
        'a stream after the list': 2,
        'a stream and a part of the list': 2,
      },
    },
  },
  { eventsDuplicateRate: 0 },
);
