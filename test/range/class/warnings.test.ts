import { deepEqual, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { minute } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { subscribed } from '../../support/receiver.ts';
import { trainerToken } from '../range.ts';

const me = '/range/v1/me';
const policies = '/insurer/v1/policies';

interface Warning {
  kind: string;
  detail: string;
}

forEachEngineInFull((engine) => {
  const start = (t: TestContext) => startLPlate(t, engine, { trustProxy: 1 });

  /** A client, and what is called with it from an address. */
  async function learner(lplate: LPlate, from: string, nickname?: string) {
    const headers = { 'X-Forwarded-For': from };
    const made = await lplate.call('POST', '/insurer/v1/demo-clients', { headers });
    const { json } = await lplate.call('POST', '/insurer/v1/auth/token', { json: made.json, headers });
    const client = { id: made.json.client_id as string, token: json.access_token as string };
    if (nickname) await lplate.call('PATCH', me, { token: client.token, json: { nickname }, headers });
    return client;
  }

  type Made = Pick<TestClient, 'id' | 'token'>;

  /** What the client itself is told, and then the trainer in the list: kinds, which are the same, and both texts. */
  async function warningsOf(lplate: LPlate, { id, token }: Made, from: string, more: Record<string, string> = {}) {
    const headers = { 'X-Forwarded-For': from, ...more };
    const own: Warning[] = (await lplate.call('GET', me, { token, headers })).json.warnings;
    const list = await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
    const listed: Warning[] = list.json.items.find(({ clientId }: { clientId: string }) => clientId === id).warnings;
    const page = await lplate.call('GET', `/range/v1/trainer/learners/${id}`, { token: trainerToken });
    deepEqual(page.json.warnings, listed);
    const kinds = own.map(({ kind }) => kind);
    deepEqual(
      kinds,
      listed.map(({ kind }) => kind),
    );
    return {
      kinds,
      own: own.map(({ detail }) => detail).join(' '),
      listed: listed.map(({ detail }) => detail).join(' '),
    };
  }

  test('Decisions, classes: who uses a second client from one address is told, and the trainer sees both, for fifteen minutes', async (t) => {
    const lplate = await start(t);
    const [one, other] = [await learner(lplate, '192.0.2.1', 'Ada'), await learner(lplate, '192.0.2.2')];
    deepEqual((await warningsOf(lplate, one, '192.0.2.1')).kinds, []);
    await lplate.call('GET', policies, { token: other.token, headers: { 'X-Forwarded-For': '192.0.2.1' } });
    const [first, second] = [await warningsOf(lplate, one, '192.0.2.1'), await warningsOf(lplate, other, '192.0.2.2')];
    deepEqual([first.kinds, second.kinds], [['two-clients'], ['two-clients']]);
    ok(first.own.startsWith(`${other.id} is used from your address, too.`), first.own);
    match(second.listed, /^Ada is used from the same address: one learner may be using two clients/);
    lplate.clock.advance(15 * minute + 1);
    deepEqual((await warningsOf(lplate, one, '192.0.2.1')).kinds, []);
  });

  test('Decisions, classes: a class behind one address, and clients that all may use, are no second client', async (t) => {
    const lplate = await start(t);
    const own = await learner(lplate, '192.0.2.9');
    const fleet = await lplate.token('preset-fleet', lplate.config.fleetClientSecret as string);
    await lplate.call('GET', policies, { token: fleet, headers: { 'X-Forwarded-For': '192.0.2.9' } });
    deepEqual((await warningsOf(lplate, own, '192.0.2.9')).kinds, []);
    const room = '192.0.2.1';
    const learners = [];
    for (let count = 0; count < 4; count += 1) learners.push(await learner(lplate, room));
    await lplate.call('GET', '/insurer/v1/coverage-options', { headers: { 'X-Forwarded-For': room } });
    // By the next call of each it is known that there are more than three.
    for (const each of learners)
      await lplate.call('GET', me, { token: each.token, headers: { 'X-Forwarded-For': room } });
    const list = await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
    deepEqual(
      list.json.items.flatMap(({ warnings }: { warnings: Warning[] }) => warnings),
      [],
    );
    // Whose it may be is still told.
    const { json } = await lplate.call('GET', me, {
      token: learners[0]?.token ?? '',
      headers: { 'X-Forwarded-For': room },
    });
    deepEqual([json.warnings.map(({ kind }: Warning) => kind), json.unattributed.length], [['unattributed'], 1]);
    const lesson = await lplate.call('GET', `${me}/lessons/no-header`, {
      token: learners[0]?.token ?? '',
      headers: { 'X-Forwarded-For': room },
    });
    deepEqual(lesson.json.unattributed, json.unattributed);
  });

  test('Decisions, classes: learners who go by different names are not one with two clients, wherever they call from', async (t) => {
    const lplate = await start(t);
    const room = '192.0.2.1';
    const [one, other] = [await learner(lplate, room, 'Ada'), await learner(lplate, room, 'Bob')];
    for (const each of [one, other, one])
      await lplate.call('GET', policies, { token: each.token, headers: { 'X-Forwarded-For': room } });
    for (const each of [one, other]) deepEqual((await warningsOf(lplate, each, room)).kinds, []);
    const headers = { 'X-Forwarded-For': room };
    await lplate.call('PATCH', me, { token: other.token, json: { nickname: null }, headers });
    for (const each of [one, other]) deepEqual((await warningsOf(lplate, each, room)).kinds, ['two-clients']);
  });

  test('Decisions, classes: a removed client is named to nobody any more, and two of one nickname are told', async (t) => {
    const lplate = await start(t);
    const [one, other] = [await learner(lplate, '192.0.2.1', 'Ada'), await learner(lplate, '192.0.2.1', 'Ada')];
    const both = await warningsOf(lplate, one, '192.0.2.1');
    deepEqual(both.kinds, ['two-clients', 'same-nickname']);
    match(both.own, /Another client has your nickname\./);
    deepEqual((await warningsOf(lplate, other, '192.0.2.1')).kinds, ['two-clients', 'same-nickname']);
    await lplate.call('DELETE', `/range/v1/trainer/learners/${other.id}`, { token: trainerToken });
    deepEqual((await warningsOf(lplate, one, '192.0.2.1')).kinds, []);
  });

  test('Decisions, classes: calls that count for nobody are told to who is at their address', async (t) => {
    const lplate = await start(t);
    const [one, elsewhere] = [await learner(lplate, '192.0.2.1'), await learner(lplate, '192.0.2.2')];
    await lplate.call('GET', policies, { headers: { 'X-Forwarded-For': '192.0.2.3' } });
    // What came before anybody was there is not told to who comes.
    const later = await learner(lplate, '192.0.2.3');
    deepEqual((await warningsOf(lplate, later, '192.0.2.3')).kinds, []);
    // Of one client alone it would be that client's.
    await lplate.call('GET', policies, { token: later.token, headers: { 'X-Forwarded-For': '192.0.2.1' } });
    await lplate.call('GET', policies, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
    const { kinds, own, listed } = await warningsOf(lplate, one, '192.0.2.1');
    deepEqual(kinds, ['two-clients', 'unattributed']);
    ok(own.includes(`Begin its path with /for/${one.id}, and it counts as yours.`), own);
    ok(listed.includes(`With /for/${one.id} before their paths they count for it.`), listed);
    deepEqual((await warningsOf(lplate, elsewhere, '192.0.2.2')).kinds, []);
    lplate.clock.advance(15 * minute + 1);
    deepEqual((await warningsOf(lplate, one, '192.0.2.1')).kinds, []);
  });

  test('Decisions, classes: a clock that is wrong by two minutes or more is told, of the console’s computer and of where a program runs', async (t) => {
    const lplate = await start(t);
    const one = await learner(lplate, '192.0.2.1');
    const console = (off: number) => ({ 'L-Plate-Console': new Date(lplate.clock.now() + off).toISOString() });
    const told = (off: number) => warningsOf(lplate, one, '192.0.2.1', console(off));
    deepEqual((await told(-minute)).kinds, []);
    deepEqual((await warningsOf(lplate, one, '192.0.2.1', { 'L-Plate-Console': '1' })).kinds, []);
    const { kinds, own, listed } = await told(-12 * minute);
    deepEqual(kinds, ['clock']);
    match(own, /^The clock of the computer with your console is 12 minutes behind\. /);
    match(listed, /^The clock of the computer with its console is 12 minutes behind\. /);
    match((await told(50 * 60 * minute)).own, /2 days ahead/);
    deepEqual((await told(1000)).kinds, []);
    const call = (at: number) =>
      lplate.call('GET', policies, {
        token: one.token,
        headers: { 'X-Forwarded-For': '192.0.2.1', Date: new Date(at).toUTCString() },
      });
    await call(lplate.clock.now() - 3 * 60 * minute);
    match((await told(0)).own, /^The clock where your program runs, by the Date that it sent, is 3 hours behind\. /);
    // Whoever has only the prefix says nothing of the learner.
    const headers = { 'X-Forwarded-For': '192.0.2.1', Date: new Date(0).toUTCString() };
    await lplate.call('GET', `/for/${one.id}${policies}`, { headers });
    match((await told(0)).own, /3 hours behind/);
    await call(lplate.clock.now());
    deepEqual((await told(0)).kinds, []);
    for (const value of ['nonsense', '2026-99-99T00:00:00Z']) {
      deepEqual((await warningsOf(lplate, one, '192.0.2.1', { 'L-Plate-Console': value })).kinds, []);
    }
  });

  test('Decisions, classes: the answer of a webhook’s receiver tells the clock where it runs', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    await subscriber.claim();
    await subscriber.pass(1000);
    ok(receiver.calls.length > 0);
    const one = subscriber.client;
    // The receiver lives in the time of this machine, the service in that of the test.
    match((await warningsOf(lplate, one, '192.0.2.1')).own, /^The clock where your program runs.* days ahead/);
  });
});
