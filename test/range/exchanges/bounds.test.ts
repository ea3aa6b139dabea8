import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Call, callOf } from '../../../src/range/exchanges/call.ts';
import { maxPerClient } from '../../../src/range/exchanges/log.ts';
import { PendingCalls } from '../../../src/range/exchanges/pending-calls.ts';
import { hour } from '../../../src/time/units.ts';
import { forEachEngineInFull, onPostgres, onSqlite } from '../../support/engines.ts';
import { startLPlate, startWithClient } from '../../support/lplate.ts';
import { startProgram } from '../../support/program.ts';
import { alter, countStored } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { idOf, listed, logOf, trainerToken } from '../range.ts';

/** Statements that make a database refuse one exchange. */
const refusing = {
  sqlite: `create trigger refused before insert on exchanges when new.path like '%refused-by-the-database'
    begin select raise(abort, 'refused'); end`,
  postgres: `alter table exchanges add constraint refused check (path not like '%refused-by-the-database')`,
};

forEachEngineInFull((engine) => {
  test('Decisions, the range: the last 300 exchanges of a client are kept, and as many of nobody', async (t) => {
    const lplate = await startLPlate(t, engine, { trustProxy: 1, probeLimitPerMinute: 10_000 });
    const [client, other] = [await lplate.client(), await lplate.client()];
    const headers = { Authorization: `Bearer ${client.token}` };
    const url = `${lplate.url}/insurer/v1`;
    const send = async (path: string, options: RequestInit) => (await fetch(`${url}${path}`, options)).arrayBuffer();
    for (let at = 0; at < 320; at += 1) {
      lplate.clock.advance(1);
      await send(`/policies/pol-${at}`, { headers });
      await send(`/limited/ping?n=${at}`, { headers: { 'X-Forwarded-For': '192.0.2.99' } });
      // Part of them is written on the way.
      if (at === 200) await logOf(lplate, client);
    }
    const numbers = (log: { url: string }[]) => log.map((entry) => Number(/\d+$/.exec(entry.url)?.[0]));
    const last = Array.from({ length: 300 }, (_, at) => 319 - at);
    deepEqual(numbers(await logOf(lplate, client)), last);
    deepEqual(numbers(await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)), last);
    equal((await logOf(lplate, other)).length, 2);
    equal((await lplate.call('GET', '/range/v1/me', client)).json.calls, 322);
  });

  test('Decisions, the range: calls that carry no token of a client have a share of their own in its log and its counts, and push out none of its calls', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { trustProxy: 1, probeLimitPerMinute: 10_000 });
    const headers = { Authorization: `Bearer ${client.token}` };
    const send = async (path: string, options: RequestInit = {}) =>
      (await fetch(`${lplate.url}${path}`, options)).arrayBuffer();
    const own: string[] = [];
    const call = async () =>
      own.push(idOf(await lplate.call('GET', `/policies/pol-${own.length}`, { token: client.token })));
    while (own.length < 150) await call();
    await logOf(lplate, client);
    while (own.length < 298) await call();
    const body = JSON.stringify({ client_id: client.id, client_secret: 'guessed' });
    const forms: [string, RequestInit][] = [
      [`/for/${client.id}/insurer/v1/limited/ping`, {}],
      [`/for/${client.id}/insurer/v1/policies`, { headers: { Authorization: 'Bearer nonsense' } }],
      ['/insurer/v1/auth/token', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }],
      // The only client that was seen from here.
      ['/insurer/v1/limited/ping', {}],
    ];
    const { calls: before } = (await lplate.call('GET', '/range/v1/me', client)).json;
    for (let at = 0; at < 330; at += 1) for (const [path, options] of forms) await send(path, options);
    const log: string[] = (await logOf(lplate, client)).map(({ id }) => id);
    deepEqual(
      own.filter((id) => !log.includes(id)),
      [],
    );
    equal(log.length, 400);
    const { calls, refusals, callsWithoutToken, refusalsWithoutToken } = (
      await lplate.call('GET', '/range/v1/me', client)
    ).json;
    deepEqual([before, calls, refusals], [300, 300, 298]);
    deepEqual([callsWithoutToken, refusalsWithoutToken], [1320, 660]);
    // Its own are still the last 300, and push out none of the others.
    for (let more = 0; more < 20; more += 1) await send('/insurer/v1/coverage-options', { headers });
    equal((await logOf(lplate, client)).length, 400);
  });

  test('Decisions, the range: an exchange is kept for a day, and goes with its client', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const old = idOf(await lplate.call('GET', '/policies', client));
    await logOf(lplate, client);
    lplate.clock.advance(23 * hour);
    const token = await lplate.token(client.id, client.secret);
    await lplate.housekeeping();
    ok((await logOf(lplate, { ...client, token })).some(({ id }) => id === old));
    lplate.clock.advance(hour + 1);
    const later = await lplate.token(client.id, client.secret);
    await lplate.housekeeping();
    ok(!(await logOf(lplate, { ...client, token: later })).some(({ id }) => id === old));
    const learners = async () =>
      (await listed(lplate, '/range/v1/trainer/learners', trainerToken)).map(({ clientId }) => clientId);
    deepEqual(await learners(), [client.id]);
    lplate.clock.advance(23 * hour + 55 * 60_000);
    await lplate.housekeeping();
    deepEqual(await learners(), [client.id]);
    lplate.clock.advance(15 * 60_000);
    await lplate.housekeeping();
    deepEqual(await learners(), []);
    const path = `/range/v1/trainer/learners/${client.id}/exchanges`;
    deepEqual(await listed(lplate, path, trainerToken), []);
  });

  test('Decisions, the range: what waits of a client that is gone is not written, and brings no learner back', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    lplate.clock.advance(25 * hour);
    for (let call = 0; call < 20; call += 1) await lplate.call('GET', '/policies', client);
    await lplate.housekeeping();
    equal(await countStored(lplate, 'clients', 'preset = 0'), 0);
    const metrics = async () => {
      // They are gathered once a second.
      lplate.clock.advance(1000);
      return (await fetch(`${lplate.url}/metrics`)).text();
    };
    await until(async () => /^lplate_range_waiting_bytes 0$/m.test(await metrics()), 'nothing waits');
    match(await metrics(), /^lplate_range_exchanges_dropped_total\{reason="removed"\} [1-9]\d*$/m);
    for (const table of ['exchanges', 'learners']) {
      equal(await countStored(lplate, table, `client_id = '${client.id}'`), 0, table);
    }
  });
});

