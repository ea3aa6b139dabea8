import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { instant } from '../../src/time/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { type ClaimEvent, insure, pass } from '../support/topic.ts';
import { longTimeout } from './listener.ts';
import { type Tally, TopicReader } from './topic-reader.ts';

const seed = chooseSeed();

/*
 * Whatever claims do and readers do, each reader ends up with the topic as it is: every event of its own policies, per
 * claim in order, duplicates in a row.
 */

/** Sequences for each rate of duplicates. */
const runs = extent(3, 12);

const clients = 3;
const readersOfEach = 2;

type Outcome = 'APPROVED' | 'REJECTED';

/** What one step does; the acts of a step are done at once. */
type Act =
  | { do: 'register'; client: number; outcome: Outcome; paceSeconds: number }
  | { do: 'pass'; seconds: number }
  | { do: 'read a batch'; reader: number; limit: number }
  | { do: 'start a long poll'; reader: number; limit: number }
  | { do: 'open a stream' | 'stop' | 'save'; reader: number }
  | { do: 'crash'; reader: number; percent: number };

const reader = fc.nat(clients * readersOfEach - 1);
const limit = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 6 }), fc.constant(500));
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      client: fc.nat(clients - 1),
      outcome: fc.constantFrom<Outcome>('APPROVED', 'REJECTED'),
      paceSeconds: fc.integer({ min: 1, max: 30 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read a batch' as const), reader, limit }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('start a long poll' as const), reader, limit }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('open a stream' as const), reader }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'save' as const), reader }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('crash' as const), reader, percent: fc.integer({ min: 0, max: 100 }) }),
  },
);
const steps = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40, size: 'max' });
const lastLimits = fc.array(limit, { minLength: clients * readersOfEach, maxLength: clients * readersOfEach });

/** One client with its policies, the changes that its claims are to make, and its readers. */
interface Party {
  readonly client: TestClient;
  readonly policies: string[];
  readonly expected: Map<string, unknown[]>;
  readonly readers: TopicReader[];
}

async function arrive(lplate: LPlate, tally: Tally): Promise<Party> {
  const client = await lplate.client();
  const policies = [await insure(lplate, client.token), await insure(lplate, client.token)];
  const readers = Array.from({ length: readersOfEach }, () => new TopicReader(lplate, client.token, tally));
  return { client, policies, expected: new Map(), readers };
}

async function register(
  lplate: LPlate,
  { client, policies, expected }: Party,
  wish: { outcome: Outcome; paceSeconds: number },
): Promise<void> {
  const policyNumber = policies[expected.size % policies.length] as string;
  const json = { policyNumber, ...wish };
  const answer = await lplate.call('POST', '/claims/v1/claims', { token: client.token, json });
  assert.equal(answer.status, 201, answer.text);
  const { claimId, registeredAt } = answer.json;
  const life = ['REGISTERED', 'UNDER_REVIEW', wish.outcome, 'CLOSED'];
  const changes = life.slice(1).map((newStatus, at) => ({
    policyNumber,
    previousStatus: life[at],
    newStatus,
    occurredAt: instant(Date.parse(registeredAt) + (at + 1) * wish.paceSeconds * 1000),
  }));
  expected.set(claimId, changes);
}

async function perform(lplate: LPlate, parties: readonly Party[], what: Act): Promise<void> {
  if (what.do === 'register') return register(lplate, parties[what.client] as Party, wishOf(what));
  if (what.do === 'pass') return pass(lplate, what.seconds);
  const party = parties[Math.floor(what.reader / readersOfEach)] as Party;
  const who = party.readers[what.reader % readersOfEach] as TopicReader;
  if (what.do === 'read a batch') await who.readBatch(what.limit);
  else if (what.do === 'start a long poll') await who.startPoll(what.limit);
  else if (what.do === 'open a stream') await who.openStream();
  else if (what.do === 'crash') await who.crash(what.percent / 100);
  else await who[what.do]();
}

const wishOf = ({ outcome, paceSeconds }: { outcome: Outcome; paceSeconds: number }) => ({ outcome, paceSeconds });

/** Each event once, in order; it fails when a duplicate does not follow its original, or comes too often. */
function withoutDuplicates(deliveries: readonly ClaimEvent[], rate: number): ClaimEvent[] {
  const events = deliveries.filter(({ eventId }, at) => eventId !== deliveries[at - 1]?.eventId);
  assert.equal(new Set(events.map(({ eventId }) => eventId)).size, events.length, 'an event comes apart from itself');
  for (const event of events) {
    const same = deliveries.filter(({ eventId }) => eventId === event.eventId);
    assert.ok(rate === 1 ? same.length === 2 : same.length <= 2, `an event comes ${same.length} times`);
    for (const copy of same) assert.deepEqual(copy, event);
  }
  return events;
}

function byClaim(events: readonly ClaimEvent[]): Map<string, unknown[]> {
  const claims = new Map<string, unknown[]>();
  for (const { occurredAt, data } of events) {
    const { claimId, policyNumber, previousStatus, newStatus } = data;
    claims.set(claimId, [...(claims.get(claimId) ?? []), { policyNumber, previousStatus, newStatus, occurredAt }]);
  }
  return claims;
}

const ids = (deliveries: readonly ClaimEvent[]) => deliveries.map(({ eventId }) => eventId);

async function run(engine: Engine, rate: number, tally: Tally): Promise<void> {
  const lplate = await startLPlate(engine, { eventsDuplicateRate: rate });
  const property = fc.asyncProperty(steps, lastLimits, async (sequence, limits) => {
    const parties = await Promise.all(Array.from({ length: clients }, () => arrive(lplate, tally)));
    try {
      for (const acts of sequence) await Promise.all(acts.map((what) => perform(lplate, parties, what)));
      await pass(lplate, 3 * 30);
      for (const [at, { client, expected, readers }] of parties.entries()) {
        const all = new TopicReader(lplate, client.token, new Map());
        await all.finish(0, 500);
        assert.deepEqual(byClaim(withoutDuplicates(all.deliveries, rate)), expected);
        for (const [number, each] of readers.entries()) {
          await each.finish(all.length, limits[at * readersOfEach + number] as number);
          assert.deepEqual(ids(each.deliveries), ids(all.deliveries));
        }
      }
    } finally {
      for (const { readers } of parties) for (const each of readers) await each.stop();
    }
  });
  try {
    // Whatever fails is made shorter for a while, and printed with its seed.
    await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 250_000, markInterruptAsFailure: true });
  } finally {
    await lplate.close();
  }
}

forEachEngineInFull((engine) => {
  test(
    'Events, rules 1 and 2: whatever claims do and readers do, each reader has every event of its policies, in order',
    longTimeout,
    async (t) => {
      console.log(`FUZZ_SEED=${seed} (${engine.name})`);
      const tally: Tally = new Map();
      for (const rate of [0.1, 0.5, 1]) await run(engine, rate, tally);
      t.diagnostic([...tally].map(([what, events]) => `${what}: ${events} events`).join(', '));
      const ways = ['batch', 'batch of one', 'long poll', 'long poll that waited', 'stream', 'resumed stream'];
      for (const corner of [...ways, 'lost in a crash']) {
        assert.ok(tally.has(corner), `no sequence reached "${corner}"`);
      }
    },
  );
});
