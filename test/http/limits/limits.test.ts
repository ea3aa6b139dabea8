import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Config } from '../../../src/settings/config.ts';
import { type Engine, forEachEngineInFull } from '../../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate } from '../../support/lplate.ts';

const header = ({ headers }: Answer, name: string) => Number(headers.get(name) ?? Number.NaN);
const left = (answer: Answer) => header(answer, 'ratelimit-remaining');

/** With the general limit of the defaults, unlike other tests. */
function started(t: TestContext, engine: Engine, settings: Partial<Config> = {}): Promise<LPlate> {
  return startLPlate(t, engine, { rateLimitPerMinute: 60, ...settings });
}

const options = (lplate: LPlate, from?: string) =>
  lplate.call('GET', '/coverage-options', from === undefined ? {} : { headers: { 'X-Forwarded-For': from } });
const ping = (lplate: LPlate, from?: string) =>
  lplate.call('GET', '/limited/ping', from === undefined ? {} : { headers: { 'X-Forwarded-For': from } });

async function times(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let call = 0; call < count; call += 1) answers.push(await send());
  return answers;
}

function assertRefused(answer: Answer, limit: number, wait: number): void {
  assert.deepEqual(problem(answer), [429, 'rate-limit-exceeded']);
  assert.deepEqual(
    ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => header(answer, name)),
    [limit, 0, wait, wait],
  );
  assert.equal(answer.headers.get('ratelimit-policy'), `${limit};w=60`);
  assert(answer.json.detail.includes(String(wait)), 'the detail says how long to wait');
}

