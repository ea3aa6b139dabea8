import assert from 'node:assert/strict';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { Receiver, subscribed } from '../support/receiver.ts';

const subscriptions = '/claims/v1/subscriptions';
const names = new Map<string, string[]>();
const resolve = async (name: string) => names.get(name) ?? [];

function started(t: TestContext, engine: Engine, settings: Partial<Config> = {}): Promise<LPlate> {
  return startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings }, new TestClock(), { resolve });
}

const subscribe = (lplate: LPlate, token: string, url: string, headers: Record<string, string> = {}) =>
  lplate.call('POST', subscriptions, { token, json: { url }, headers });

/** A request with a Host of its own, as a page sends it whose name has come to lead to this machine. */
function subscribeAs(
  lplate: LPlate,
  token: string,
  url: string,
  host: string,
  origin = `http://${host}`,
): Promise<{ status: number; text: string }> {
  const headers = { Host: host, Origin: origin, Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const call = request(`${lplate.url}${subscriptions}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
    });
    call.on('error', reject);
    call.on('response', async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      resolve({ status: answer.statusCode ?? 0, text });
    });
    call.end(JSON.stringify({ url }));
  });
}

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: foreign origins: a web page of another origin can’t subscribe an address of this machine, and is told why', async (t) => {
    const lplate = await started(t, engine);
    const receiver = await Receiver.open(t);
    const { token } = await lplate.client();
    const { port } = new URL(lplate.url);
    const foreign = [
      'https://page.example',
      'null',
      'http://localhost:1',
      `https://localhost:${port}`,
      `http://127.0.0.2:${port}`,
    ];
    for (const origin of foreign) {
      const answer = await subscribe(lplate, token, receiver.url, { Origin: origin });
      assert.deepEqual(problem(answer), [400, 'validation-error'], origin);
      assert.match(answer.json.detail, /loopback.*another origin.*curl/, origin);
    }
    const rebound = await subscribeAs(lplate, token, receiver.url, `page.example:${port}`);
    assert.equal(rebound.status, 400, 'a name of the page’s own that leads here is no address of the service');
    for (const headers of [{}, { Origin: lplate.config.publicUrl }, { Origin: lplate.url }]) {
      assert.equal((await subscribe(lplate, token, receiver.url, headers)).status, 201, JSON.stringify(headers));
    }
    assert.equal((await subscribeAs(lplate, token, receiver.url, `127.0.0.1:${port}`)).status, 201);
    names.set('partner.example', ['198.41.0.4']);
    const elsewhere = await subscribe(lplate, token, 'http://partner.example/', { Origin: 'https://page.example' });
    assert.equal(elsewhere.status, 201, 'public addresses are open to pages');
  });

  test('Decisions, claims and events: foreign origins: pages get the public rules alone where WEBHOOK_ALLOW opens a network, as in a class', async (t) => {
    const networks = ['127.0.0.0/8', '::1', '10.0.0.0/8', 'fd00::/8'];
    const lplate = await started(t, engine, { class: 'on', host: '0.0.0.0', webhookAllow: networks });
    const receiver = await Receiver.open(t);
    const { token } = await lplate.client();
    const { port } = new URL(lplate.url);
    names.set('inside.example', ['10.1.2.3']);
    const own = (await subscribe(lplate, token, receiver.url)).json;
    const foreign: Record<string, string>[] = [
      ...[{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: '' }, { Origin: 'file://' }],
      // A program of the learner’s own machine has the same address there.
      { Origin: `http://localhost:${Number(port) + 1}` },
      { Origin: `https://localhost:${port}` },
      { Origin: `${lplate.url}, https://evil.example` },
      ...[{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }],
      { Origin: lplate.url, 'Sec-Fetch-Site': 'cross-site' },
    ];
    const inside = [
      receiver.url,
      'http://10.1.2.3/',
      'http://[fd00::1]/',
      'http://inside.example/',
      'http://2130706433/',
    ];
    for (const headers of foreign) {
      for (const url of inside) {
        const answer = await subscribe(lplate, token, url, headers);
        assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify({ headers, url }));
        assert.match(answer.json.detail, /another origin/);
      }
      for (const below of ['/test', '/enable', '/deliveries/1/redeliver']) {
        const answer = await lplate.call('POST', `${subscriptions}/${own.id}${below}`, { token, headers });
        assert.deepEqual(problem(answer), [400, 'validation-error'], below);
        assert.equal(answer.json.errors[0].header, 'Origin');
      }
    }
    assert.equal(receiver.calls.length, 0);
    names.set('later.example', ['10.1.2.3']);
    const later = (await subscribe(lplate, token, 'http://later.example/')).json;
    names.delete('later.example');
    const asked = { token, headers: { Origin: 'https://evil.example' } };
    const early = await lplate.call('POST', `${subscriptions}/${later.id}/test`, asked);
    assert.deepEqual(problem(early), [400, 'validation-error'], 'a name that has no address yet');
    names.set('partner.example', ['198.41.0.4']);
    const page = { Origin: 'https://evil.example' };
    const { id } = (await subscribe(lplate, token, 'http://partner.example/', page)).json;
    names.set('partner.example', ['127.0.0.1']);
    assert.equal((await lplate.call('POST', `${subscriptions}/${id}/test`, { token })).status, 202);
    const attempts = async () =>
      (await lplate.call('GET', `${subscriptions}/${id}/deliveries`, { token })).json.items[0].attempts;
    for (let looks = 0; looks < 200 && (await attempts()).length === 0; looks += 1) await lplate.catchUp();
    assert.match((await attempts())[0].error, /loopback.*another origin/);
  });

  test('Decisions, claims and events: foreign origins: the console at each address of the service is none, a name that came to lead here is', async (t) => {
    const lplate = await started(t, engine, { host: '0.0.0.0', webhookAllow: ['127.0.0.0/8'] });
    const receiver = await Receiver.open(t);
    const { token } = await lplate.client();
    const { port } = new URL(lplate.url);
    const [machine = ''] = hostname().toLowerCase().split('.');
    for (const name of [
      'localhost',
      '127.0.0.1',
      '[::1]',
      '192.168.7.9',
      hostname().toLowerCase(),
      `${machine}.local`,
    ]) {
      assert.equal((await subscribeAs(lplate, token, receiver.url, `${name}:${port}`)).status, 201, name);
    }
    // Where no public URL was set, that of the settings is a default, by which another program may answer elsewhere.
    const others = [`192.168.7.9:${port}`, 'page.example', `localhost.page.example:${port}`, `page.local:${port}`];
    const pages = [lplate.config.publicUrl, ...others.slice(1).map((host) => `http://${host}`)];
    for (const [at, host] of others.entries()) {
      assert.equal((await subscribeAs(lplate, token, receiver.url, host, pages[at])).status, 400, host);
    }
    const behind = await started(t, engine, { publicUrl: 'https://class.example', webhookAllow: ['127.0.0.0/8'] });
    const caller = await behind.client();
    const call = (origin: string) => subscribeAs(behind, caller.token, receiver.url, `127.0.0.1:1`, origin);
    assert.equal((await call('https://class.example')).status, 201, 'a proxy speaks https, and names another Host');
    assert.equal((await call('http://class.example')).status, 400);
  });

  test('Decisions, claims and events: foreign origins: what a page subscribed never calls this machine, also when its name comes to lead there', async (t) => {
    const lplate = await started(t, engine);
    const receiver = await Receiver.open(t);
    const client = await lplate.client();
    const url = `http://rebinding.example:${receiver.port}/hooks`;
    names.set('rebinding.example', ['198.41.0.4']);
    const { id } = (await subscribe(lplate, client.token, url, { Origin: 'https://page.example' })).json;
    const own = (await subscribe(lplate, client.token, `${url}?own`)).json;
    names.set('rebinding.example', ['127.0.0.1']);
    const log = async (each: string) =>
      (await lplate.call('GET', `${subscriptions}/${each}/deliveries`, { token: client.token })).json.items[0];
    for (const each of [id, own.id]) {
      assert.equal((await lplate.call('POST', `${subscriptions}/${each}/test`, { token: client.token })).status, 202);
    }
    await receiver.until(1);
    for (let looks = 0; looks < 200 && (await log(id)).attempts.length === 0; looks += 1) await lplate.catchUp();
    const [attempt] = (await log(id)).attempts;
    assert.equal(attempt.responseStatus, null);
    assert.match(attempt.error, /loopback.*another origin/);
    assert.deepEqual(
      receiver.calls.map(({ path }) => path),
      ['/hooks?own'],
    );
  });

  test('Decisions, claims and events: foreign origins: a page can’t have a subscription that calls this machine tested, delivered again or enabled', async (t) => {
    const lplate = await started(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    const { token } = subscriber.client;
    const act = (below: string, path = subscriber.path) =>
      lplate.call('POST', `${path}${below}`, { token, headers: { Origin: 'https://page.example' } });
    for (const below of ['/test', '/deliveries/1/redeliver', '/enable']) {
      const answer = await act(below);
      assert.deepEqual(problem(answer), [400, 'validation-error'], below);
      assert.equal(answer.json.errors[0].header, 'Origin');
      assert.match(answer.json.detail, /another origin/);
      const unknown = await act(below, `${subscriptions}/sub-none`);
      assert.deepEqual(problem(unknown), [404, 'subscription-not-found'], below);
    }
    await subscriber.settled();
    assert.equal(receiver.calls.length, 1);
    names.set('partner.example', ['198.41.0.4']);
    const { id } = (await subscribe(lplate, token, 'http://partner.example:9/')).json;
    assert.equal((await act('/test', `${subscriptions}/${id}`)).status, 202);
    // A relay makes the call on the machine of its learner, so it is no way around; an inbox calls nobody.
    const make = (json: object) => lplate.call('POST', subscriptions, { token, json });
    for (const url of [receiver.url, 'http://my-laptop.example/']) {
      const { json } = await make({ via: 'relay', url });
      for (const below of ['/test', '/enable']) {
        assert.deepEqual(problem(await act(below, `${subscriptions}/${json.id}`)), [400, 'validation-error'], below);
      }
    }
    const inbox = (await make({ via: 'inbox' })).json;
    assert.equal((await act('/test', `${subscriptions}/${inbox.id}`)).status, 202);
  });

  test('Decisions, claims and events: foreign origins: no answer lets a page of a public site into a private network, a preflight’s neither', async (t) => {
    const lplate = await started(t, engine);
    const headers = {
      Origin: 'https://page.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Private-Network': 'true',
      'Access-Control-Request-Local-Network': 'true',
    };
    for (const path of [subscriptions, '/insurer/v1/demo-clients', '/']) {
      for (const method of ['OPTIONS', 'GET']) {
        const answer = await fetch(`${lplate.url}${path}`, { method, headers });
        assert.equal(answer.headers.get('access-control-allow-private-network'), null, `${method} ${path}`);
        assert.equal(answer.headers.get('access-control-allow-local-network'), null, `${method} ${path}`);
      }
    }
  });
});