onPostgres((engine) => {
  test('Decisions, the range: on several nodes a log is one', async (t) => {
    const one = await startLPlate(t, engine, { publicUrl: 'http://localhost:8080' });
    const { databaseUrl } = one.config;
    const other = await startLPlate(t, engine, { publicUrl: 'http://localhost:8080', databaseUrl });
    const client = await one.client();
    const ids: string[] = [];
    for (let call = 0; call < 10; call += 1) {
      const node = call % 2 === 0 ? one : other;
      node.clock.advance(20);
      ids.push(idOf(await node.call('GET', '/policies', client)));
    }
    // What the other node has in memory comes within a second.
    let log: string[] = [];
    while (log.length < 12) {
      await pause(100);
      log = (await logOf(one, client)).map(({ id }) => id);
    }
    deepEqual(log.slice(0, 10).sort(), ids.sort());
    equal((await other.call('GET', '/range/v1/me', client)).json.calls, 12);
  });
});

function callOfSize(size: number, at = 0): Call {
  return {
    id: String(at),
    number: at,
    at,
    outcome: { status: 200, ms: 1, end: 'answered' },
    method: 'GET',
    url: '',
    prefix: undefined,
    route: '',
    httpVersion: '1.1',
    headers: [],
    body: undefined,
    answer: Buffer.alloc(0),
    longBody: undefined,
    size: size + 2000,
    problem: undefined,
    drills: undefined,
    tokenExpiresAt: undefined,
  };
}

const here = '127.0.0.1';
const refusal = { status: 429, ms: 1, end: 'answered' } as const;