forEachEngineInFull((engine) => {
  describe('Limits, general rate', () => {
    test('Limits, general rate: 60 requests in a minute are answered, the 61st is 429; Retry-After then leads to success', async (t) => {
      const lplate = await started(t, engine);
      const answers = await times(60, () => options(lplate));
      assert.deepEqual(
        answers.map((answer) => [answer.status, header(answer, 'ratelimit-limit'), left(answer)]),
        answers.map((_, at) => [200, 60, 59 - at]),
      );
      assert.equal(answers[0]?.headers.get('ratelimit-policy'), '60;w=60');
      assert.equal(answers[0]?.headers.get('retry-after'), null);

      lplate.clock.advance(12_400);
      const refused = await options(lplate);
      // 47.6 seconds are left; rounded up, so that a call made then succeeds.
      assertRefused(refused, 60, 48);
      lplate.clock.advance(47_599);
      assertRefused(await options(lplate), 60, 1);
      lplate.clock.advance(1);
      assert.equal((await options(lplate)).status, 200);
    });

    test('Limits, general rate: the window slides: slots come free one by one, as their minute passes', async (t) => {
      const lplate = await started(t, engine, { rateLimitPerMinute: 3 });
      for (const pause of [0, 20_000, 20_000]) {
        lplate.clock.advance(pause);
        assert.equal((await options(lplate)).status, 200);
      }
      // A fixed window would take three more right after its turn.
      lplate.clock.advance(20_000);
      assert.equal((await options(lplate)).status, 200);
      const refused = await options(lplate);
      assertRefused(refused, 3, 20);
      lplate.clock.advance(header(refused, 'retry-after') * 1000);
      assert.equal((await options(lplate)).status, 200);
      assertRefused(await options(lplate), 3, 20);
    });

    test('Limits, general rate: refused requests do not count, so that insisting does not lock anybody out', async (t) => {
      const lplate = await started(t, engine, { rateLimitPerMinute: 2 });
      await times(2, () => options(lplate));
      lplate.clock.advance(30_000);
      for (const refused of await times(20, () => options(lplate))) assertRefused(refused, 2, 30);
      lplate.clock.advance(30_000);
      assert.deepEqual(
        [200, 200, 429],
        await times(3, () => options(lplate)).then((all) => all.map(({ status }) => status)),
      );
    });

    test('Limits, general rate: all paths below the insurer share it, and every refusal by it stands first', async (t) => {
      const lplate = await started(t, engine);
      const { token } = await lplate.client();
      const counted = [
        await lplate.call('GET', '/policies', { token }),
        await lplate.call('GET', '/policies'),
        await lplate.call('GET', '/policies', { token: 'made-up' }),
        await lplate.call('POST', '/policies', { token, json: {} }),
        await lplate.call('GET', '/policies/pol-none', { token }),
        await lplate.call('GET', '/nothing'),
        await lplate.call('DELETE', '/policies'),
        await lplate.call('GET', '/insurer/v0/openapi.yaml'),
        await lplate.call('GET', '/openapi.yaml'),
        await lplate.call('HEAD', '/coverage-options'),
        await lplate.call('GET', '/policies/%zz'),
        await lplate.call('GET', `/policies?q=${'x'.repeat(9_000)}`),
        await options(lplate),
      ];
      assert.deepEqual(
        counted.map(left),
        counted.map((_, at) => 57 - at),
      );
      await times(45, () => options(lplate));
      for (const [method, path] of [
        ['GET', '/policies'],
        ['POST', '/demo-clients'],
        ['POST', '/auth/token'],
        ['GET', '/nothing'],
        ['DELETE', '/policies'],
        ['GET', '/insurer/v0/openapi.yaml'],
        ['POST', '/signed/policy-check'],
      ] as const) {
        assertRefused(await lplate.call(method, path, { token: 'made-up' }), 60, 60);
      }
    });

    test('Decisions, CORS: preflights do not count, and are answered when nothing else is', async (t) => {
      const lplate = await started(t, engine, { rateLimitPerMinute: 2, probeLimitPerMinute: 1 });
      const headers = { Origin: 'https://learner.example', 'Access-Control-Request-Method': 'GET' };
      const preflight = () => lplate.call('OPTIONS', '/limited/ping', { headers });
      for (const answer of await times(10, preflight)) assert.equal(answer.status, 204);
      assert.equal(left(await options(lplate)), 1);
      assert.equal(left(await ping(lplate)), 0);
      await times(2, () => options(lplate));
      assert.equal((await preflight()).status, 204);
    });

    test('Limits, general rate: pages for people and for operations are no part of it', async (t) => {
      const lplate = await started(t, engine, { rateLimitPerMinute: 1 });
      await times(2, () => options(lplate));
      for (const path of ['/', '/healthz', '/problems/rate-limit-exceeded', '/.well-known/jwks.json']) {
        const response = await fetch(lplate.url + path);
        await response.text();
        assert.deepEqual([response.status, response.headers.get('ratelimit-limit')], [200, null], path);
      }
    });

    test('Decisions, REST: a cap of what a client owns is a 429 without Retry-After, which would not help', async (t) => {
      const [policiesPerClient, claimsPerClient, subscriptionsPerClient, streamsPerClient] = [2, 1, 1, 1];
      const caps = { policiesPerClient, claimsPerClient, subscriptionsPerClient, streamsPerClient };
      const lplate = await started(t, engine, caps);
      const { token } = await lplate.client();
      const insure = (number: number) =>
        lplate.call('POST', '/policies', { token, json: { regNumber: `QE-${number}` } });
      const [policyNumber] = [(await insure(1)).json.id, await insure(2)];
      const post = (path: string, json: object) => lplate.call('POST', path, { token, json });
      const claim = () => post('/claims/v1/claims', { policyNumber });
      const subscribe = () => post('/claims/v1/subscriptions', { url: 'http://127.0.0.1:1/' });
      const ended = new AbortController();
      t.after(() => ended.abort());
      const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
      // One that nobody keeps would be collected, and its stream closed.
      const kept: Response[] = [];
      const stream = async (path: string): Promise<Response> => {
        const response = await fetch(`${lplate.url}${path}`, { headers, signal: ended.signal });
        kept.push(response);
        return response;
      };
      const topic = () => stream('/claims/v1/topics/claims.status-changed');
      const log = () => stream('/range/v1/me/exchanges');
      for (const fill of [claim, subscribe, topic, log]) assert((await fill()).status < 300);
      const fleet = () => post('/range/v1/me/fleet', {});
      for (const over of [() => insure(3), claim, subscribe, topic, log, fleet]) {
        const refused = await over();
        assert.equal(refused.status, 429, String(over));
        const json = refused instanceof Response ? await refused.json() : refused.json;
        assert.equal(json.type.split('/').at(-1), 'quota-exceeded', String(over));
        assert.equal(refused.headers.get('retry-after'), null, json.detail);
        assert.match(refused.headers.get('ratelimit-reset') ?? '', /^\d+$/, 'calls are counted all the same');
      }
    });
  });

  describe('Limits, probe rate', () => {
    test('Endpoints, 9 and rule 6: five pings in a minute are answered, the sixth is 429 with Retry-After, after which one succeeds', async (t) => {
      const lplate = await started(t, engine);
      const answers = await times(5, () => ping(lplate));
      assert.deepEqual(
        answers.map(({ status, json }) => [status, json]),
        [4, 3, 2, 1, 0].map((remaining) => [200, { pong: true, remaining }]),
      );
      assert.deepEqual(answers.map(left), [4, 3, 2, 1, 0]);
      assert.equal(answers[0]?.headers.get('ratelimit-policy'), '5;w=60');
      lplate.clock.advance(100);
      const refused = await ping(lplate);
      assertRefused(refused, 5, 60);
      lplate.clock.advance(header(refused, 'retry-after') * 1000);
      assert.equal((await ping(lplate)).json.remaining, 4);
    });

    test('Limits, probe rate: the window slides: five at its end and five after it are not ten within seconds', async (t) => {
      const lplate = await started(t, engine);
      await ping(lplate);
      lplate.clock.advance(59_000);
      await times(4, () => ping(lplate));
      lplate.clock.advance(1_000);
      const [one, two] = await times(2, () => ping(lplate));
      assert.equal(one?.status, 200);
      assertRefused(two as Answer, 5, 59);
    });

    test('Decisions, probe: it is a limiter of its own: neither limit takes calls from the other', async (t) => {
      const lplate = await started(t, engine, { rateLimitPerMinute: 3 });
      await times(6, () => ping(lplate));
      const answers = await times(4, () => options(lplate));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 429],
      );
      lplate.clock.advance(60_000);
      await times(4, () => options(lplate));
      assert.equal((await ping(lplate)).json.remaining, 4, 'answered though the general limit is used up');
      // A wrong method is no ping.
      assertRefused(await lplate.call('POST', '/limited/ping'), 3, 60);
      assert.equal((await ping(lplate)).json.remaining, 3);
    });
  });

  describe('Limits: who is counted', () => {
    test('Limits, per address: X-Forwarded-For is ignored unless proxies are trusted', async (t) => {
      const lplate = await started(t, engine);
      const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1', 'nonsense', '192.0.2.3, 192.0.2.4'];
      const answers = [];
      for (const from of addresses) answers.push(await ping(lplate, from));
      assert.deepEqual(answers.map(left), [4, 3, 2, 1, 0]);
      assert.equal((await ping(lplate, '192.0.2.99')).status, 429);
      assert.deepEqual([left(await options(lplate, '192.0.2.1')), left(await options(lplate, '192.0.2.2'))], [59, 58]);
    });

    test('Limits, per address: behind a trusted proxy each IPv4 address has its own, and each IPv6 /64', async (t) => {
      const lplate = await started(t, engine, { trustProxy: 1 });
      for (const send of [ping, options]) {
        const first = left(await send(lplate, '192.0.2.1'));
        assert.equal(left(await send(lplate, '192.0.2.2')), first);
        assert.equal(left(await send(lplate, '192.0.2.1')), first - 1);
        assert.equal(left(await send(lplate, '::ffff:192.0.2.1')), first - 2, 'the same in the form of IPv6');
        assert.equal(left(await send(lplate, '2001:db8:0:7::1')), first);
        assert.equal(left(await send(lplate, '2001:DB8:0:7:ffff:ffff:ffff:ffff')), first - 1);
        assert.equal(left(await send(lplate, '2001:db8:0:8::1')), first);
      }
      // One proxy is trusted, so what stands before the address that it added is the caller's own claim.
      assert.equal(left(await ping(lplate, '203.0.113.9, 192.0.2.2')), 3);
    });

    test('Limits, per address: a port behind an address in X-Forwarded-For makes no other caller, and hides none', async (t) => {
      const logged = ({ log }: LPlate) => JSON.parse(log.at(-1) ?? '').address;
      for (const trustProxy of [1, ['127.0.0.0/8']]) {
        const lplate = await started(t, engine, { trustProxy });
        const expected: [from: string, left: number, address: string][] = [
          ['203.0.113.7', 4, '203.0.113.7'],
          ['203.0.113.7:51234', 3, '203.0.113.7'],
          ['203.0.113.7:51235', 2, '203.0.113.7'],
          ['203.0.113.8:51235', 4, '203.0.113.8'],
          ['2001:db8:0:7::1', 4, '2001:db8:0:7::1'],
          ['[2001:db8:0:7::2]:443', 3, '2001:db8:0:7::2'],
          ['[2001:db8:0:7::3]', 2, '2001:db8:0:7::3'],
          ['2001:db8:0:8:1:2:3:4:443', 4, '2001:db8:0:8:1:2:3:4'],
          ['2001:db8:0:9::1:443', 4, '2001:db8:0:9::1:443'],
          ['192.0.2.66:1, 203.0.113.8:7', 3, '203.0.113.8'],
          // No addresses, and so all one.
          ['somebody:80', 4, 'unknown'],
          ['203.0.113.7:', 3, 'unknown'],
          ['[203.0.113.7', 2, 'unknown'],
        ];
        for (const [from, remaining, address] of expected) {
          assert.deepEqual([left(await ping(lplate, from)), logged(lplate)], [remaining, address], from);
        }
      }
      // Two proxies in a row, both of which add a port.
      const lplate = await started(t, engine, { trustProxy: ['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8'] });
      for (const hops of ['192.0.2.1:5, 10.0.0.1:6', '192.0.2.1:7,[fd00::1]:8 ,10.9.9.9:9']) {
        await ping(lplate, hops);
        assert.equal(logged(lplate), '192.0.2.1', hops);
      }
    });

    test('Limits, per address: proxies may be given as addresses; another sender is not believed', async (t) => {
      const trusting = await started(t, engine, { trustProxy: ['127.0.0.0/8'] });
      assert.deepEqual([left(await ping(trusting, '192.0.2.1')), left(await ping(trusting, '192.0.2.2'))], [4, 4]);
      const wary = await started(t, engine, { trustProxy: ['10.0.0.0/8'] });
      assert.deepEqual([left(await ping(wary, '192.0.2.1')), left(await ping(wary, '192.0.2.2'))], [4, 3]);
    });

    test('Decisions, settings: RATE_LIMIT_KEY=client counts by the client of a token that verifies, else by address', async (t) => {
      const lplate = await started(t, engine, { rateLimitKey: 'client' });
      const [one, other] = [await lplate.client(), await lplate.client()];
      const list = (token: string) => lplate.call('GET', '/policies', { token });
      assert.deepEqual([left(await list(one.token)), left(await list(one.token))], [59, 58]);
      assert.equal(left(await list(other.token)), 59);
      const again = await lplate.token(one.id, one.secret, 'policies:read');
      assert.equal(left(await list(again)), 57, 'another token of the client is no other client');
      // Four calls for the two clients and one for the token came from the address itself.
      assert.equal(left(await list('made-up')), 54);
      assert.equal(left(await options(lplate)), 53);
      // The probe knows addresses only.
      const probes = [await lplate.call('GET', '/limited/ping', { token: one.token })];
      probes.push(await lplate.call('GET', '/limited/ping', { token: other.token }), await ping(lplate));
      assert.deepEqual(probes.map(left), [4, 3, 2]);
      lplate.clock.advance(3_600_000);
      const { headers } = await list(one.token);
      assert.equal(headers.get('ratelimit-remaining'), '59', 'a token that has expired counts by address');
      assert.equal(left(await options(lplate)), 58);
    });
  });
});
