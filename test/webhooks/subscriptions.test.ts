import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import { hour } from '../../src/time/units.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type Answer, type LPlate, problem, sharedLPlate, startLPlate } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';
import { until } from '../support/until.ts';

const subscriptions = '/claims/v1/subscriptions';
const url = 'http://127.0.0.1:9/hooks';

/** Names that tests use, and the addresses they lead to. */
const names: Record<string, string[]> = {
  'partner.example': ['127.0.0.1'],
  'xn--bcher-kva.example': ['127.0.0.1'],
};
const resolve = async (name: string) => names[name] ?? [];

function started(t: TestContext, engine: Engine, settings?: Partial<Config>): Promise<LPlate> {
  return startLPlate(t, engine, settings, undefined, { resolve });
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, {}, undefined, { resolve });

  const create = (token: string, json: unknown = { url }, on = lplate) =>
    on.call('POST', subscriptions, { token, json });
  const ids = (answers: Answer[]) => answers.map(({ json }) => json.id);

  test('Decisions, claims and events: subscribing answers 201 with all fields and no others, and where the subscription is', async () => {
    const { token } = await lplate.client();
    const answer = await create(token, { url, secret: 'whsec_mine', id: 'sub-mine' });
    const { id, secret, ...rest } = answer.json;
    assert.equal(answer.status, 201);
    const state = { status: 'active', disabledAt: null, disabledReason: null, delayed: null, missedEvents: 0 };
    assert.deepEqual(rest, { url, via: 'direct', createdAt: '2026-03-02T10:15:30.000Z', ...state });
    assert.match(id, /^sub-[0-9a-f-]{36}$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const location = answer.headers.get('location');
    assert.equal(location, `${lplate.config.publicUrl}${subscriptions}/${id}`);
    const { status, json } = await lplate.call('GET', location, { token });
    assert.deepEqual([status, json], [200, { id, ...rest }]);
    assert.deepEqual((await lplate.call('GET', subscriptions, { token })).json.items, [json]);
    const twin = (await create(token)).json;
    assert(twin.id !== id && twin.secret !== secret, 'one URL may have several subscriptions');
  });

  test('Decisions, claims and events: the secret of a subscription is in the answer that creates it and nowhere else', async (t) => {
    const receiver = await Receiver.open(t);
    // A URL may hold a secret of the subscriber's.
    const subscriber = await Subscriber.open(lplate, `${receiver.url}/token-of-mine`);
    const answers = [
      await subscriber.call('GET'),
      await subscriber.call('POST', '/test'),
      await subscriber.call('POST', '/deliveries/1/redeliver'),
      await subscriber.call('GET', '/deliveries'),
      await lplate.call('GET', subscriptions, { token: subscriber.client.token }),
    ];
    await subscriber.settled();
    await receiver.until(1);
    const texts = [...answers.map(({ text }) => text), ...receiver.calls.map((call) => JSON.stringify(call))];
    for (const text of texts) assert(!text.includes(subscriber.secret.slice(6)));
    assert(lplate.log.some((line) => line.includes(subscriber.id)));
    for (const line of lplate.log) assert(!line.includes('whsec_') && !line.includes('token-of-mine'), line);
  });

  test('Decisions, claims and events: changing subscriptions takes two scopes, reading them one; a 403 names what is needed', async () => {
    const client = await lplate.client();
    const { id } = (await create(client.token)).json;
    const change: [string, string, unknown?][] = [
      ['POST', '', { url }],
      ['POST', `/${id}/test`],
      ['POST', `/${id}/enable`],
      ['POST', `/${id}/deliveries/1/redeliver`],
      ['DELETE', `/${id}`],
    ];
    const read: [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', `/${id}`],
      ['GET', `/${id}/deliveries`],
    ];
    const attempt = async (token: string | undefined, [method, path, json]: [string, string, unknown?]) =>
      lplate.call(method, `${subscriptions}${path}`, { token, json });
    for (const scope of ['claims:read', 'claims:write', 'policies:read policies:write']) {
      const token = await lplate.token(client.id, client.secret, scope);
      for (const act of change) {
        const answer = await attempt(token, act);
        assert.deepEqual(problem(answer), [403, 'insufficient-scope'], `${scope}: ${act}`);
        assert.match(answer.headers.get('www-authenticate') ?? '', /scope="claims:read claims:write"/);
      }
      for (const act of read) {
        const answer = await attempt(token, act);
        assert.equal(answer.status, scope === 'claims:read' ? 200 : 403, `${scope}: ${act}`);
        if (answer.status === 403) assert.match(answer.headers.get('www-authenticate') ?? '', /scope="claims:read"/);
      }
    }
    for (const act of [...change, ...read]) {
      assert.deepEqual(problem(await attempt(undefined, act)), [401, 'missing-token'], `${act}`);
    }
    const both = await lplate.token(client.id, client.secret, 'claims:write claims:read');
    for (const act of [...read, ['DELETE', `/${id}`] as [string, string]]) {
      assert((await attempt(both, act)).status < 300, `${act}`);
    }
  });

  test('Decisions, REST conventions: subscriptions are listed in pages, oldest first, own ones only', async (t) => {
    const own = await started(t, engine, { subscriptionsPerClient: 30 });
    const [{ token }, other] = [await own.client(), await own.client()];
    await create(other.token, { url }, own);
    const created: Answer[] = [];
    for (let count = 0; count < 25; count += 1) {
      created.push(await create(token, { url: `${url}?${count}` }, own));
      // Those of one millisecond come in any order.
      const at = Date.now();
      await until(() => Date.now() > at, 'the next millisecond');
    }
    const list = (query = '') => own.call('GET', `${subscriptions}${query}`, { token });
    const first = await list();
    const { items, ...rest } = first.json;
    assert.deepEqual(rest, { page: 1, pageSize: 20, totalItems: 25, totalPages: 2 });
    const second = await list('?page=2');
    assert.deepEqual(
      [...items, ...second.json.items].map(({ id }) => id),
      ids(created),
    );
    assert.match(
      first.headers.get('link') ?? '',
      /<http:\/\/localhost:\d+\/claims\/v1\/subscriptions\?page=2&pageSize=20>; rel="next"/,
    );
    assert.deepEqual(
      (await list('?page=3&pageSize=10')).json.items.map(({ id }: { id: string }) => id),
      ids(created).slice(20),
    );
    assert.deepEqual((await list('?page=4&pageSize=10')).json.items, []);
    for (const query of ['page=0', 'page=x', 'pageSize=501', 'page=1.5']) {
      assert.deepEqual(problem(await list(`?${query}`)), [400, 'validation-error'], query);
    }
  });

  test('Decisions, clients: a client may own ten subscriptions unless the setting says otherwise, also when it creates them at once', async (t) => {
    const { token } = await lplate.client();
    const many = await Promise.all(Array.from({ length: 14 }, () => create(token)));
    assert.equal(many.filter(({ status }) => status === 201).length, 10);
    for (const answer of many) if (answer.status !== 201) assert.deepEqual(problem(answer), [429, 'quota-exceeded']);

    const own = await started(t, engine, { subscriptionsPerClient: 2 });
    const [few, other] = [await own.client(), await own.client()];
    const [kept] = [await create(few.token, { url }, own), await create(few.token, { url }, own)];
    const refused = await create(few.token, { url }, own);
    assert.deepEqual(problem(refused), [429, 'quota-exceeded']);
    assert.match(refused.json.detail, /\b2 subscriptions/);
    assert.equal((await create(other.token, { url }, own)).status, 201);
    await own.call('DELETE', `${subscriptions}/${kept?.json.id}`, { token: few.token });
    assert.equal((await create(few.token, { url }, own)).status, 201);
  });

  test('Decisions, claims and events: the subscription of another client is not found, as if there were none', async () => {
    const [owner, other] = [await lplate.client(), await lplate.client()];
    const { id } = (await create(owner.token)).json;
    await lplate.call('POST', `${subscriptions}/${id}/test`, { token: owner.token });
    const unknown = `sub-${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`;
    const odd = ['x', 'SUB-1', id.toUpperCase(), `${id}0`, '%00', '%F0%9F%9A%97', "'", 'sub-%25', 's'.repeat(1500)];
    const acts = ['GET', 'DELETE', 'POST /test', 'POST /enable', 'GET /deliveries', 'POST /deliveries/1/redeliver'];
    for (const act of acts) {
      const [method = '', below = ''] = act.split(' ');
      const bodies: string[] = [];
      for (const path of [id, unknown, ...odd]) {
        const answer = await lplate.call(method, `${subscriptions}/${path}${below}`, { token: other.token });
        assert.deepEqual(problem(answer), [404, 'subscription-not-found'], `${act} ${path}`);
        const { instance, detail, ...rest } = answer.json;
        if (path === id || path === unknown) bodies.push(JSON.stringify({ ...rest, detail: detail.replace(path, '') }));
      }
      assert.equal(bodies[0], bodies[1], act);
    }
    const { totalItems } = (await lplate.call('GET', `${subscriptions}/${id}/deliveries`, owner)).json;
    assert.equal(totalItems, 1, 'it is there as it was');
    assert.deepEqual((await lplate.call('GET', subscriptions, { token: other.token })).json.items, []);
  });

  test('Decisions, REST conventions: the url of a subscription has one type and a form that can be called; a fault names it', async () => {
    const { token } = await lplate.client();
    const faulty = [
      null,
      true,
      1,
      [],
      [url],
      {},
      { url },
      '',
      ' ',
      'x',
      '/hooks',
      '//partner.example',
      'http://',
      'http:///',
    ];
    faulty.push(
      'http://partner.example:99999/',
      'http://a b/',
      'http://\0/',
      'http://partner\0.example/',
      'http://[::1/',
    );
    faulty.push(
      'ftp://partner.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:,x',
      'ws://partner.example/',
    );
    faulty.push('http://user@partner.example/', 'http://user:word@partner.example/', 'http://:word@partner.example/');
    faulty.push(
      'http://unknown.example/',
      'http://127.0.0.1:0/',
      `${url}?${'x'.repeat(2049)}`,
      `${url}?${'ü'.repeat(700)}`,
    );
    for (const value of faulty) {
      const answer = await create(token, { url: value });
      assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(value));
      assert.deepEqual(
        answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/url'],
        JSON.stringify(value),
      );
      assert.match(answer.json.detail, /url/);
    }
    assert.deepEqual((await create(token, {})).json.errors[0].pointer, '/url');
    const misspelt = await create(token, { URL: url });
    assert.deepEqual(misspelt.json.errors, [
      { pointer: '/URL', detail: 'is not a member of this request. Did you mean url?' },
    ]);
    for (const body of [[], 'x', null, 7]) assert.deepEqual((await create(token, body)).json.errors[0].pointer, '');
    assert.deepEqual((await lplate.call('GET', subscriptions, { token })).json.items, []);
  });

  test('Decisions, claims and events: the url of a subscription comes back as it is called', async () => {
    const { token } = await lplate.client();
    const longest = `${url}?${'x'.repeat(2048 - url.length - 1)}`;
    const told = {
      [longest]: longest,
      'HTTP://Partner.Example:80/a b/../c?d=ü#e': 'http://partner.example/c?d=%C3%BC',
      'https://partner.example': 'https://partner.example/',
      'http://bücher.example:8080/\0x': 'http://xn--bcher-kva.example:8080/%00x',
      '  http://2130706433/\n': 'http://127.0.0.1/',
      'http://partner.example/\ud800': 'http://partner.example/%EF%BF%BD',
    };
    for (const [given, expected] of Object.entries(told)) {
      const answer = await create(token, { url: given });
      assert.deepEqual([answer.status, answer.json.url], [201, expected], given);
      assert.equal((await lplate.call('GET', `${subscriptions}/${answer.json.id}`, { token })).json.url, expected);
    }
  });

  test('Decisions, claims and events: a subscription that was deleted is gone', async () => {
    const { token } = await lplate.client();
    const [gone, kept] = ids([await create(token), await create(token)]);
    const answer = await lplate.call('DELETE', `${subscriptions}/${gone}`, { token });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    for (const [method, below] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/enable'],
    ]) {
      const again = await lplate.call(`${method}`, `${subscriptions}/${gone}${below}`, { token });
      assert.deepEqual(problem(again), [404, 'subscription-not-found'], `${method} ${below}`);
    }
    const { items } = (await lplate.call('GET', subscriptions, { token })).json;
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [kept],
    );
  });

  test('Limits: the subscriptions of a demo client go with it after a day without use', async (t) => {
    const own = await started(t, engine);
    const subscriber = await Subscriber.open(own, url);
    own.clock.advance(24 * hour - 1);
    await own.housekeeping();
    const token = await own.token(subscriber.client.id, subscriber.client.secret);
    assert.equal((await own.call('GET', subscriber.path, { token })).status, 200);
    own.clock.advance(24 * hour + 300_000);
    await own.housekeeping();
    const other = await own.client();
    assert.deepEqual(problem(await own.call('GET', subscriber.path, { token: other.token })), [
      404,
      'subscription-not-found',
    ]);
    await assert.rejects(own.token(subscriber.client.id, subscriber.client.secret), /invalid-client/);
  });
});

onPostgres((engine) => {
  test('Decisions, clients: the cap of subscriptions holds over two programs on one database', async (t) => {
    const { start } = await restartable(engine);
    const nodes = [await start(), await start()];
    t.after(() => Promise.all(nodes.map((node) => node.close())));
    const { token } = (await nodes[0]?.client()) ?? {};
    const create = (node: LPlate) => node.call('POST', subscriptions, { token, json: { url } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => nodes.map(create)).flat());
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
  });
});
