import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { logOf, plain } from '../range.ts';

forEachEngineInFull((engine) => {
  describe('drills that hit calls, as real clients see them', () => {
    const lplate = sharedLPlate(engine, { requestTimeoutSeconds: 5 });

    async function drilled(name: string, parameters: object = {}): Promise<TestClient> {
      const client = await lplate.client();
      await start(client, name, parameters);
      return client;
    }

    async function start({ token }: TestClient, name: string, parameters: object = {}): Promise<void> {
      const answer = await lplate.call('POST', '/range/v1/me/drills', { token, json: { name, parameters } });
      equal(answer.status, 201, answer.text);
    }

    const end = (client: TestClient, name: string) => lplate.call('DELETE', `/range/v1/me/drills/${name}`, client);

    /** By fetch, which is undici, with nothing checked. */
    function send({ token }: TestClient, path = '/insurer/v1/policies', init: RequestInit = {}): Promise<Response> {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers };
      return fetch(`${lplate.url}${path}`, { ...init, headers });
    }

    const plates = (function* () {
      for (let number = 1; ; number += 1) yield `DR-${number}`;
    })();

    const create = (client: TestClient, headers: Record<string, string> = {}, plate = plates.next().value) =>
      send(client, '/insurer/v1/policies', { method: 'POST', body: JSON.stringify({ regNumber: plate }), headers });

    async function count(client: TestClient): Promise<number> {
      return (await lplate.call('GET', '/policies', client)).json.totalItems;
    }

    /** How many of the calls of a client whose drill is over took place: the policies it has. */
    async function countAfter(client: TestClient, name: string): Promise<number> {
      equal((await end(client, name)).status, 204);
      return count(client);
    }

    /** What the log says of the last call. */
    async function latest(client: TestClient) {
      const [call] = await logOf(lplate, client);
      return call;
    }

    const elapsed = async (work: Promise<unknown>) => {
      const from = performance.now();
      await work;
      return performance.now() - from;
    };

    test('Decisions, drills: a delay keeps the answer back, fixed or between two values, before or after the work', async () => {
      const client = await drilled('delay', { fromMs: 300 });
      const other = await lplate.client();
      ok((await elapsed(send(client))) >= 299);
      deepEqual((await latest(client)).drills, ['delay']);
      deepEqual(plain((await latest(client)).remarks), ['Delayed by the drill `delay`.']);
      equal((await send(other)).status, 200);
      deepEqual((await latest(other)).drills, []);
      await start(client, 'delay', { fromMs: 1, toMs: 5, when: 'after' });
      equal((await create(client)).status, 201);
      ok((await elapsed(send(client))) < 299);
    });

    test('Decisions, drills: whoever hangs up during a delay before the work leaves no trace, after it a policy', async () => {
      for (const [when, policies] of [
        ['before', 0],
        ['after', 1],
      ] as const) {
        const client = await drilled('delay', { fromMs: 20_000, when });
        for (const headers of when === 'before' ? [{}, { 'Idempotency-Key': 'delayed' }] : [{}]) {
          const signal = AbortSignal.timeout(300);
          const body = JSON.stringify({ regNumber: plates.next().value });
          await rejects(send(client, '/insurer/v1/policies', { method: 'POST', body, headers, signal }), {
            name: 'TimeoutError',
          });
        }
        await pause(50);
        equal(await countAfter(client, 'delay'), policies, when);
        const [, cut] = await logOf(lplate, client, '?path=/insurer/v1/policies');
        deepEqual([cut.end, cut.status, cut.drills], ['cut', 499, ['delay']]);
      }
    });

    test('Decisions, drills: a create that is delayed runs: the same again is request-in-progress', async () => {
      const client = await drilled('delay', { fromMs: 1000 });
      const headers = { 'Idempotency-Key': 'slow' };
      const first = create(client, headers, 'SLOW-1');
      await pause(200);
      const second = await create(client, headers, 'SLOW-1');
      equal(second.status, 409);
      match(((await second.json()) as { type: string }).type, /\/request-in-progress$/);
      equal((await first).status, 201);
      equal(await countAfter(client, 'delay'), 1);
    });

    test('Decisions, drills: fifty calls of a client wait, and the next one is unavailable', async () => {
      const client = await drilled('delay', { fromMs: 1500 });
      const answers = await Promise.all(Array.from({ length: 53 }, () => send(client)));
      const statuses = answers.map(({ status }) => status);
      equal(statuses.filter((status) => status === 200).length, 50);
      equal(statuses.filter((status) => status === 503).length, 3);
      const text = await (await fetch(`${lplate.url}/metrics`)).text();
      match(text, /^lplate_range_delays_refused_total 3$/m);
      // What can't wait after its work is not delayed.
      await start(client, 'delay', { fromMs: 1500, when: 'after' });
      const done = await Promise.all(Array.from({ length: 53 }, () => send(client)));
      ok(done.every(({ status }) => status === 200));
    });

    test('Decisions, drills: unavailable is the described 503 with Retry-After, and the work is not done', async () => {
      const client = await drilled('unavailable', { retryAfter: 7 });
      const json = { regNumber: plates.next().value };
      const answer = await lplate.call('POST', '/policies', { token: client.token, json });
      deepEqual(problem(answer), [503, 'unavailable']);
      equal(answer.headers.get('retry-after'), '7');
      match(answer.json.detail, /The drill unavailable is on for this client/);
      const { drills, remarks, notes, problem: named } = await latest(client);
      deepEqual([drills, named], [['unavailable'], 'unavailable']);
      const text = 'Refused by the drill `unavailable`. The call had no effect.';
      deepEqual([remarks, notes], [[text], [{ code: 'drill', text, drill: 'unavailable' }]]);
      equal(await countAfter(client, 'unavailable'), 0);
    });

    test('Decisions, drills: a connection is cut before the answer, and the work is not done', async () => {
      const client = await drilled('cut-connections');
      await rejects(create(client), { message: 'fetch failed' });
      equal((await curl(client, '/insurer/v1/policies')).code, 52);
      const { drills, remarks, end: how, status } = await latest(client);
      deepEqual([drills, how, status], [['cut-connections'], 'cut', 499]);
      deepEqual(remarks, ['Cut by the drill `cut-connections`.']);
      equal(await countAfter(client, 'cut-connections'), 0);
    });

    test('Decisions, drills: a connection is cut in the middle of the answer, and the work is done', async () => {
      const client = await drilled('cut-connections', { when: 'middle' });
      const answer = await create(client);
      equal(answer.status, 201);
      await rejects(answer.text(), { message: 'terminated' });
      const shown = await curl(client, '/insurer/v1/policies');
      deepEqual([shown.code, shown.output.slice(0, 10)], [18, '{"items":[']);
      const call = await latest(client);
      deepEqual([call.drills, call.end, call.status], [['cut-connections'], 'cut', 200]);
      const { json } = await lplate.call('GET', `/range/v1/me/exchanges/${call.id}`, client);
      equal(json.response.body.text, shown.output);
      equal(await countAfter(client, 'cut-connections'), 1);
    });

    test('Decisions, drills: with an Idempotency-Key a create that was cut in the middle is repeated safely', async () => {
      const client = await drilled('cut-connections', { when: 'middle' });
      const headers = { 'Idempotency-Key': 'cut' };
      await rejects((await create(client, headers, 'CUT-1')).text());
      await end(client, 'cut-connections');
      const again = await create(client, headers, 'CUT-1');
      deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true']);
      equal(await count(client), 1);
    });

    test('Decisions, drills: an answer that is no JSON has the status, the type and the effect that it would have', async () => {
      const client = await drilled('bad-json');
      const answer = await create(client);
      deepEqual([answer.status, answer.headers.get('content-type')], [201, 'application/json; charset=utf-8']);
      await rejects(answer.json(), SyntaxError);
      const missing = await send(client, '/insurer/v1/policies/pol-1');
      deepEqual([missing.status, missing.headers.get('content-type')], [404, 'application/problem+json']);
      await rejects(missing.json(), SyntaxError);
      deepEqual(plain((await latest(client)).remarks), [
        'The body of the answer was replaced by the drill `bad-json`.',
      ]);
      equal(await countAfter(client, 'bad-json'), 1);
    });

    test('Decisions, drills: a proxy answers 502 in HTML, before the work or after it', async () => {
      for (const [when, policies] of [
        ['before', 0],
        ['after', 1],
      ] as const) {
        const client = await drilled('html-from-a-proxy', { when });
        const answer = await create(client);
        equal(answer.status, 502);
        match(answer.headers.get('content-type') ?? '', /^text\/html/);
        match(await answer.text(), /<h1>502 Bad Gateway<\/h1>/);
        deepEqual((await latest(client)).remarks, ['Answered by the drill `html-from-a-proxy`.']);
        equal(await countAfter(client, 'html-from-a-proxy'), policies);
      }
    });

    test('Decisions, drills: short tokens expire after the seconds that expires_in says', async () => {
      const client = await drilled('short-tokens');
      const json = { client_id: client.id, client_secret: client.secret };
      const answer = await lplate.call('POST', '/auth/token', { json });
      equal(answer.json.expires_in, 60);
      deepEqual((await latest(client)).drills, ['short-tokens']);
      const token = answer.json.access_token;
      lplate.clock.advance(59_000);
      equal((await lplate.call('GET', '/policies', { token })).status, 200);
      lplate.clock.advance(1000);
      const expired = await lplate.call('GET', '/policies', { token });
      deepEqual(problem(expired), [401, 'invalid-token']);
      match(expired.json.detail, /; the drill short-tokens made it valid for 60 s\./);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      await end(client, 'short-tokens');
      equal((await lplate.call('POST', '/auth/token', { json })).json.expires_in, 3600);
    });

    test('Decisions, drills: tokens from before a revocation are refused until it ends, also after a move of the clock, and a new one is not', async () => {
      const client = await lplate.client();
      const json = { client_id: client.id, client_secret: client.secret };
      const newToken = async () => (await lplate.call('POST', '/auth/token', { json })).json.access_token;
      await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT10M' } });
      lplate.clock.advance(1000);
      const { status } = await lplate.call('POST', '/range/v1/me/drills', {
        token: client.token,
        json: { name: 'revoke-tokens' },
      });
      equal(status, 201);
      const refused = await lplate.call('GET', '/policies', client);
      deepEqual(problem(refused), [401, 'invalid-token']);
      match(refused.json.detail, /^The drill revoke-tokens has ended all tokens from before its start\./);
      const token = await newToken();
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT20M' } });
      equal((await lplate.call('GET', '/policies', { token })).status, 200);
      await end({ ...client, token }, 'revoke-tokens');
      equal((await lplate.call('GET', '/policies', client)).status, 200);
    });

    test('Decisions, drills: a request for a token is hit only when its credentials are right', async () => {
      const client = await drilled('unavailable');
      const ask = (client_secret: string) =>
        lplate.call('POST', '/auth/token', { json: { client_id: client.id, client_secret } });
      deepEqual(problem(await ask(client.secret)), [503, 'unavailable']);
      deepEqual(problem(await ask('wrong')), [401, 'invalid-client']);
      await end(client, 'unavailable');
      for (const [name, code] of [
        ['cut-connections', 52],
        ['html-from-a-proxy', 0],
      ] as const) {
        await start(client, name);
        const body = JSON.stringify({ client_id: client.id, client_secret: client.secret });
        const answer = await curl(client, '/insurer/v1/auth/token', body);
        equal(answer.code, code);
        if (code === 0) match(answer.output, /502 Bad Gateway/);
        await end(client, name);
      }
    });

    test('Console, drills: a request for a token by the console is not hit, so that it can switch the drill off', async () => {
      const client = await drilled('unavailable');
      const json = { client_id: client.id, client_secret: client.secret };
      const headers = { 'L-Plate-Console': '1' };
      equal((await lplate.call('POST', '/auth/token', { json, headers })).status, 200);
      deepEqual(problem(await lplate.call('POST', '/auth/token', { json })), [503, 'unavailable']);
      await start(client, 'short-tokens');
      equal((await lplate.call('POST', '/auth/token', { json, headers })).json.expires_in, 3600);
      // Its other calls are.
      deepEqual(problem(await lplate.call('GET', '/policies', { token: client.token, headers })), [503, 'unavailable']);
    });

    test('Decisions, drills: a small rate limit is the one client’s, with its headers', async () => {
      const client = await drilled('small-rate-limit', { limit: 3 });
      const other = await lplate.client();
      const remaining: (string | null)[] = [];
      for (let call = 0; call < 3; call += 1) {
        const { status, headers } = await lplate.call('GET', '/policies', client);
        equal(status, 200);
        remaining.push(headers.get('ratelimit-remaining'));
      }
      deepEqual(remaining, ['2', '1', '0']);
      const refused = await lplate.call('GET', '/policies', client);
      deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
      equal(refused.headers.get('ratelimit-policy'), '3;w=60');
      equal(refused.headers.get('retry-after'), '60');
      deepEqual((await latest(client)).remarks.at(0), 'Limited by the drill `small-rate-limit`.');
      equal((await lplate.call('GET', '/policies', other)).headers.get('ratelimit-limit'), '1000000');
      // Another client with the same drill has calls of its own.
      const third = await drilled('small-rate-limit', { limit: 3 });
      for (let call = 0; call < 3; call += 1) equal((await lplate.call('GET', '/policies', third)).status, 200);
      // Each interface has its own; the range is not concerned.
      equal((await lplate.call('GET', '/claims/v1/claims', client)).status, 200);
      lplate.clock.advance(60_000);
      equal((await lplate.call('GET', '/policies', client)).status, 200);
      await end(client, 'small-rate-limit');
      for (let call = 0; call < 5; call += 1) equal((await lplate.call('GET', '/policies', client)).status, 200);
    });

    test('Decisions, drills: with the same seed the same calls are hit, and with another one others', async () => {
      const fates = async (seed: number) => {
        const client = await drilled('unavailable', { share: 0.5, seed });
        const statuses: number[] = [];
        for (let call = 0; call < 24; call += 1) statuses.push((await send(client)).status);
        return statuses.join(' ');
      };
      const [first, again, other] = [await fates(7), await fates(7), await fates(8)];
      equal(first, again);
      ok(first !== other);
      for (const each of [first, other]) match(each, /(?=.*200)(?=.*503)/);
    });

    test('Decisions, drills: several are on together, and each counts every call', async () => {
      const client = await drilled('unavailable', { share: 0.5, seed: 3 });
      await start(client, 'html-from-a-proxy', { share: 0.5, seed: 3 });
      await start(client, 'bad-json', { share: 1 });
      const seen = new Set<number>();
      for (let call = 0; call < 24; call += 1) seen.add((await send(client)).status);
      deepEqual([...seen].sort(), [200, 502, 503]);
    });

    test('Decisions, drills: the range, pages, descriptions and the calls of others are never hit', async () => {
      const client = await drilled('unavailable');
      await start(client, 'cut-connections');
      for (const path of ['/range/v1/me', '/range/v1/drills', '/docs', '/', '/problems/unavailable', '/healthz']) {
        equal((await send(client, path)).status, 200, path);
      }
      for (const base of ['/insurer/v1', '/claims/v1', '/range/v1', '/vehicle-registry/v2']) {
        equal((await send(client, `${base}/openapi.yaml`)).status, 200, base);
      }
      equal((await fetch(`${lplate.url}/insurer/v1/coverage-options`)).status, 200);
      // A call that needs no token is the client's if it has one.
      equal((await send(client, '/insurer/v1/coverage-options')).status, 503);
      const other = await lplate.client();
      equal((await send(other)).status, 200);
      equal((await send({ ...client, token: 'wrong' })).status, 401);
      equal((await send(client, '/insurer/v1/nothing')).status, 404);
    });

    test('Decisions, drills: a stream whose caller hangs up during a delay is no open stream any more', async () => {
      const client = await drilled('delay', { fromMs: 20_000, when: 'after' });
      const path = '/claims/v1/topics/claims.status-changed';
      const init = { headers: { Accept: 'text/event-stream' }, signal: AbortSignal.timeout(200) };
      await rejects(send(client, path, init), { name: 'TimeoutError' });
      await pause(50);
      match(await (await fetch(`${lplate.url}/metrics`)).text(), /^lplate_\w*streams\w* 0$/m);
    });

    test('Decisions, drills: a stop of the program ends a delay, and the call gets its answer', async () => {
      const own = await startLPlate(engine);
      const client = await own.client();
      await own.call('POST', '/range/v1/me/drills', {
        token: client.token,
        json: { name: 'delay', parameters: { fromMs: 30_000 } },
      });
      const call = own.call('GET', '/policies', client);
      await pause(200);
      ok((await elapsed(own.close())) < 5000);
      equal((await call).status, 200);
    });

    function curl(
      { token }: TestClient,
      path: string,
      body?: string,
    ): Promise<{ code: number | null; output: string }> {
      const data = body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', body];
      const authorization = body === undefined ? ['-H', `Authorization: Bearer ${token}`] : [];
      const child = spawn('curl', ['-s', '--noproxy', '*', ...authorization, ...data, `${lplate.url}${path}`]);
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
      return new Promise((resolve, reject) => {
        child.on('error', reject).on('close', (code) => resolve({ code, output }));
      });
    }
  });
});
