import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { Receiver, Subscriber } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';

/*
 * Each pool of the process is filled from one address by many clients. Then come a client of another address and one of the
 * same: the first of each gets its place.
 */

/** A call that stays open. */
interface Held {
  readonly status: number;
  ended: boolean;
  text: string;
}

const flooder = '192.0.2.66';
const victim = '198.51.100.7';

function hold(
  t: TestContext,
  { url }: LPlate,
  path: string,
  {
    client,
    address = flooder,
    accept = 'text/event-stream',
  }: { client: TestClient; address?: string; accept?: string },
): Promise<Held> {
  const headers = { Accept: accept, Authorization: `Bearer ${client.token}`, 'X-Forwarded-For': address };
  return new Promise((resolve, reject) => {
    const asked: ClientRequest = request(`${url}${path}`, { headers, agent: false }, (answer) => {
      const held: Held = { status: answer.statusCode ?? 0, ended: false, text: '' };
      answer.on('data', (text) => (held.text += text));
      answer.on('close', () => (held.ended = true)).on('error', () => {});
      resolve(held);
    });
    asked.on('error', reject).end();
    t.after(() => asked.destroy());
  });
}

/** Calls that are made side by side, but not all at once. */
async function inBatches<T>(count: number, call: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at += 50)
    results.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, more) => call(at + more)))),
    );
  return results;
}

const counted = (pool: string, what: 'taken' | 'refused_total' | 'ended_total') =>
  `lplate_pool_${what}{pool="${pool}"}`;

