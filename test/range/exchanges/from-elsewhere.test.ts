import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngineInFull } from '../../support/engines.ts';
import { sign, startLPlate } from '../../support/lplate.ts';
import { idOf, listed, logOf, trainerToken } from '../range.ts';

forEachEngineInFull((engine) => {
  test('Decisions, the range: what a stranger sends in the name of a client counts apart, wherever it is told, and solves nothing', async (t) => {
    const location = await engine.location({ migrated: true });
    const same = { ...engine, location: async () => location };
    const before = await startLPlate(t, same, { trustProxy: 1 });
    const at = (address: string) => ({ 'X-Forwarded-For': address });
    const home = at('192.0.2.1');
    const typed = { 'Content-Type': 'application/json' };
    const { json: made } = await before.call('POST', '/demo-clients', { headers: home });
    const [id, secret] = [made.client_id as string, made.client_secret as string];
    const token = (
      await before.call('POST', '/auth/token', { headers: home, json: { client_id: id, client_secret: secret } })
    ).json.access_token as string;
    await before.call('GET', '/policies', { token, headers: home });
    await before.call('GET', '/policies/none', { token, headers: home });
    await before.close();
    // Another process knows from the log where the client was used.
    const lplate = await startLPlate(t, same, { trustProxy: 1 }, before.clock);
    const learner = async () => {
      await listed(lplate, '/range/v1/trainer/learners', trainerToken);
      return (await lplate.call('GET', `/range/v1/trainer/learners/${id}`, { token: trainerToken })).json;
    };
    const shown = async () => {
      const { refusalsInARow, lastRefusal, lastCall, lastSeenAt, lastProblem, calls, refusals, ...more } =
        await learner();
      const own = {
        refusalsInARow,
        lastRefusal,
        lastCall,
        lastSeenAt,
        lastProblem,
        calls,
        refusals,
        worksOn: more.worksOn,
      };
      return { own, apart: [more.callsWithoutToken, more.refusalsWithoutToken] };
    };
    const { own, apart } = await shown();
    deepEqual([own.refusalsInARow, own.lastProblem, apart], [1, 'policy-not-found', [0, 0]]);
    lplate.clock.advance(60_000);

    const guess = (address: string, call = lplate) =>
      call.call('POST', '/auth/token', { headers: at(address), json: { client_id: id, client_secret: 'wrong' } });
    const body = '{"regNumber":"AB-1234"}';
    const check = (address: string, under = `/for/${id}`) =>
      fetch(`${lplate.url}${under}/insurer/v1/signed/policy-check`, {
        method: 'POST',
        headers: { ...typed, ...at(address), 'X-Signature': sign(body) },
        body,
      });
    const strangers: string[] = [];
    for (const address of ['198.51.100.7', '203.0.113.9']) {
      for (let count = 0; count < 3; count += 1) strangers.push(idOf(await guess(address)));
      equal((await check(address)).status, 200);
      await fetch(`${lplate.url}/for/${id}/insurer/v1/nothing`, { headers: at(address) });
      await fetch(`${lplate.url}/for/${id}/insurer/v1/demo-clients`, { method: 'POST', headers: at(address) });
      await fetch(`${lplate.url}/for/${id}/vehicle-registry/v2/vehicles/AB-1234`, { headers: at(address) });
    }
    deepEqual(await shown(), { own, apart: [14, 8] });
    equal((await lplate.overview?.())?.calls, own.calls);
    equal((await lplate.overview?.())?.callsWithoutToken, 14);
    const log = await logOf(lplate, { id, secret, token });
    equal(log.filter(({ fromElsewhere }) => fromElsewhere).length, 14);
    deepEqual(
      log.filter((each) => strangers.includes(each.id)).map(({ fromElsewhere }) => fromElsewhere),
      strangers.map(() => true),
    );
    const solved = async (lesson: string) =>
      (await lplate.call('GET', `/range/v1/me/lessons/${lesson}`, { token, headers: home })).json.state;
    equal(await solved('signed-body'), 'open');

    // From where it was used they are its own: who types a wrong secret there is stuck.
    for (let count = 0; count < 5; count += 1) await guess('192.0.2.1');
    const stuck = await shown();
    deepEqual([stuck.own.refusalsInARow, stuck.own.lastProblem], [5, 'invalid-client']);
    match(stuck.own.lastRefusal, /./);
    equal((await check('192.0.2.1')).status, 200);
    equal(await solved('signed-body'), 'solved');
    // And from an address that it uses from now on.
    await lplate.call('GET', '/policies', { token, headers: at('198.51.100.7') });
    await check('198.51.100.7');
    equal((await logOf(lplate, { id, secret, token }))[0].fromElsewhere, undefined);
  });
});
