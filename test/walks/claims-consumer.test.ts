import assert from 'node:assert/strict';
import { open, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { TestClock } from '../support/clock.ts';
import { consumerFolder, gateway, listed, type ProxiedCall, soon } from '../support/consumer.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate, startWithClient, testSecrets } from '../support/lplate.ts';
import { type ClaimEvent, claimOn, drain, insure, pass } from '../support/topic.ts';

/** As the consumer tells a change. */
function line({ data: { claimId, previousStatus, newStatus, statusReason } }: ClaimEvent): string {
  return `${claimId}: ${previousStatus} -> ${newStatus}${statusReason === null ? '' : ` (${statusReason})`}`;
}

const week = 7 * 24 * 60 * 60;

onSqlite((engine) => {
  describe('examples/claims-consumer.ts', () => {
    test('Events, rules 1 and 2: when every event comes twice, each change is told once, per claim in order', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 1 });
      const place = await consumerFolder(engine, client);
      const consumer = place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      const policy = await insure(lplate, client.token);
      for (const outcome of ['APPROVED', 'REJECTED', 'APPROVED'] as const)
        await claimOn(lplate, client.token, policy, { outcome, paceSeconds: 1 });
      for (let move = 1; move <= 3; move += 1) await pass(lplate, 1);
      const { events } = await drain(lplate, client.token);
      assert.equal(events.length, 18);
      await soon('all is told', () => consumer.told().length >= 9);
      await soon('all is saved', async () =>
        isDeepStrictEqual((await place.state())?.claims, await listed(lplate, client.token)),
      );
      assert.deepEqual(consumer.told(), [...new Set(events.map(line))]);
      assert.equal(consumer.stderr(), '');
    });

    test('Events, rule 1: killed at any moment it goes on where it was: no change is lost, and what was saved is not told again', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 1 });
      const place = await consumerFolder(engine, client);
      const first = place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      await first.kill();
      const policy = await insure(lplate, client.token);
      for (let claim = 1; claim <= 80; claim += 1) await claimOn(lplate, client.token, policy, { paceSeconds: 1 });

      const told = new Set<string>();
      for (let round = 1; round <= 4; round += 1) {
        if (round < 4) await pass(lplate, 1);
        const { processed = {} } = (await place.state()) ?? {};
        const { events } = await drain(lplate, client.token);
        const saved = new Set(events.filter(({ eventId }) => eventId in processed).map(line));
        const consumer = place.start(t, lplate.url);
        // It says the lines of a batch, then saves the state.
        if (round < 4) await consumer.speaks;
        else await soon('the rest is told', () => new Set([...told, ...consumer.told()]).size === 240);
        await consumer.kill();
        const lately = consumer.told();
        assert.equal(new Set(lately).size, lately.length);
        for (const each of lately) {
          assert(!saved.has(each), each);
          told.add(each);
        }
      }
      const { events } = await drain(lplate, client.token);
      assert.deepEqual([...told].toSorted(), [...new Set(events.map(line))].toSorted());
    });

    test('Events, rule 1: an event that comes back later is not told again, and its id is kept as long as it can', async (t) => {
      const { lplate, client } = await startWithClient(t, engine);
      const place = await consumerFolder(engine, client);
      const first = place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      const before = await place.state();
      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 1 });
      await pass(lplate, 3);
      await soon('it is told', async () => (await place.state())?.claims[claim]?.status === 'CLOSED');
      await first.kill();

      const known = await place.state();
      assert(before && known);
      const old = { 'of-last-week': Date.now() - (week + 1) * 1000, 'of-this-week': Date.now() - (week - 60) * 1000 };
      const rewound = { ...known, cursor: before.cursor, processed: { ...known.processed, ...old } };
      await writeFile(place.file, JSON.stringify(rewound));
      const second = place.start(t, lplate.url);
      await soon('it has read all', async () => (await place.state())?.cursor === known.cursor);
      const kept = Object.keys((await place.state())?.processed ?? {});
      assert.deepEqual(kept.toSorted(), [...Object.keys(known.processed), 'of-this-week'].toSorted());
      assert.deepEqual(second.told(), []);
    });

    test('Events, rule 1: its state is replaced and never overwritten, so that no crash leaves half of it', async (t) => {
      const { lplate, client } = await startWithClient(t, engine);
      const place = await consumerFolder(engine, client);
      place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      const held = await open(place.file);
      t.after(() => held.close());
      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 1 });
      await pass(lplate, 1);
      await soon('it saved again', async () => (await place.state())?.claims[claim] !== undefined);
      assert.deepEqual(JSON.parse(await held.readFile('utf8')).claims, {});
    });

    test('Decisions, REST conventions: it reads all pages of the claims list', async (t) => {
      const { lplate, client } = await startWithClient(t, engine);
      const policy = await insure(lplate, client.token);
      const claims = await Promise.all(Array.from({ length: 501 }, () => claimOn(lplate, client.token, policy)));
      const place = await consumerFolder(engine, client);
      place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      assert.deepEqual(Object.keys((await place.state())?.claims ?? {}).toSorted(), claims.toSorted());
    });

    test('Events, rule 3: after more than 7 days away its picture is that of the claims list, also of claims that change while it reads', async (t) => {
      const lplate = await startLPlate(t, engine);
      const secret = testSecrets.fleetClientSecret;
      const fleet = await consumerFolder(engine, { id: 'preset-fleet', secret });
      const early = fleet.start(t, lplate.url);
      await soon('it follows', async () => (await fleet.state()) !== undefined);
      await early.kill();
      const before = await fleet.state();
      await pass(lplate, 60);
      await pass(lplate, week);
      const token = () => lplate.token('preset-fleet', secret);
      assert.notDeepEqual(before?.claims, await listed(lplate, await token()));

      const passages: ProxiedCall[] = [];
      const url = await gateway(t, lplate, async (passage) => {
        passages.push(passage);
        // Between the list and whatever is asked next, claims move on.
        if (passage.path.startsWith('/claims/v1/claims?')) await pass(lplate, 60);
      });
      const late = fleet.start(t, url);
      const current = async () => isDeepStrictEqual((await fleet.state())?.claims, await listed(lplate, await token()));
      await soon('its picture is that of the list', current);
      assert.equal(passages.filter(({ status }) => status === 410).length, 1);
      await pass(lplate, 60);
      await soon('it follows on', current);
      assert.equal(late.stderr(), '');
    });

    test('Events, rule 3: a list that is ahead of the first events is not set back by them', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 0 });
      const policy = await insure(lplate, client.token);
      for (let claim = 1; claim <= 60; claim += 1) await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      const place = await consumerFolder(engine, client);
      // The cursor is taken, then each claim moves twice, then the list is read: two batches tell what it told already.
      const held = Promise.withResolvers<void>();
      let batches = 0;
      const url = await gateway(t, lplate, async ({ path }) => {
        if (path.endsWith('after=latest')) for (let move = 1; move <= 2; move += 1) await pass(lplate, 1);
        else if (path.includes('/topics/')) batches += 1;
        if (batches === 2) await held.promise;
      });
      const consumer = place.start(t, url);
      await soon('the second batch is asked for', () => batches === 2);
      assert.equal(consumer.told().length, 100);
      assert.deepEqual((await place.state())?.claims, await listed(lplate, client.token));
      held.resolve();
      await soon('the second batch is told', () => consumer.told().length === 120);
    });

    test('Authentication, 1: when its token has expired it gets one other, and misses nothing', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 0 });
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1800 });
      const place = await consumerFolder(engine, client);
      const passages: ProxiedCall[] = [];
      const consumer = place.start(t, await gateway(t, lplate, (passage) => passages.push(passage)));
      await soon('it follows', async () => (await place.state()) !== undefined);
      for (let move = 1; move <= 3; move += 1) {
        await pass(lplate, 1800);
        await soon(`move ${move} is told`, () => consumer.told().length === move);
      }
      await soon(
        'it asked for a token',
        () => passages.filter(({ path }) => path.endsWith('/auth/token')).length === 2,
      );
      assert.equal(passages.filter(({ status }) => status === 401).length, 1);
      assert.equal(consumer.stderr(), '');
    });

    test('Limits: refused for asking too often, it waits as long as it is told, then goes on', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { rateLimitPerMinute: 3, rateLimitKey: 'client' });
      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 60 });
      const place = await consumerFolder(engine, client);
      await pass(lplate, 63);
      const consumer = place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      await pass(lplate, 57);
      await soon('it asked too often', () => consumer.stderr().startsWith('429; asking again in 3 s\n'));
      await pass(lplate, 60);
      await soon('it went on', async () => (await place.state())?.claims[claim]?.status === 'CLOSED');
    });

    test('Events, rule 1: it outlives restarts of the server', async (t) => {
      const clock = new TestClock();
      const location = await engine.location();
      const settled = { ...engine, location: async () => location };
      let lplate = await startLPlate(settled, {}, clock);
      t.after(() => lplate.close());
      const { port, publicUrl } = lplate.config;
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      const place = await consumerFolder(engine, client);
      const consumer = place.start(t, lplate.url);
      await soon('it follows', async () => (await place.state()) !== undefined);
      const claim = await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      for (const status of ['UNDER_REVIEW', 'APPROVED', 'CLOSED']) {
        await lplate.close();
        lplate = await startLPlate(settled, { port, publicUrl }, clock);
        await pass(lplate, 1);
        await soon(status, async () => (await place.state())?.claims[claim]?.status === status);
      }
      await soon('it told of each', () => consumer.told().length >= 3);
      assert.equal(consumer.told().length, 3);
    });

    test('Authentication, 9: credentials that are refused end it with one line and code 1', async (t) => {
      const lplate = await startLPlate(t, engine);
      const place = await consumerFolder(engine, { id: 'preset-fleet', secret: 'guessed' });
      const consumer = place.start(t, lplate.url);
      assert.equal(await consumer.exit, 1);
      assert.match(consumer.stderr(), /^401: [^\n]+\n$/);
    });
  });
});