describe('calls that wait to be written', () => {
  test('Decisions, the range: those of one client are dropped when they are over 300, the oldest first', () => {
    const dropped: string[] = [];
    const pending = new PendingCalls(1e9, (reason) => dropped.push(reason));
    for (let at = 0; at < 350; at += 1) pending.add('a', here, callOfSize(10, at));
    pending.add('b', here, callOfSize(10));
    deepEqual(dropped, Array(50).fill('client'));
    const bundle = pending.take(1000, { owner: 'a' });
    deepEqual([bundle?.calls.length, bundle?.calls[0]?.at, bundle?.tally.calls], [maxPerClient, 50, 350]);
    equal(pending.take(1000)?.owner, 'b');
    equal(pending.bytes, 0);
  });

  test('Decisions, the range: of a flood one call in ten milliseconds is kept, and all are counted', () => {
    const pending = new PendingCalls(1e9, () => {});
    const kept: number[] = [];
    for (let at = 0; at < 2000; at += 1) {
      const call = callOfSize(10, at);
      if (pending.keeps('a', here, call)) {
        pending.add('a', here, call);
        kept.push(at);
      } else pending.pass('a', call);
    }
    deepEqual([kept.length, kept[299], kept[300], kept.at(-1)], [470, 299, 309, 1999]);
    deepEqual([pending.keeps('b', here, callOfSize(10)), pending.take(1000)], [true, undefined]);
    equal(pending.take(1000, { ofFlood: true })?.tally.calls, 2000);
  });

  test('Decisions, the range: what is no flood is written before what is one', () => {
    const pending = new PendingCalls(1e9, () => {});
    for (let at = 0; at < 300; at += 1) pending.add('flood', here, callOfSize(10, at));
    pending.add('calm', here, callOfSize(10, 300));
    deepEqual([pending.take(20)?.owner, pending.take(20)], ['calm', undefined]);
    equal(pending.take(20, { ofFlood: true })?.owner, 'flood');
  });

  test('Decisions, the range: all together take at most so many bytes; of clients with the same, the oldest go first', () => {
    let dropped = 0;
    const pending = new PendingCalls(1e6, () => (dropped += 1));
    for (let at = 0; at < 10_000; at += 1) {
      pending.add(`client-${at}`, here, callOfSize(8000, at));
      ok(pending.bytes <= 1e6);
    }
    equal(dropped, 9900);
    const owners: string[] = [];
    for (let next = pending.take(1); next; next = pending.take(1)) owners.push(next.owner);
    deepEqual([owners.length, owners[0], owners.at(-1)], [100, 'client-9900', 'client-9999']);
    equal(pending.bytes, 0);
  });

  const elsewhere = ['from another address', '192.0.2.7'] as const;
  for (const floods of [100, 300, 1000]) {
    for (const [where, address] of [
      ['from the same address', here] as const,
      ...(floods === 1000 ? [elsewhere] : []),
    ]) {
      test(`Decisions, the range: ${floods} clients that flood ${where} take nothing from those who have little that waits`, () => {
        const pending = new PendingCalls(48e6, () => {});
        const victims = Array.from({ length: 5 }, (_, at) => `victim-${at}`);
        const [kept, lost] = [new Set<string>(), new Set<string>()];
        // As the recorder does each second: what is no flood first, then a little of the flood.
        const write = () => {
          for (let left = 400, next = pending.take(20); next; next = left > 0 ? pending.take(20) : undefined) {
            left -= next.calls.length;
            for (const { id } of next.calls) if (next.owner.startsWith('victim')) kept.add(id);
          }
          pending.take(25, { ofFlood: true });
        };
        for (let second = 0; second < 15; second += 1) {
          for (let call = 0; call < 11_000; call += 1) {
            const refused = { ...callOfSize(4000, second * 1000 + call / 11), outcome: refusal };
            const owner = `flood-${call % floods}`;
            if (pending.keeps(owner, address, refused)) pending.add(owner, address, refused);
            else pending.pass(owner, refused);
          }
          for (const owner of second < 11 ? victims : []) {
            const call = { ...callOfSize(1000, second * 1000), id: `${owner} ${second}` };
            if (pending.keeps(owner, here, call)) pending.add(owner, here, call);
            else lost.add(call.id);
          }
          write();
        }
        for (let left = 100; left > 0; left -= 1) write();
        deepEqual([kept.size, [...lost]], [55, []]);
      });
    }
  }

  test('Decisions, the range: a description that waits takes as much memory as it counts', () => {
    const request = {
      originalUrl: '/insurer/v1/openapi.yaml',
      headers: {},
      routeOptions: { config: {} },
      answer: Buffer.alloc(200_000),
      raw: { rawHeaders: [], personalPrefix: undefined },
    } as unknown as FastifyRequest;
    const reply = { getHeaders: () => ({}) } as unknown as FastifyReply;
    const { longBody, size } = callOf(request, reply, { status: 200, ms: 1, end: 'open' }, 0);
    ok(longBody);
    deepEqual([longBody.length, size > 20_480], [20_480, true]);
    // Node.js makes several small buffers of one.
    ok(longBody.buffer.byteLength < 70_000);
  });

  test('Decisions, the range: what could not be written waits again, before what came since', () => {
    const pending = new PendingCalls(1e9, () => {});
    for (let at = 0; at < 4; at += 1) pending.add('a', here, callOfSize(10, at));
    const taken = pending.take(3);
    ok(taken);
    deepEqual([taken.calls.length, taken.tally.calls], [3, 4]);
    pending.add('a', here, callOfSize(10, 4));
    pending.putBack(taken);
    const all = pending.take(100);
    deepEqual(
      all?.calls.map(({ at }) => at),
      [0, 1, 2, 3, 4],
    );
    equal(all?.tally.calls, 5);
    equal(pending.bytes, 0);
  });
});

