import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { keptConnections, send } from '../../bad-input/wire.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { extent } from '../../support/extent.ts';
import { type LPlate, problem, startLPlate, type TestClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { listed, trainerToken } from '../range.ts';

const transfers = '/range/v1/transfers';
const ofAll = '/range/v1/trainer/transfers';
const day = 24 * 60 * 60_000;

const rename = (lplate: LPlate, { token }: TestClient, nickname: string) =>
  lplate.call('PATCH', '/range/v1/me', { token, json: { nickname } });
const use = async (lplate: LPlate, code: string) => (await lplate.call('POST', transfers, { json: { code } })).status;

/** All that the trainer's log has, whole. */
async function trainersLog(lplate: LPlate): Promise<string> {
  const calls = await listed(lplate, '/range/v1/trainer/calls', trainerToken);
  const read = ({ id }: { id: string }) =>
    lplate.call('GET', `/range/v1/trainer/exchanges/${id}`, { token: trainerToken });
  return (await Promise.all(calls.map(read))).map(({ text }) => text).join('\n');
}

forEachEngineInFull((engine) => {
  test('Decisions, classes: the trainer gets a code for each learner at once, which ends those before, and for nobody else', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients: TestClient[] = [];
    // More than go into one transaction.
    for (let count = 0; count < 60; count += 1) {
      lplate.clock.advance(1);
      clients.push(await lplate.client());
    }
    const [first, second, gone] = clients as [TestClient, TestClient, TestClient];
    await rename(lplate, first, 'Ada');
    await rename(lplate, second, 'Ada');
    await lplate.call('DELETE', '/range/v1/me', { token: gone.token });
    await lplate.call('GET', '/policies', {
      token: await lplate.token('preset-fleet', lplate.secrets.fleetClientSecret),
    });
    const before = (
      await lplate.call('POST', `/range/v1/trainer/learners/${first.id}/transfer`, { token: trainerToken })
    ).json.code;
    const { status, json } = await lplate.call('POST', ofAll, { token: trainerToken });
    deepEqual([status, json.items.length, json.left], [201, 59, 0]);
    const found = new Map<string, { shownName: string; code: string; expiresAt: string }>(
      json.items.map((each: { clientId: string }) => [each.clientId, each]),
    );
    deepEqual(
      [...found.keys()].toSorted(),
      clients
        .filter((each) => each !== gone)
        .map(({ id }) => id)
        .toSorted(),
    );
    deepEqual([found.get(first.id)?.shownName, found.get(second.id)?.shownName], ['Ada', 'Ada (2)']);
    for (const { code, expiresAt } of found.values()) {
      match(code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
      equal(Date.parse(expiresAt) - lplate.clock.now(), day);
    }
    equal(await use(lplate, before), 404, 'the one before has ended');
    for (const { id } of [first, second]) {
      const { code } = found.get(id) as { code: string };
      const { json: taken } = await lplate.call('POST', transfers, { json: { code } });
      equal(taken.client_id, id);
    }
    deepEqual([await use(lplate, found.get(first.id)?.code ?? ''), await use(lplate, '00000-00000')], [404, 404]);
    const left = found.get(clients[5]?.id ?? '')?.code ?? '';
    lplate.clock.advance(day);
    equal(await use(lplate, left), 404, 'its time is over');
    deepEqual(problem(await lplate.call('POST', ofAll, { token: second.token })), [401, 'invalid-token']);
  });

  test('Decisions, classes: no code is in a log, nor is it kept in plain text', async (t) => {
    const lplate = await startLPlate(t, engine);
    const client = await lplate.client();
    await rename(lplate, client, 'Ada');
    const codes = [
      (await lplate.call('POST', '/range/v1/me/transfer', { token: client.token })).json.code,
      (await lplate.call('POST', `/range/v1/trainer/learners/${client.id}/transfer`, { token: trainerToken })).json
        .code,
      (await lplate.call('POST', ofAll, { token: trainerToken })).json.items[0].code,
    ] as string[];
    // Sent where it does not belong, and as people type it.
    for (const code of codes)
      for (const sent of [code, code.replace('-', ' '), code.toLowerCase()])
        await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'RM-1', code: sent } });
    const own = await listed(lplate, '/range/v1/me/exchanges', client.token);
    const read = ({ id }: { id: string }) =>
      lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token: client.token });
    const seen = (await Promise.all(own.map(read))).map(({ text }) => text).join('\n');
    const texts = { trainers: await trainersLog(lplate), learners: seen, lines: lplate.log.join('\n') };
    ok(texts.trainers.includes('/trainer/transfers') && seen.includes('RM-1'));
    for (const [where, text] of Object.entries(texts))
      for (const code of codes)
        for (const form of [code, code.replace('-', ' ')]) ok(!text.toUpperCase().includes(form), where);
  });

  test('Decisions, classes: codes that are guessed from many addresses are refused after ten of each, the right one too, and none fits', async (t) => {
    const lplate = await startLPlate(t, engine, { trustProxy: 1 });
    const client = await lplate.client();
    const { code } = (await lplate.call('POST', '/range/v1/me/transfer', { token: client.token })).json;
    // More than what is known of addresses has room for. That is in memory: one database is enough for it.
    const addresses = extent(100, engine.name === 'sqlite' ? 10_500 : 1_000);
    const agent = keptConnections(32);
    t.after(() => agent.destroy());
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const guess = () => Array.from({ length: 10 }, () => alphabet[Math.floor(Math.random() * 32)]).join('');
    const from = async (number: number, sent: string) => {
      const headers = {
        'Content-Type': 'application/json',
        'X-Forwarded-For': `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
      };
      return (
        await send(lplate, { method: 'POST', path: transfers, headers, body: JSON.stringify({ code: sent }) }, agent)
      ).status;
    };
    const statuses = new Map<number, number>();
    for (let first = 1; first <= addresses; first += 50) {
      const some = Array.from({ length: Math.min(50, addresses - first + 1) }, (_, at) => first + at);
      await Promise.all(
        some.map(async (number) => {
          for (let tries = 0; tries < 11; tries += 1) {
            const status = await from(number, guess());
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }),
      );
      lplate.log.length = 0;
    }
    deepEqual(Object.fromEntries(statuses), { 404: 10 * addresses, 429: addresses });
    equal(await metric(lplate, 'lplate_rate_limit_refusals_total{limit="transfer-codes"}'), addresses);
    // Who has guessed first is still refused, however many came after; who has not, is not.
    equal(await from(1, code), 429);
    equal(await from(0, code), 200);
  });
});