onSqlite((engine) => {
  const settings = { trustProxy: 1, eventsHeartbeatSeconds: 3600, demoClientsPerDay: 0 } as const;

  for (const [pool, path, share] of [
    ['topic-streams', '/claims/v1/topics/claims.status-changed', 2500],
    ['log-streams', '/range/v1/me/exchanges', 500],
    ['lesson-streams', '/range/v1/me/lessons', 500],
  ] as const) {
    // A topic's streams are in the log of their client.
    const isLogged = pool === 'topic-streams';
    const title = `${pool}: one address gets half of them, and the first of a client is always admitted`;
    test(`Decisions, shares: ${title}${isLogged ? '; the log says which lost its place' : ''}`, async (t) => {
      const lplate = await startLPlate(t, engine, { ...settings, streamsPerClient: 100 });
      const flood = await inBatches(share / 100, () => lplate.client());
      const streams = await inBatches(share + 20, (at) =>
        hold(t, lplate, path, { client: flood[at % flood.length] as TestClient }),
      );
      const open = () => streams.filter(({ status, ended }) => status === 200 && !ended).length;
      equal(streams.filter(({ status }) => status === 429).length, 20);
      equal(open(), share);
      equal(await metric(lplate, counted(pool, 'taken')), share);
      equal(await metric(lplate, counted(pool, 'refused_total')), 20);
      const [other, same] = [await lplate.client(), await lplate.client()];
      const theirs = await hold(t, lplate, path, { client: other, address: victim });
      const ours = await hold(t, lplate, path, { client: same });
      deepEqual([theirs.status, ours.status], [200, 200]);
      await until(() => open() === share - 1, 'one of the flood ends');
      equal(await metric(lplate, counted(pool, 'ended_total')), 1);
      deepEqual([theirs.ended, ours.ended], [false, false]);
      if (!isLogged) return;
      const cut = streams.findIndex(({ status, ended }) => status === 200 && ended);
      const log = await lplate.call(
        'GET',
        '/range/v1/me/exchanges?pageSize=500&path=/claims',
        flood[cut % flood.length],
      );
      ok(log.json.items.some(({ stream }: { stream?: { end: string } }) => stream?.end === 'no-place'));
    });
  }

  test('Decisions, shares: calls that wait in the drill delay: one address gets half of the places', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const delayed = async () => {
      const client = await lplate.client();
      const json = { name: 'delay', parameters: { fromMs: 30_000 } };
      equal((await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json })).status, 201);
      return client;
    };
    const flood = await inBatches(20, delayed);
    const waits: Promise<Held>[] = [];
    const call = (client: TestClient, address = flooder) =>
      hold(t, lplate, '/insurer/v1/policies', { client, address, accept: '*/*' }).catch(() => ({ status: 0 }) as Held);
    let refused = 0;
    for (let at = 0; at < 1000; at += 1) {
      const answer = call(flood[at % 20] as TestClient);
      waits.push(answer);
      void answer.then(({ status }) => (refused += status === 503 ? 1 : 0));
    }
    await until(async () => refused === 500, 'half of them');
    equal(await metric(lplate, counted('delays', 'taken')), 500);
    const [other, same] = [await delayed(), await delayed()];
    let answered = 0;
    for (const waiting of [call(other, victim), call(same)]) void waiting.then(() => (answered += 1));
    await until(async () => refused === 501, 'one of the flood goes');
    await pause(50);
    equal(answered, 0, 'they wait');
    equal(await metric(lplate, counted('delays', 'taken')), 501);
    equal(await metric(lplate, 'lplate_range_delays_refused_total'), 501);
  });

  test('Decisions, shares: connections: idle ones of an address with too many are cut, what is under way goes on', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { connectionsTotal: 40, eventsHeartbeatSeconds: 3600 });
    const headers = { Authorization: `Bearer ${client.token}`, Accept: 'text/event-stream' };
    const stream = await fetch(`${lplate.url}/range/v1/me/exchanges`, { headers });
    const sockets: Socket[] = [];
    let cut = 0;
    for (let at = 0; at < 100; at += 1) {
      const socket = connect(lplate.config.port, '127.0.0.1');
      socket.on('error', () => {}).on('close', () => (cut += 1));
      sockets.push(socket);
      t.after(() => socket.destroy());
    }
    await until(() => cut >= 81, 'most are cut');
    const [open] = sockets.filter(({ destroyed }) => !destroyed);
    open?.end();
    const answer = await fetch(`${lplate.url}/healthz`, { headers: { Connection: 'close' } });
    equal(answer.status, 200);
    ok((await metric(lplate, counted('connections', 'taken'))) <= 20);
    ok((await metric(lplate, 'lplate_connections_cut_total{reason="no-place"}')) >= 80);
    const reader = stream.body?.getReader();
    ok((await reader?.read())?.value, 'the stream is open');
    await reader?.cancel();
  });

  test('Decisions, shares: bodies that arrive slowly: one address gets half of the room, and the first of a client has its own', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const send = (client: TestClient, address: string) => {
      let text = '';
      const socket = connect(lplate.config.port, '127.0.0.1');
      socket.on('error', () => {}).on('data', (more) => (text += more));
      t.after(() => socket.destroy());
      socket.write(
        `POST /insurer/v1/policies HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nContent-Length: 64000\r\n\r\n{`,
      );
      return {
        status: () => text.slice(9, 12),
        finish: () => socket.write(`}${' '.repeat(63_998)}`),
        close: () => socket.destroy(),
      };
    };
    const flood = await inBatches(10, () => lplate.client());
    const bodies = Array.from({ length: 520 }, (_, at) => send(flood[at % 10] as TestClient, flooder));
    const refused = () => bodies.filter(({ status }) => status() === '503').length;
    await until(() => refused() === 20, 'twenty are refused');
    equal(await metric(lplate, counted('body-bytes', 'taken')), 32e6);
    const [other, same] = [await lplate.client(), await lplate.client()];
    const [theirs, ours] = [send(other, victim), send(same, flooder)];
    await until(() => refused() === 21, 'one of the flood gives way');
    for (const body of [theirs, ours]) {
      body.finish();
      await until(() => body.status() === '400', 'the answer to a body without members');
    }
    equal(await metric(lplate, counted('body-bytes', 'taken')), 32e6 - 64_000);
    for (const { close } of bodies) close();
  });

  test('Decisions, shares: webhooks: a host that is slow gets half of the calls under way, and the first call of a client is made', async (t) => {
    const lplate = await startLPlate(t, engine, {
      eventsDuplicateRate: 0,
      webhookCallsPerHost: 100_000,
      webhookAllow: ['127.0.0.0/8', '::1/128'],
    });
    const [slow, other] = [await Receiver.open(t), await Receiver.open(t)];
    slow.answer = () => 'hang';
    const flood = await inBatches(12, async (at) => {
      const first = await Subscriber.open(lplate, `${slow.url}${at}/0`);
      const others = await inBatches(9, (more) =>
        Subscriber.open(lplate, `${slow.url}${at}/${more + 1}`, first.client),
      );
      return [first, ...others];
    });
    await inBatches(120, (at) => (flood.flat()[at] as Subscriber).call('POST', '/test'));
    await until(() => slow.calls.length >= 100, 'half of the places');
    await lplate.catchUp();
    // The first call of a client goes beyond.
    ok(slow.calls.length < 100 + flood.length);
    ok((await metric(lplate, counted('webhook-calls', 'refused_total'))) > 0);
    const [subscriber] = [await Subscriber.open(lplate, other.url)];
    await subscriber.call('POST', '/test');
    await other.until(1);
  });
});