onSqlite((engine) => {
  const readLog = async (url: string, token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/range/v1/me/exchanges?pageSize=500`, { headers });
    const { items } = (await answer.json()) as { items: { id: string }[] };
    return items;
  };
  const settings = { environment: { PUBLIC_URL: 'http://localhost:8080' } };

  test('Decisions, the range: a stop writes what was answered before', async (t) => {
    const location = await engine.location();
    const program = await startProgram(t, location, settings);
    const client = await program.client();
    const ids: string[] = [];
    for (let call = 0; call < 100; call += 1) {
      const answer = await program.call('GET', '/policies', { token: client.token });
      ids.unshift(answer.headers.get('x-request-id') as string);
    }
    await program.stop();
    const again = await startProgram(t, location, settings);
    const log = (await readLog(again.url, client.token)).map(({ id }) => id);
    deepEqual([...log.slice(0, 100)].sort(), ids.sort());
  });

  test('Decisions, the range: a kill loses at most what was not written, and what was read once is there', async (t) => {
    const location = await engine.location();
    const program = await startProgram(t, location, settings);
    const client = await program.client();
    for (let call = 0; call < 20; call += 1) await program.call('GET', '/policies', { token: client.token });
    const before = (await readLog(program.url, client.token)).map(({ id }) => id);
    equal(before.length, 22);
    for (let call = 0; call < 20; call += 1) await program.call('GET', '/policies', { token: client.token });
    await program.stop('SIGKILL');
    const again = await startProgram(t, location, settings);
    const after = (await readLog(again.url, client.token)).map(({ id }) => id);
    ok(before.every((id) => after.includes(id)));
    ok(after.length <= 42);
  });

  test('Decisions, the range: what the database does not take of one client is dropped, counted and logged, and costs no other its calls', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [client, other] = [await lplate.client(), await lplate.client()];
    await alter(lplate, refusing[engine.name]);
    const [mine, theirs] = await Promise.all([
      lplate.call('GET', '/policies/refused-by-the-database', { token: client.token }),
      lplate.call('GET', '/policies', { token: other.token }),
    ]);
    const list = await lplate.call('GET', '/range/v1/me/exchanges', { token: client.token });
    equal(list.status, 200);
    ok(list.json.items.every(({ id }: { id: string }) => id !== idOf(mine)));
    ok((await logOf(lplate, other)).some(({ id }) => id === idOf(theirs)));
    match(
      await (await fetch(`${lplate.url}/metrics`)).text(),
      /^lplate_range_exchanges_dropped_total\{reason="error"\} [1-3]$/m,
    );
    ok(lplate.log.some((line) => JSON.parse(line).msg === 'calls of a client could not be written'));
  });

  test('Decisions, the range: what was written, dropped and waits is in the metrics', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    await logOf(lplate, client);
    const text = await (await fetch(`${lplate.url}/metrics`)).text();
    match(text, /^lplate_range_exchanges_written_total 2$/m);
    match(text, /^lplate_range_exchanges_dropped_total\{reason="memory"\} 0$/m);
    match(text, /^lplate_range_waiting_bytes 0$/m);
  });
});
