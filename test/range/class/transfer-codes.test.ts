import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { day } from '../../../src/time/units.ts';
import { keptConnections, send } from '../../bad-input/wire.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { extent } from '../../support/extent.ts';
import { type LPlate, problem, startLPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { listed, trainerToken } from '../range.ts';

const transfers = '/range/v1/transfers';
const ofAll = '/range/v1/trainer/transfers';

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
  test('Decisions, classes: a code is read however an editor, a chat or a keyboard made it', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
    const full = (text: string) =>
      text.replaceAll(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));
    const ways: readonly ((code: string) => string)[] = [
      ...[...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\ufe63'].map(
        (dash) => (code: string) => code.replace('-', dash),
      ),
      ...['\u200b', '\u00ad', '\u2060', '\ufeff'].map(
        (unseen) => (code: string) => `${unseen}${code.replace('-', `-${unseen}`)}`,
      ),
      (code) => code.replace('-', ' \u2013\u00a0').toLowerCase(),
      full,
    ];
    let current = token;
    for (const way of ways) {
      const { code } = (await lplate.call('POST', '/range/v1/me/transfer', { token: current })).json;
      const { status, json } = await lplate.call('POST', transfers, { json: { code: way(code) } });
      equal(status, 200, JSON.stringify(way('AAAAA-AAAAA')));
      current = await lplate.token(json.client_id, json.client_secret);
    }
  });

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
    const { lplate, client } = await startWithClient(t, engine);
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

  test('Decisions, classes: a code that holds is kept nowhere, wherever it was sent, after a restart of its process, too', async (t) => {
    const location = await engine.location({ migrated: true });
    const same = { ...engine, location: async () => location };
    const before = await startLPlate(same);
    const client = await before.client();
    const { code } = (await before.call('POST', '/range/v1/me/transfer', { token: client.token })).json;
    await before.close();
    const lplate = await startLPlate(t, same, {}, before.clock);
    const { token } = client;
    const line = JSON.stringify({ regNumber: 'RM-1', about: code });
    const soap = `<a xmlns="urn:x"><b c="${code}">${code.toLowerCase()}</b></a>`;
    const calls: [string, string, object][] = [
      ['GET', `/policies?page=1&sort=${code}`, { token }],
      ['GET', `/policies?${code}=1`, { token }],
      ['GET', `/policies/${code}`, { token }],
      ['GET', `/policies/${code.replace('-', '%2D')}/`, { token }],
      ['GET', `/for/${client.id}/insurer/v1/none/x${code}x`, {}],
      [
        'GET',
        '/policies',
        { token, headers: { 'X-About': `the code ${code.replace('-', ' ')}`, Referer: `/${code}` } },
      ],
      ['POST', '/policies', { token, json: { regNumber: code, holder: 'Ada' } }],
      ['POST', '/policies', { token, json: { [code]: 1, list: [[{ a: code.toLowerCase() }]] } }],
      [
        'POST',
        '/policy-imports',
        { token, body: `${line}\n${code}\n${line}`, headers: { 'Content-Type': 'application/x-ndjson' } },
      ],
      ['POST', '/auth/token', { json: { client_id: client.id, client_secret: 'x', scope: code, audience: code } }],
      ['POST', '/vehicle-registry/v1', { body: soap, headers: { 'Content-Type': 'text/xml' } }],
      ['PATCH', '/range/v1/me', { token, json: { nickname: `Ada ${code.replace('-', '')}` } }],
    ];
    for (const [method, path, options] of calls) await lplate.call(method, path, options);
    await lplate.call('GET', `/insurer/v1/none/${code}`);
    const { json: me } = await lplate.call('GET', '/range/v1/me', { token });
    const own = await listed(lplate, '/range/v1/me/exchanges', token);
    const read = async ({ id }: { id: string }) =>
      (await lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token })).text;
    const { text: rows } = await lplate.call('GET', '/policy-imports', { token });
    const texts = {
      me: JSON.stringify(me),
      own: (await Promise.all(own.map(read))).join('\n'),
      har: (await lplate.call('GET', '/range/v1/me/exchanges.har', { token })).text,
      nobodys: JSON.stringify(await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)),
      rows,
      lines: lplate.log.join('\n'),
    };
    ok(own.length >= 10);
    for (const [where, text] of Object.entries(texts))
      ok(
        !text
          .toUpperCase()
          .replaceAll(/%2D|[\s-]/g, '')
          .includes(code.replace('-', '')),
        where,
      );
  });

  test('Decisions, classes: codes that are guessed from many addresses are refused after ten of each, the right one too, and none fits', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { trustProxy: 1 });
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
