import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { copiesOf } from '../../src/events/duplicates.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { batch, type ClaimEvent, claimOn, drain, EventStream, insure, pass } from '../support/topic.ts';

const ids = (events: readonly ClaimEvent[]) => events.map(({ eventId }) => eventId);

/** A program, and a client of it with three events of each of so many claims. */
async function published(t: TestContext, engine: Engine, eventsDuplicateRate: number, claims: number) {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate });
  return { lplate, token: await publish(lplate, claims) };
}

async function publish(lplate: LPlate, claims: number): Promise<string> {
  const { token } = await lplate.client();
  const policy = await insure(lplate, token);
  for (let at = 0; at < claims; at += 1) await claimOn(lplate, token, policy, { paceSeconds: 1 + (at % 3) });
  for (let second = 0; second < 9; second += 1) await pass(lplate, 1);
  return token;
}

/** What is delivered of events that were published in this order. */
const delivered = (eventIds: readonly string[], rate: number) =>
  eventIds.flatMap((id) => Array.from({ length: copiesOf(id, rate) }, () => id));

describe('which events come twice', () => {
  const some = Array.from({ length: 20_000 }, () => randomUUID());
  const twice = (rate: number) => some.filter((id) => copiesOf(id, rate) === 2);

  test('Decisions, duplicates: about one in ten at the rate of the default', () => {
    const share = twice(0.1).length / some.length;
    assert(share > 0.08 && share < 0.12, `${share}`);
  });

  test('Decisions, duplicates: none at rate 0, every one at rate 1, and the share is the rate in between', () => {
    assert.equal(twice(0).length, 0);
    assert.equal(twice(1).length, some.length);
    for (const rate of [0.25, 0.5, 0.9]) assert(Math.abs(twice(rate).length / some.length - rate) < 0.04, `${rate}`);
  });

  test('Decisions, duplicates: the id alone decides; who comes twice at one rate does so at any higher one', () => {
    assert.deepEqual(twice(0.3), twice(0.3));
    const more = new Set(twice(0.3));
    assert(twice(0.1).every((id) => more.has(id)));
    for (const end of ['000000000000', '199999999999']) {
      assert.equal(copiesOf(`00000000-0000-4000-8000-${end}`, 0.1), 2, end);
    }
    for (const end of ['19999999999a', 'ffffffffffff']) {
      assert.equal(copiesOf(`00000000-0000-4000-8000-${end}`, 0.1), 1, end);
    }
  });
});

forEachEngineInFull((engine) => {
  test('Events, rule 1: an event can come twice, the same to the last letter, right after itself', async (t) => {
    const { lplate, token } = await published(t, engine, 1, 10);
    const { events } = await drain(lplate, token);
    assert.equal(events.length, 60);
    for (let at = 0; at < events.length; at += 2) assert.deepEqual(events[at], events[at + 1]);
    assert.equal(new Set(ids(events)).size, 30);
    for (const own of Map.groupBy(events, ({ data }) => data.claimId).values()) {
      assert.deepEqual(
        own.map(({ data }) => data.newStatus),
        ['UNDER_REVIEW', 'UNDER_REVIEW', 'APPROVED', 'APPROVED', 'CLOSED', 'CLOSED'],
      );
    }
  });

  test('Decisions, duplicates: each delivery has a cursor of its own, so that a reader may stop between two copies', async (t) => {
    const { lplate, token } = await published(t, engine, 1, 3);
    const { events, next: end } = await drain(lplate, token);
    const cursors = [];
    let next = 'earliest';
    for (const event of events) {
      const one = await batch(lplate, token, `?after=${next}&limit=1`);
      assert.deepEqual(one.events, [event]);
      next = one.next;
      cursors.push(next);
    }
    assert.equal(new Set(cursors).size, events.length);
    for (const [at, cursor] of cursors.entries()) {
      for (const limit of [1, 2, 3, 100]) {
        const rest = await batch(lplate, token, `?after=${cursor}&limit=${limit}`);
        assert.deepEqual(ids(rest.events), ids(events.slice(at + 1, at + 1 + limit)), `${limit} after ${at + 1}`);
      }
    }
    const last = await batch(lplate, token, `?after=${next}`);
    const note = 'There are no events after this cursor yet. earliest reads all that are kept.';
    assert.deepEqual(last, { events: [], next: end, note });
  });

  test('Decisions, duplicates: at rate 0 nothing comes twice', async (t) => {
    const { lplate, token } = await published(t, engine, 0, 40);
    for (const limit of [1, 100]) {
      const { events } = await drain(lplate, token, 'earliest', limit);
      assert.equal(events.length, 120);
      assert.equal(new Set(ids(events)).size, 120);
    }
  });

  test('Decisions, duplicates: at the rate of the default those whose id says so come twice, on every read alike', async (t) => {
    const { lplate, token } = await published(t, engine, 0.1, 60);
    const { events } = await drain(lplate, token, 'earliest', 500);
    const unique = [...new Set(ids(events))];
    assert.equal(unique.length, 180);
    assert.deepEqual(ids(events), delivered(unique, 0.1));
    for (const limit of [1, 2, 7, 100]) {
      const again = await drain(lplate, token, 'earliest', limit);
      assert.deepEqual(ids(again.events), ids(events), `in batches of ${limit}`);
    }
    const stream = await EventStream.open(lplate.url, token);
    t.after(() => stream.close());
    await stream.until(() => stream.received.length >= events.length);
    assert.deepEqual(ids(stream.received.map(({ event }) => event)), ids(events), 'as a stream');
    assert.equal(new Set(stream.received.map(({ id }) => id)).size, events.length);
  });

  test('Decisions, duplicates: a restart, and one with another rate, changes no event and no cursor', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const first = await start({ eventsDuplicateRate: 0.3 }, clock);
    t.after(() => first.close());
    const token = await publish(first, 20);
    const before = await drain(first, token);
    const unique = [...new Set(ids(before.events))];
    const half = await batch(first, token, '?limit=30');
    await first.close();
    for (const rate of [0.3, 1, 0]) {
      const again = await start({ eventsDuplicateRate: rate }, clock);
      t.after(() => again.close());
      assert.deepEqual(ids((await drain(again, token)).events), delivered(unique, rate));
      const rest = await drain(again, token, half.next);
      const known = new Set([...ids(half.events), ...ids(rest.events)]);
      assert.equal(known.size, unique.length, 'nothing is lost');
      if (rate === 0.3) assert.deepEqual([...half.events, ...rest.events], before.events);
      await again.close();
    }
  });
});

onPostgres((engine) => {
  test('Decisions, duplicates: every node delivers the same events twice, and takes the cursors of the others', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const nodes = [await start({ eventsDuplicateRate: 0.5 }, clock), await start({ eventsDuplicateRate: 0.5 }, clock)];
    for (const node of nodes) t.after(() => node.close());
    const [one, other] = nodes as [LPlate, LPlate];
    const token = await publish(one, 20);
    const { events } = await drain(one, token);
    assert(events.length > 60 && events.length < 120);
    assert.deepEqual((await drain(other, token)).events, events);
    const seen: ClaimEvent[] = [];
    let next = 'earliest';
    for (let turn = 0; seen.length < events.length; turn += 1) {
      const read = await batch(nodes[turn % 2] as LPlate, token, `?after=${next}&limit=3`);
      seen.push(...read.events);
      next = read.next;
    }
    assert.deepEqual(ids(seen), ids(events));
  });
});
