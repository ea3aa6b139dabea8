import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { day, hour, minute, second } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { subscribed, until } from '../../support/receiver.ts';
import { batch, claimOn, drain, EventStream, insure, pass, topicPath } from '../../support/topic.ts';
import { at, clientsOf, move } from './clock.ts';

/* Each test moves the clock of one client, and shows that a second one sees none of it. */

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });

  const { two, read, now } = clientsOf(() => lplate);

  describe('Claims and events', () => {
    test('Decisions, claims: claims that are skipped move at the times at which they were due, in order; others stay', async () => {
      const [ahead, present] = await two();
      const [mine, other] = [
        await claimOn(lplate, ahead.token, await insure(lplate, ahead.token), { paceSeconds: 600 }),
        await claimOn(lplate, present.token, await insure(lplate, present.token), { paceSeconds: 600 }),
      ];
      const registered = now();
      await move(lplate, ahead, 'PT15M');
      await lplate.catchUp();
      const under = (await read(ahead, `/claims/v1/claims/${mine}`)).json;
      deepEqual([under.status, under.updatedAt], ['UNDER_REVIEW', at(registered + 10 * minute)]);
      // Half of the way was skipped, the rest passes.
      await pass(lplate, 299);
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'UNDER_REVIEW');
      await pass(lplate, 1);
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'APPROVED');
      await move(lplate, ahead, 'P1D');
      await lplate.catchUp();
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'CLOSED');
      const { events } = await drain(lplate, ahead.token);
      deepEqual(
        events.map(({ data, occurredAt }) => [data.newStatus, occurredAt]),
        [
          ['UNDER_REVIEW', at(registered + 10 * minute)],
          ['APPROVED', at(registered + 20 * minute)],
          ['CLOSED', at(registered + 30 * minute)],
        ],
      );
      equal((await read(present, `/claims/v1/claims/${other}`)).json.status, 'REGISTERED');
      await pass(lplate, 300);
      const { json } = await read(present, `/claims/v1/claims/${other}`);
      deepEqual([json.status, json.updatedAt], ['UNDER_REVIEW', at(registered + 10 * minute)]);
    });

    test('Decisions, claims: one jump makes several moves, and a claim that is registered after it has its pace', async () => {
      const [ahead] = await two();
      const policy = await insure(lplate, ahead.token);
      const first = await claimOn(lplate, ahead.token, policy, { paceSeconds: 60 });
      await move(lplate, ahead, 'P1Y');
      await lplate.catchUp();
      equal((await read(ahead, `/claims/v1/claims/${first}`)).json.status, 'CLOSED');
      const registered = Date.parse((await read(ahead, '/range/v1/me/clock')).json.now);
      const second = await claimOn(lplate, ahead.token, policy, { paceSeconds: 60 });
      match(second, new RegExp(`^CLM-${at(registered).slice(0, 4)}-`), 'the year of its client');
      equal((await read(ahead, `/claims/v1/claims/${second}`)).json.registeredAt, at(registered));
      await pass(lplate, 59);
      equal((await read(ahead, `/claims/v1/claims/${second}`)).json.status, 'REGISTERED');
      await pass(lplate, 1);
      const { json } = await read(ahead, `/claims/v1/claims/${second}`);
      deepEqual([json.status, json.updatedAt], ['UNDER_REVIEW', at(registered + minute)]);
    });

    test('Events, rule 3: events are kept for seven days by the clock of the client that reads them', async () => {
      const [ahead, present] = await two();
      const starts = await Promise.all([ahead, present].map(({ token }) => batch(lplate, token, '?after=latest')));
      for (const { token } of [ahead, present]) {
        await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      }
      await pass(lplate, 3);
      const readAfter = (client: TestClient, cursor = '') => read(client, `${topicPath}?after=${cursor}`);
      lplate.clock.advance(second);
      await move(lplate, ahead, 'P6DT23H');
      equal((await readAfter(ahead, starts[0]?.next)).json.events.length, 3);
      await move(lplate, ahead, 'PT1H');
      const gone = await readAfter(ahead, starts[0]?.next);
      deepEqual(problem(gone), [410, 'cursor-expired']);
      deepEqual((await drain(lplate, ahead.token)).events, []);
      equal((await readAfter(present, starts[1]?.next)).json.events.length, 3);

      // What comes then is kept.
      lplate.clock.advance(second);
      const { next } = await batch(lplate, ahead.token, '?after=latest');
      await claimOn(lplate, ahead.token, await insure(lplate, ahead.token), { paceSeconds: 1 });
      await pass(lplate, 3);
      equal((await readAfter(ahead, next)).json.events.length, 3);
      await lplate.housekeeping();
      equal((await readAfter(ahead, next)).json.events.length, 3);
      equal((await readAfter(present, starts[1]?.next)).json.events.length, 3);
    });

    test('Decisions, tokens: a stream goes on across a move, and ends if its token expires by it', async (t) => {
      const [ahead, present] = await two();
      const streams = [];
      for (const { token } of [ahead, present]) {
        const stream = await EventStream.open(lplate.url, token, { after: 'latest' });
        t.after(() => stream.close());
        streams.push(stream);
      }
      const [mine, other] = streams as [EventStream, EventStream];
      const policy = await insure(lplate, ahead.token);
      await claimOn(lplate, ahead.token, policy, { paceSeconds: 600 });
      const { token } = ahead;
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT10M' } });
      await lplate.catchUp();
      await mine.until(() => mine.received.length > 0);
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT50M' } });
      await mine.end();
      ok(!other.ended);
    });
  });

  describe('What is kept', () => {
    test('Decisions, the range: what passed retention by its client’s clock is removed, and takes none of its bytes', async () => {
      const small = await startLPlate(engine, { storedBytesPerClient: 2500, eventsDuplicateRate: 0 });
      try {
        const [ahead, present] = [await small.client(), await small.client()];
        const claim = ({ token }: TestClient, policyNumber: string) =>
          small.call('POST', '/claims/v1/claims', { token, json: { policyNumber, paceSeconds: 1 } });
        const policies = [await insure(small, ahead.token), await insure(small, present.token)] as const;
        for (const [client, policy] of [
          [ahead, policies[0]],
          [present, policies[1]],
        ] as const) {
          while ((await claim(client, policy)).status === 201) await pass(small, 3);
          deepEqual(problem(await claim(client, policy)), [429, 'quota-exceeded']);
        }
        await move(small, ahead, 'P8D');
        await small.housekeeping();
        equal((await claim(ahead, policies[0])).status, 201);
        deepEqual(problem(await claim(present, policies[1])), [429, 'quota-exceeded']);
      } finally {
        await small.close();
      }
    });

    test('Decisions, starts and stops: what lies ahead since its client’s clock does is not taken for a step of the system’s clock', async (t) => {
      const { subscriber } = await subscribed(t, lplate);
      await move(lplate, { ...subscriber.client }, 'P3D');
      await subscriber.call('POST', '/test');
      await lplate.catchUp();
      await until(async () => (await subscriber.log())[0]?.status === 'delivered', 'it is delivered');
      const [before] = await subscriber.log();
      equal(before?.createdAt, at(now() + 3 * day));
      await lplate.housekeeping();
      for (let half = 0; half < 3; half += 1) {
        lplate.clock.advance(12 * hour);
        equal((await subscriber.call('GET')).status, 200);
      }
      await lplate.housekeeping();
      deepEqual(await subscriber.log(), [before]);
    });
  });
});
