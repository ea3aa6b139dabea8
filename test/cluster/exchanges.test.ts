import { deepEqual, equal } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testSecrets } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { envelope } from '../vehicle-registry/envelopes.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

interface Learner {
  readonly id: string;
  readonly secret: string;
  readonly token: string;
  /** The exchanges that belong into its log. */
  readonly own: Set<string>;
}

const typed = { 'Content-Type': 'application/json' };
const topic = '/claims/v1/topics/claims.status-changed';

test('Decisions, the range: over two nodes each kind of call of two clients at one address is in the right log alone', async (t: TestContext) => {
  const environment = {
    TRAINER_TOKEN: testSecrets.trainerToken,
    WEBHOOK_ALLOW: '127.0.0.1',
    EVENTS_DUPLICATE_RATE: '0',
  };
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), environment, 2);
  const receiver = await Receiver.open(t);
  const send = async (node: number, path: string, options: RequestInit = {}) => {
    const answer = await fetch(`${nodes.program(node).url}${path}`, options);
    const text = await answer.text();
    return { status: answer.status, id: answer.headers.get('x-request-id') as string, text };
  };
  const requestToken = (node: number, prefix: string, id: string, secret: string) => {
    const body = JSON.stringify({ client_id: id, client_secret: secret });
    return send(node, `${prefix}/insurer/v1/auth/token`, { method: 'POST', headers: typed, body });
  };
  const learner = async (node: number): Promise<Learner> => {
    const created = await send(node, '/insurer/v1/demo-clients', { method: 'POST' });
    const { client_id: id, client_secret: secret } = JSON.parse(created.text);
    const token = await requestToken(1 - node, '', id, secret);
    return { id, secret, token: JSON.parse(token.text).access_token, own: new Set([created.id, token.id]) };
  };
  const learners = [await learner(0), await learner(1)] as const;
  const unclaimed: string[] = [];

  for (const [at, { id, secret, token, own }] of learners.entries()) {
    const other = learners[1 - at] as Learner;
    const bearer = { Authorization: `Bearer ${token}` };
    const prefix = `/for/${id}`;
    const soap = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: envelope() };
    const check = { method: 'POST', headers: typed, body: '{"regNumber":"AB-1234"}' };
    for (const node of [0, 1]) {
      const open: [string, RequestInit][] = [
        ['/insurer/v1/coverage-options', {}],
        ['/insurer/v1/limited/ping', {}],
        ['/insurer/v1/signed/policy-check', check],
        ['/vehicle-registry/v1', soap],
        ['/vehicle-registry/v2/vehicles/AB-1234', {}],
        ['/insurer/v1/policies', { headers: { Authorization: 'Bearer nonsense' } }],
        ['/insurer/v1/nowhere', {}],
      ];
      for (const [path, options] of open) {
        own.add((await send(node, prefix + path, options)).id);
        unclaimed.push((await send(node, path, options)).id);
      }
      // A token or a client_id counts for more than the prefix of the other one.
      for (const root of ['', prefix, `/for/${other.id}`]) {
        own.add((await send(node, `${root}/insurer/v1/policies`, { headers: bearer })).id);
        own.add((await requestToken(node, root, id, secret)).id);
        own.add((await requestToken(node, root, id, 'wrong')).id);
      }
      const stream = await fetch(`${nodes.program(node).url}${topic}`, {
        headers: { ...bearer, Accept: 'text/event-stream' },
      });
      own.add(stream.headers.get('x-request-id') as string);
      await stream.body?.cancel();
    }
    const headers = { ...bearer, ...typed };
    const subscribed = await send(0, '/claims/v1/subscriptions', {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: receiver.url }),
    });
    equal(subscribed.status, 201, subscribed.text);
    own.add(subscribed.id);
    const path = `/claims/v1/subscriptions/${JSON.parse(subscribed.text).id}/test`;
    own.add((await send(1, path, { method: 'POST', headers })).id);
  }
  await receiver.until(2);

  const listed = async (
    node: number,
    path: string,
    token: string,
  ): Promise<{ id: string; kind: string; end: string }[]> => {
    const headers = { Authorization: `Bearer ${token}` };
    const { status, text } = await send(node, `/range/v1${path}?pageSize=500`, { headers });
    equal(status, 200, text);
    return JSON.parse(text).items;
  };
  for (const [at, { token, own }] of learners.entries()) {
    // What the other node has in memory comes within a second.
    let log: Awaited<ReturnType<typeof listed>> = [];
    await until(async () => {
      log = await listed(at, '/me/exchanges', token);
      return log.length >= own.size + 1 && log.every(({ end }) => end !== 'open');
    }, `the log of client ${at}`);
    const [deliveries, calls] = [true, false].map((is) => log.filter(({ kind }) => (kind === 'delivery') === is));
    equal(deliveries?.length, 1);
    deepEqual(calls?.map(({ id }) => id).sort(), [...own].sort());
  }
  let nobodys = new Set<string>();
  await until(async () => {
    nobodys = new Set((await listed(0, '/trainer/exchanges', testSecrets.trainerToken)).map(({ id }) => id));
    return nobodys.size >= unclaimed.length;
  }, 'what is nobody’s');
  deepEqual([...nobodys].sort(), unclaimed.sort());
});

test('Decisions, the range: a live log tells of calls on every node', async (t: TestContext) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), {}, 2);
  const { token } = await nodes.client();
  const controller = new AbortController();
  t.after(() => controller.abort());
  const live = await fetch(`${nodes.program(0).url}/range/v1/me/exchanges`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
    signal: controller.signal,
  });
  let text = '';
  void (async () => {
    for await (const piece of live.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  })().catch(() => {});
  for (const node of [1, 0, 1]) {
    const { headers } = await nodes.call('GET', '/policies', { token, node });
    const id = headers.get('x-request-id') as string;
    await until(() => text.includes(id), `the call on node ${node}`);
  }
});
