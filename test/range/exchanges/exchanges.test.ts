import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngineInFull, onPostgres } from '../../support/engines.ts';
import {
  type Answer,
  problem,
  sharedLPlate,
  startLPlate,
  startWithClient,
  type TestClient,
  testSecrets,
} from '../../support/lplate.ts';
import { idOf, listed, logOf, trainerToken } from '../range.ts';

const descriptions = [
  '/insurer/v1/openapi.yaml',
  '/insurer/v0/openapi.yaml',
  '/insurer/v0/openapi.json',
  '/claims/v1/asyncapi.json',
  '/vehicle-registry/v2/openapi.yaml',
  '/vehicle-registry/v1?wsdl',
];

forEachEngineInFull((engine) => {
  describe('the log of a client', () => {
    const lplate = sharedLPlate(engine);

    test('Decisions, the range: a call and its answer are in the log of its client as soon as the answer is there', async () => {
      const client = await lplate.client();
      const json = { regNumber: 'RA-0001', colour: 'red' };
      const created = await lplate.call('POST', '/policies', { token: client.token, json });
      const [latest] = await logOf(lplate, client);
      deepEqual(
        [latest.id, latest.method, latest.url, latest.route, latest.status, latest.problem, latest.end],
        [idOf(created), 'POST', '/insurer/v1/policies', '/insurer/v1/policies', 201, null, 'answered'],
      );
      const { json: exchange } = await lplate.call('GET', `/range/v1/me/exchanges/${latest.id}`, client);
      equal(exchange.request.body.text, JSON.stringify(json));
      equal(exchange.response.body.text, created.text);
      const headers = exchange.response.headers.map(({ name, value }: { name: string; value: string }) => [
        name,
        value,
      ]);
      ok(headers.some(([name, value]: string[]) => name === 'x-request-id' && value === latest.id));
      equal(exchange.tokens[0].claims.client_id, client.id);
    });

    test('Decisions, the range: the creation of a client is the first call in its log', async () => {
      const client = await lplate.client();
      deepEqual(
        (await logOf(lplate, client)).map(({ url, status }) => [url, status]),
        [
          ['/insurer/v1/auth/token', 200],
          ['/insurer/v1/demo-clients', 201],
        ],
      );
    });

    test('Decisions, the range: a call with the header L-Plate-Console is told as one of the console, or as written there by hand; no other is', async () => {
      const client = await lplate.client();
      await lplate.call('GET', '/coverage-options', {
        token: client.token,
        headers: { 'L-Plate-Console': '1' },
      });
      await lplate.call('GET', '/coverage-options', { token: client.token });
      await lplate.call('GET', '/coverage-options', {
        token: client.token,
        headers: { 'L-Plate-Console': 'by-hand' },
      });
      const told = await logOf(lplate, client, '?path=/insurer/v1/coverage-options');
      deepEqual(
        told.map(({ fromConsole, byHand }) => [fromConsole, byHand]),
        [
          [undefined, true],
          [undefined, undefined],
          [true, undefined],
        ],
      );
      const { json } = await lplate.call('GET', `/range/v1/me/exchanges/${told[2].id}`, client);
      equal(json.fromConsole, true);
    });

    test('Decisions, the range: newest first, in pages, by status, path and problem', async () => {
      const client = await lplate.client();
      const { token } = client;
      for (const id of ['pol-1', 'pol-2', 'pol-3']) await lplate.call('GET', `/policies/${id}`, { token });
      await lplate.call('GET', '/policies', { token });
      await lplate.call('GET', '/claims/v1/claims', { token });
      const urls = async (query: string) => (await logOf(lplate, client, query)).map(({ url }) => url);
      const missed = ['/insurer/v1/policies/pol-3', '/insurer/v1/policies/pol-2', '/insurer/v1/policies/pol-1'];
      deepEqual(await urls('?status=404'), missed);
      deepEqual(await urls('?status=4xx'), missed);
      deepEqual(await urls('?problem=policy-not-found&path=/insurer/v1/policies/pol-2'), [missed[1]]);
      deepEqual(await urls('?path=/claims'), ['/claims/v1/claims']);
      const page = await lplate.call('GET', '/range/v1/me/exchanges?status=404&pageSize=2&page=2', { token });
      deepEqual([page.json.items.length, page.json.totalItems, page.json.totalPages], [1, 3, 2]);
      match(page.headers.get('link') ?? '', /status=404&page=1&pageSize=2>; rel="prev"/);
      const wrong = await lplate.call('GET', '/range/v1/me/exchanges?status=44', { token });
      deepEqual(problem(wrong), [400, 'validation-error']);
      for (const query of ['path=/%00', 'path=x', 'problem=%00', 'problem=a b', 'status=4XX', 'page=0']) {
        const odd = await lplate.call('GET', `/range/v1/me/exchanges?${query}`, { token });
        deepEqual(problem(odd), [400, 'validation-error'], query);
      }
      deepEqual(await urls("?path=/%25_'%ff"), []);
    });

    test('Decisions, the range: pages, what they fetch, preflights and the range itself are in no log', async () => {
      const client = await lplate.client();
      const before = (await logOf(lplate, client)).length;
      const Authorization = `Bearer ${client.token}`;
      const paths = ['/', '/docs', '/problems', '/healthz', '/metrics', '/.well-known/jwks.json'];
      for (const path of [...paths, '/vehicle-registry/v1', '/range/v1/me', '/range/v1/openapi.yaml']) {
        await fetch(`${lplate.url}${path}`, { headers: { Authorization } });
        await fetch(`${lplate.url}/for/${client.id}${path}`);
      }
      for (const path of descriptions) {
        await fetch(`${lplate.url}${path}`, { headers: { Authorization, 'Sec-Fetch-Site': 'same-origin' } });
      }
      await fetch(`${lplate.url}/insurer/v1/policies`, {
        method: 'OPTIONS',
        headers: { Authorization, 'Access-Control-Request-Method': 'POST' },
      });
      equal((await logOf(lplate, client)).length, before);
    });

    test('Decisions, the range: a description is in the log of whose token or prefix it was read with', async () => {
      const client = await lplate.client();
      await lplate.client();
      for (const path of descriptions) {
        const [byToken, byPrefix] = [
          await fetch(`${lplate.url}${path}`, { headers: { Authorization: `Bearer ${client.token}` } }),
          // As a page of another service fetches it.
          await fetch(`${lplate.url}/for/${client.id}${path}`, { headers: { 'Sec-Fetch-Site': 'cross-site' } }),
        ];
        const nobodys = await fetch(`${lplate.url}${path}`);
        deepEqual(
          (await logOf(lplate, client)).slice(0, 2).map(({ id, url, status, problem }) => [id, url, status, problem]),
          [
            [byPrefix.headers.get('x-request-id'), `/for/${client.id}${path}`, 200, null],
            [byToken.headers.get('x-request-id'), path, 200, null],
          ],
        );
        const unclaimed = await listed(lplate, '/range/v1/trainer/exchanges', trainerToken);
        equal(unclaimed[0].id, nobodys.headers.get('x-request-id'));
      }
    });

    test('Decisions, the range: of a description the beginning is kept, of one in a content coding kind and length, without the token', async () => {
      const { id: clientId, token } = await lplate.client();
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': coding };
        const answer = await fetch(`${lplate.url}/insurer/v1/openapi.json`, { headers });
        const length = Number(answer.headers.get('content-length'));
        const sent = await answer.text();
        const path = `/range/v1/me/exchanges/${answer.headers.get('x-request-id')}`;
        const { json, text } = await lplate.call('GET', path, { token });
        ok(!text.includes(token));
        const { body } = json.response;
        const isPlain = coding === 'identity';
        deepEqual([body.bytes, body.complete, body.encoding], [length, isPlain && length <= 16_384, 'utf-8']);
        ok(Buffer.byteLength(body.text) <= 16_384);
        if (isPlain) ok(sent.startsWith(body.text.slice(0, 1000)));
        else equal(body.text, `(${coding}, ${length} bytes, not kept)`);
        const { json: har } = await lplate.call('GET', `${path}/har`, { token });
        const { content } = har.log.entries[0].response;
        deepEqual([content.size, content.text], [length, body.text]);
        const { text: command } = await lplate.call('GET', `${path}/curl`, { token });
        match(command, /^curl -i -g --path-as-is '[^']+\/insurer\/v1\/openapi\.json' \\\n(?:.*\n)*.*"\$TOKEN"/);
        equal(json.tokens[0].claims.client_id, clientId);
      }
    });

    test('Decisions, the range: another client’s exchange is answered like one that does not exist', async () => {
      const [one, other] = [await lplate.client(), await lplate.client()];
      const id = idOf(await lplate.call('GET', '/policies', { token: one.token }));
      for (const format of ['', '/har', '/curl']) {
        const path = `/range/v1/me/exchanges/${id}${format}`;
        equal((await lplate.call('GET', path, { token: one.token })).status, 200);
        deepEqual(problem(await lplate.call('GET', path, { token: other.token })), [404, 'exchange-not-found']);
        const unknown = path.replace(id, 'nonsense');
        deepEqual(problem(await lplate.call('GET', unknown, { token: one.token })), [404, 'exchange-not-found']);
      }
    });

    test('Decisions, the range: me tells what the calls came to, and takes a nickname', async () => {
      const client = await lplate.client();
      const { token } = client;
      await lplate.call('GET', '/policies/pol-1', { token });
      await lplate.call('GET', '/policies', { token });
      const { json } = await lplate.call('GET', '/range/v1/me', { token });
      deepEqual(
        [json.clientId, json.nickname, json.calls, json.refusals, json.lastProblem],
        [client.id, null, 4, 1, 'policy-not-found'],
      );
      const renamed = await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Team <b>Blue</b>' } });
      deepEqual([renamed.status, renamed.json.nickname, renamed.json.calls], [200, 'Team <b>Blue</b>', 4]);
      for (const nickname of ['', ' x', 'a\nb', 'x'.repeat(41), 7, '\u0000', '\ud800']) {
        const refused = await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname } });
        deepEqual(problem(refused), [400, 'validation-error'], JSON.stringify(nickname));
      }
      const none = await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: null } });
      equal(none.json.nickname, null);
    });

    test('Decisions, the range: a token of any scope will do, and without one it is 401', async () => {
      const { token } = await lplate.client('policies:read');
      equal((await lplate.call('GET', '/range/v1/me', { token })).status, 200);
      deepEqual(problem(await lplate.call('GET', '/range/v1/me')), [401, 'missing-token']);
      deepEqual(problem(await lplate.call('GET', '/range/v1/me', { token: trainerToken })), [401, 'invalid-token']);
    });

    test('Decisions, the range: a stream is one exchange, open while it goes on and then ended', async () => {
      const client = await lplate.client();
      const path = '/claims/v1/topics/claims.status-changed';
      const headers = { Authorization: `Bearer ${client.token}`, Accept: 'text/event-stream' };
      const stream = await fetch(`${lplate.url}${path}`, { headers });
      const id = stream.headers.get('x-request-id');
      const entries = async () => (await logOf(lplate, client, '?path=/claims')).map((each) => [each.id, each.end]);
      deepEqual(await entries(), [[id, 'open']]);
      await stream.body?.cancel();
      while ((await entries())[0]?.[1] === 'open');
      deepEqual(await entries(), [[id, 'cut']]);
      equal((await lplate.call('GET', '/range/v1/me', client)).json.calls, 3);
    });
  });

  describe('whose call it is', () => {
    const lplate = sharedLPlate(engine, { trustProxy: 1, probeLimitPerMinute: 1000 });

    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const token = ({ id, secret }: TestClient, address: string) =>
      lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret }, headers: from(address) });

    test('Decisions, the range: of two clients behind one address, each has its own calls by token and client_id', async () => {
      const clients = [await lplate.client(), await lplate.client()] as const;
      const ids: string[][] = [[], []];
      for (const [at, client] of clients.entries()) {
        for (const call of [
          await lplate.call('GET', '/policies', { token: client.token, headers: from('192.0.2.1') }),
          await lplate.call('POST', '/policies', { token: client.token, json: {}, headers: from('192.0.2.1') }),
          await token(client, '192.0.2.1'),
          await token({ ...client, secret: 'wrong' }, '192.0.2.1'),
          // It is open, and takes no notice of the token.
          await lplate.call('GET', '/limited/ping', { token: client.token, headers: from('192.0.2.1') }),
          await lplate.call('GET', '/vehicle-registry/v2/vehicles/AB-1234', {
            token: client.token,
            headers: from('192.0.2.1'),
          }),
        ]) {
          ids[at]?.unshift(idOf(call));
        }
      }
      const credentials = `${clients[1].id}:${clients[1].secret}`;
      // Also of one who forgot to encode it.
      for (const basic of [Buffer.from(credentials).toString('base64'), credentials]) {
        const form = await lplate.call('POST', '/auth/token', {
          body: 'grant_type=client_credentials',
          headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
        });
        ids[1]?.unshift(idOf(form));
      }
      for (const [at, client] of clients.entries()) {
        const entries = (await logOf(lplate, client)).map(({ id }) => id);
        deepEqual(entries.slice(0, ids[at]?.length), ids[at]);
        equal(entries.length, (ids[at]?.length ?? 0) + 2, 'and its creation and first token');
      }
    });

    test('Decisions, the range: a call with a token that has expired is that of its client', async () => {
      const [client] = [await lplate.client(), await lplate.client()];
      lplate.clock.advance(3600_000);
      const refused = await lplate.call('GET', '/policies', { token: client.token });
      deepEqual(problem(refused), [401, 'invalid-token']);
      const fresh = await lplate.token(client.id, client.secret);
      ok((await logOf(lplate, { ...client, token: fresh })).some(({ id }) => id === idOf(refused)));
    });

    test('Decisions, the range: without either it is the only client that was seen from its address in 15 minutes, or nobody', async () => {
      const ping = (address: string) => lplate.call('GET', '/limited/ping', { headers: from(address) });
      const [one, other] = [await lplate.client(), await lplate.client()];
      const isIn = async (client: TestClient, answer: Answer) =>
        (await logOf(lplate, client)).some(({ id }) => id === idOf(answer));
      const isNobodys = async (answer: Answer) =>
        (await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)).some(({ id }) => id === idOf(answer));

      const early = await ping('192.0.2.7');
      ok(await isNobodys(early));
      await token(one, '192.0.2.7');
      const alone = await ping('192.0.2.7');
      ok((await isIn(one, alone)) && !(await isNobodys(alone)));
      const wrong = await lplate.call('GET', '/policies', { token: 'nonsense', headers: from('192.0.2.7') });
      ok(await isIn(one, wrong), 'a wrong token');
      ok(await isNobodys(await ping('192.0.2.8')), 'another address');
      // A name without its secret is no evidence of who is there.
      await token({ ...other, secret: 'wrong' }, '192.0.2.7');
      ok(await isIn(one, await ping('192.0.2.7')));
      await token(other, '192.0.2.7');
      const unclear = await ping('192.0.2.7');
      ok((await isNobodys(unclear)) && !(await isIn(one, unclear)) && !(await isIn(other, unclear)));
      lplate.clock.advance(15 * 60_000 + 1);
      ok(await isNobodys(await ping('192.0.2.7')));
      await token(other, '192.0.2.7');
      ok(await isIn(other, await ping('192.0.2.7')));
    });

    test('Decisions, the range: a client_id that nobody has is nobody', async () => {
      const answer = await token({ id: 'demo-nobody', secret: 'x', token: '' }, '192.0.2.20');
      const { json } = await lplate.call('GET', `/range/v1/trainer/exchanges/${idOf(answer)}`, { token: trainerToken });
      equal(json.problem, 'invalid-client');
      const learners = await listed(lplate, '/range/v1/trainer/learners', trainerToken);
      ok(!learners.some(({ clientId }) => clientId === 'demo-nobody' || clientId === ''));
    });

    test('Decisions, the range: a call that a limit refused is its client’s', async (t) => {
      const strict = await startLPlate(t, engine, { rateLimitPerMinute: 3 });
      const client = await strict.client();
      await strict.call('GET', '/policies', client);
      const refused = await strict.call('GET', '/policies', client);
      equal(refused.status, 429);
      const log = await logOf(strict, client);
      equal(log[0].id, idOf(refused));
      // Looking at it counts against a limit of its own.
      equal((await strict.call('GET', '/range/v1/me', client)).headers.get('ratelimit-limit'), '600');
    });
  });

  describe('the trainer', () => {
    test('Decisions, the range: the trainer sees who is here, and the calls of each', async (t) => {
      const lplate = await startLPlate(t, engine);
      const [one, other] = [await lplate.client(), await lplate.client()];
      lplate.clock.advance(1000);
      await lplate.call('GET', '/policies/pol-1', { token: one.token });
      await lplate.call('PATCH', '/range/v1/me', { token: one.token, json: { nickname: 'Ada' } });
      const learners = await listed(lplate, '/range/v1/trainer/learners', trainerToken);
      deepEqual(
        learners.map(({ clientId, nickname, calls, refusals, lastProblem }) => [
          clientId,
          nickname,
          calls,
          refusals,
          lastProblem,
        ]),
        [
          [one.id, 'Ada', 3, 1, 'policy-not-found'],
          [other.id, null, 2, 0, null],
        ],
      );
      const path = `/range/v1/trainer/learners/${one.id}/exchanges`;
      deepEqual(
        (await listed(lplate, `${path}?status=4xx`, trainerToken)).map(({ problem }) => problem),
        ['policy-not-found'],
      );
      const odd = '/range/v1/trainer/learners/%00%20/exchanges';
      deepEqual(await listed(lplate, odd, trainerToken), []);
    });

    test('Decisions, the range: only TRAINER_TOKEN is taken, and what is wrong with another one is said', async (t) => {
      const { lplate, client } = await startWithClient(t, engine);
      for (const path of ['/learners', `/learners/${client.id}/exchanges`, '/exchanges', '/exchanges/x']) {
        const call = (options: { token?: string }) => lplate.call('GET', `/range/v1/trainer${path}`, options);
        const missing = await call({});
        deepEqual(problem(missing), [401, 'missing-token']);
        match(missing.json.detail, /Bearer with the TRAINER_TOKEN that the banner shows/);
        const wrong = await call({ token: client.token });
        deepEqual(problem(wrong), [401, 'invalid-token']);
        match(wrong.json.detail, /but one of a client/);
        deepEqual(problem(await call({ token: testSecrets.hmacSecret })), [401, 'invalid-token']);
      }
    });
  });

  test('Decisions, the range: RANGE=off keeps nothing and has no interface', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { range: 'off' });
    const headers = { Authorization: `Bearer ${token}` };
    equal((await fetch(`${lplate.url}/range/v1/me`, { headers })).status, 404);
    ok(lplate.addresses.every(({ path }) => !path.startsWith('/range')));
  });
});

// With a data directory one is made.
onPostgres((engine) => {
  test('Decisions, the range: without TRAINER_TOKEN nobody is the trainer', async (t) => {
    const lplate = await startLPlate(t, engine, { trainerToken: undefined });
    for (const token of [trainerToken, 'undefined']) {
      const answer = await lplate.call('GET', '/range/v1/trainer/learners', { token });
      deepEqual(problem(answer), [401, 'invalid-token']);
      match(answer.json.detail, /set TRAINER_TOKEN/);
    }
  });
});
