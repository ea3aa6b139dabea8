import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { day, second } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, sign, type TestClient } from '../../support/lplate.ts';
import { at, clientsOf, dayOf, move } from './clock.ts';

/* Each test moves the clock of one client, and shows that a second one sees none of it. */

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });

  const { two, create, read, now, plate } = clientsOf(() => lplate);

  describe('Policies', () => {
    test('Decisions, policies: a policy begins on the client’s today, and a start is refused by that day', async () => {
      const [ahead, present] = await two();
      await move(lplate, ahead, 'P1M');
      const today = dayOf(Date.parse((await read(ahead, '/range/v1/me/clock')).json.now));
      const { json } = await create(ahead, { regNumber: plate() });
      equal(json.startDate, today);
      equal(json.createdAt, (await read(ahead, '/range/v1/me/clock')).json.now);
      const refused = await create(ahead, { regNumber: plate(), startDate: dayOf(now()) });
      match(refused.json.detail, new RegExp(`from ${today} \\(today`));
      equal((await create(ahead, { regNumber: plate(), startDate: dayOf(now() + 380 * day) })).status, 201);

      equal((await create(present, { regNumber: plate() })).json.startDate, dayOf(now()));
      equal((await create(present, { regNumber: plate(), startDate: dayOf(now()) })).status, 201);
      const form = { regNumber: plate(), startDate: 'tomorrow' };
      match((await create(ahead, form)).json.detail, new RegExp(today), 'an example of a date');
      match((await create(present, form)).json.detail, new RegExp(dayOf(now())));
    });

    test('Decisions, policies: a policy expires after its last day by its client’s clock, in reads, lists, tags and changes', async () => {
      const [ahead, present] = await two();
      const created = await Promise.all(
        [ahead, present].map((client) => create(client, { regNumber: plate(), coverageOption: 'MTPL-1M' })),
      );
      const [mine, other] = created.map(({ json }) => json.id);
      const tag = created[0]?.headers.get('etag');
      await move(lplate, ahead, 'P32D');
      const expired = await read(ahead, `/policies/${mine}`);
      equal(expired.json.status, 'expired');
      notEqual(expired.headers.get('etag') ?? `"2-expired"`, tag);
      equal((await read(ahead, '/policies')).json.items[0].status, 'expired');
      const { token } = ahead;
      deepEqual(problem(await lplate.call('PUT', `/policies/${mine}`, { token, json: { holder: 'A' } })), [
        409,
        'policy-immutable',
      ]);
      deepEqual(problem(await lplate.call('POST', `/policies/${mine}/cancel`, { token })), [409, 'policy-immutable']);
      const changed = await lplate.call('GET', `/policies/${mine}`, { token, headers: { 'If-None-Match': tag ?? '' } });
      equal(changed.status, 200);

      equal((await read(present, `/policies/${other}`)).json.status, 'active');
      const updated = await lplate.call('PUT', `/policies/${other}`, { token: present.token, json: { holder: 'A' } });
      equal(updated.json.status, 'updated');
      equal(updated.json.updatedAt, at(now()));
    });

    test('Endpoints, rule 1: whether another’s policy is in the way is judged by the clock of its owner', async () => {
      const [ahead, present] = await two();
      const [first, second] = [plate(), plate()];
      const lapsed = await create(ahead, { regNumber: first });
      const standing = await create(present, { regNumber: second });
      await move(lplate, ahead, 'P1Y1D');
      const check = async (regNumber: string) => {
        const body = JSON.stringify({ regNumber });
        const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
        return (await lplate.call('POST', '/signed/policy-check', { body, headers })).json.insured;
      };
      equal(await check(first), false, 'it covers no day of its owner any more');
      equal(await check(second), true);
      const taken = await create(ahead, { regNumber: second });
      deepEqual(problem(taken), [409, 'duplicate-policy'], 'for its owner it is in force');
      const insured = await create(present, { regNumber: first });
      equal(insured.status, 201, insured.text);
      equal(insured.json.startDate, dayOf(now()));
      equal((await read(ahead, `/policies/${lapsed.json.id}`)).json.status, 'expired');
      equal((await read(present, `/policies/${standing.json.id}`)).json.status, 'active');
      equal(await check(first), true);
      deepEqual(problem(await create(ahead, { regNumber: first })), [409, 'duplicate-policy']);
    });
  });

  describe('Requests that are repeated', () => {
    test('Decisions, REST conventions: an answer is kept for 24 hours by the clock of its client', async () => {
      const [ahead, present] = await two();
      const keyed = async (client: TestClient) => {
        const json = { regNumber: client.id.slice(0, 20) };
        const { token } = client;
        return lplate.call('POST', '/policies', { token, json, headers: { 'Idempotency-Key': '"k"' } });
      };
      const firsts = [await keyed(ahead), await keyed(present)];
      deepEqual(
        firsts.map(({ status }) => status),
        [201, 201],
      );
      lplate.clock.advance(second);
      await move(lplate, ahead, 'PT23H');
      equal((await keyed(ahead)).text, firsts[0]?.text);
      await move(lplate, ahead, 'PT1H');
      deepEqual(problem(await keyed(ahead)), [409, 'duplicate-policy'], 'it is carried out');
      equal((await keyed(present)).text, firsts[1]?.text);

      // What is kept after the move is kept for as long.
      const after = (client: TestClient, regNumber: string) =>
        lplate.call('POST', '/policies', {
          token: client.token,
          json: { regNumber },
          headers: { 'Idempotency-Key': '"later"' },
        });
      lplate.clock.advance(second);
      const regNumber = plate();
      const kept = await after(ahead, regNumber);
      equal(kept.status, 201);
      lplate.clock.advance(second);
      equal((await after(ahead, regNumber)).text, kept.text);
    });
  });
});
