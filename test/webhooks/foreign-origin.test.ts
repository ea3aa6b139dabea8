import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';

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
): Promise<{ status: number; text: string }> {
  const headers = { Host: host, Origin: `http://${host}`, Authorization: `Bearer ${token}` };
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
      assert.match(answer.json.detail, /loopback.*another origin.*WEBHOOK_ALLOW/, origin);
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
    const receiver = await Receiver.open(t);
    const subscriber = await Subscriber.open(lplate, receiver.url);
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
