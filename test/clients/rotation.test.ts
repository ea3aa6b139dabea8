import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { hour } from '../../src/time/units.ts';
import { listed, logOf, plain } from '../range/range.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, startWithClient, type TestClient } from '../support/lplate.ts';

interface NewSecret {
  client_secret: string;
  previousValidUntil: string;
}

/** By a token of now, since tests let hours pass. */
async function renew(lplate: LPlate, { id }: TestClient, secret: string): Promise<NewSecret> {
  const token = await lplate.token(id, secret);
  const { status, json, text } = await lplate.call('POST', '/range/v1/me/secret', { token });
  equal(status, 201, text);
  deepEqual(Object.keys(json).sort(), ['client_secret', 'previousValidUntil']);
  return json;
}

async function rotateKey(
  lplate: LPlate,
  { token }: TestClient,
  parameters: object = { publishedFor: 0 },
): Promise<void> {
  const json = { name: 'rotate-key', parameters };
  const { status } = await lplate.call('POST', '/range/v1/me/drills', { token, json });
  equal(status, 201);
}

async function works(lplate: LPlate, client_id: string, client_secret: string): Promise<boolean> {
  const { status } = await lplate.call('POST', '/auth/token', { json: { client_id, client_secret } });
  ok(status === 200 || status === 401);
  return status === 200;
}

forEachEngine((engine) => {
  test('Decisions, rotation: both secrets hold for 24 hours, then the new one alone', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { client_secret: fresh, previousValidUntil } = await renew(lplate, client, client.secret);
    notEqual(fresh, client.secret);
    equal(Date.parse(previousValidUntil), lplate.clock.now() + 24 * hour);
    equal((await lplate.call('GET', '/policies', client)).status, 200, 'tokens stay valid');
    lplate.clock.advance(24 * hour - 1);
    deepEqual([await works(lplate, client.id, client.secret), await works(lplate, client.id, fresh)], [true, true]);
    lplate.clock.advance(1);
    deepEqual([await works(lplate, client.id, client.secret), await works(lplate, client.id, fresh)], [false, true]);
  });

  test('Decisions, rotation: the 24 hours are those of the client’s own clock', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [client, other] = [await lplate.client(), await lplate.client()];
    await renew(lplate, client, client.secret);
    await renew(lplate, other, other.secret);
    const { status } = await lplate.call('POST', '/range/v1/me/clock', { ...client, json: { advance: 'P1D' } });
    equal(status, 200);
    equal(await works(lplate, client.id, client.secret), false);
    equal(await works(lplate, other.id, other.secret), true);
  });

  test('Decisions, rotation: only two secrets hold: another new one ends the oldest at once', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { client_secret: second } = await renew(lplate, client, client.secret);
    const { client_secret: third } = await renew(lplate, client, client.secret);
    const held = [client.secret, second, third].map((each) => works(lplate, client.id, each));
    deepEqual(await Promise.all(held), [false, true, true]);
  });

  test('Decisions, rotation: a secret that has ended is answered like one that never was, to the letter', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { client_secret: fresh } = await renew(lplate, client, client.secret);
    await renew(lplate, client, fresh);
    const ask = async (client_id: string, client_secret: string) => {
      const { status, text, headers } = await lplate.call('POST', '/auth/token', {
        json: { client_id, client_secret },
      });
      const { instance: _, ...rest } = JSON.parse(text);
      return { status, rest, challenge: headers.get('www-authenticate') };
    };
    const ended = await ask(client.id, client.secret);
    const wrong = await ask(client.id, fresh.split('').toReversed().join(''));
    const unknown = await ask('demo-00000000000000000000', fresh);
    deepEqual(ended, wrong);
    deepEqual(ended, unknown);
    equal(ended.status, 401);
  });

  test('Decisions, rotation: a code for another browser ends both secrets', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { client_secret: fresh } = await renew(lplate, client, client.secret);
    const { json } = await lplate.call('POST', '/range/v1/me/transfer', client);
    const taken = await lplate.call('POST', '/range/v1/transfers', { json: { code: json.code } });
    const held = [client.secret, fresh, taken.json.client_secret].map((each) => works(lplate, client.id, each));
    deepEqual(await Promise.all(held), [false, false, true]);
  });

  test('Decisions, rotation: a preconfigured client gets no new secret, and ten times an hour is the most', async (t) => {
    const lplate = await startLPlate(t, engine);
    const token = await lplate.token('preset-fleet', lplate.secrets.fleetClientSecret);
    const refused = await lplate.call('POST', '/range/v1/me/secret', { token });
    deepEqual(problem(refused), [409, 'preset-client']);
    match(refused.json.detail, /Its secret is a setting of the service/);
    const client = await lplate.client();
    const ask = () => lplate.call('POST', '/range/v1/me/secret', client);
    for (let count = 0; count < 10; count += 1) equal((await ask()).status, 201);
    const limited = await ask();
    deepEqual(problem(limited), [429, 'rate-limit-exceeded']);
    match(limited.json.detail, /at most 10 new secrets an hour/);
    ok(Number(limited.headers.get('retry-after')) > 0);
    equal((await lplate.call('POST', '/range/v1/me/secret', await lplate.client())).status, 201, 'others are free');
  });

  test('Decisions, rotation: neither secret is in the log of calls, the old one also after its end', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { client_secret: fresh } = await renew(lplate, client, client.secret);
    const { client_secret: newest } = await renew(lplate, client, fresh);
    for (const each of [client.secret, fresh, newest]) {
      await works(lplate, client.id, each);
      await lplate.call('GET', `/policies?page=${each}`, client);
      await lplate.call('POST', '/policies', { ...client, json: { regNumber: each, holder: `text ${each}` } });
    }
    const read = async ({ id }: { id: string }) => lplate.call('GET', `/range/v1/me/exchanges/${id}`, client);
    const calls = await listed(lplate, '/range/v1/me/exchanges', client.token);
    const seen = (await Promise.all(calls.map(read))).map(({ text }) => text).join('\n');
    ok(seen.includes('/insurer/v1/auth/token') && seen.includes('regNumber'));
    for (const each of [client.secret, fresh, newest]) ok(!seen.includes(each));
  });

  test('Decisions, rotation: the log says which secret got a token, once there was a new one', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const latest = async () => {
      const [{ secretUsed, remarks }] = await logOf(lplate, client);
      return [secretUsed, plain(remarks).length];
    };
    deepEqual(await latest(), [undefined, 0]);
    const { client_secret: fresh } = await renew(lplate, client, client.secret);
    await works(lplate, client.id, fresh);
    deepEqual(await latest(), ['new', 0]);
    await works(lplate, client.id, client.secret);
    deepEqual(await latest(), ['before', 1]);
  });

  test('Decisions, rotation: with rotate-key tokens of this client name another key, which its own view of the keys alone has', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [client, other] = [await lplate.client(), await lplate.client()];
    const kidsAt = async (prefix = '') => {
      const { json } = await lplate.call('GET', `${prefix}/.well-known/jwks.json`);
      return json.keys.map(({ kid }: { kid: string }) => kid) as string[];
    };
    const own = `/for/${client.id}`;
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const usual = kidOf(client.token) as string;
    deepEqual(await kidsAt(own), [usual]);
    await rotateKey(lplate, client);
    const [first, second] = await kidsAt(own);
    deepEqual([first, second === undefined], [usual, false]);
    const token = await lplate.token(client.id, client.secret);
    deepEqual([kidOf(token), kidOf(await lplate.token(other.id, other.secret))], [second, usual]);
    deepEqual([await kidsAt(), await kidsAt(`/for/${other.id}`)], [[usual], [usual]]);
    for (const each of [client.token, token])
      equal((await lplate.call('GET', '/policies', { token: each })).status, 200, 'both stay valid');
    await lplate.call('DELETE', '/range/v1/me/drills/rotate-key', client);
    equal(kidOf(await lplate.token(client.id, client.secret)), usual);
    equal((await lplate.call('GET', '/policies', { token })).status, 200);
    lplate.clock.advance(hour - 1000);
    deepEqual(await kidsAt(own), [usual, second], 'as long as its last token is valid');
    lplate.clock.advance(1000);
    deepEqual(await kidsAt(own), [usual]);
    deepEqual(problem(await lplate.call('GET', '/policies', { token })), [401, 'invalid-token']);
  });

  test('Decisions, rotation: a new key is published first, and in use from the next token after publishedFor seconds of the client’s clock', async (t) => {
    const lplate = await startLPlate(t, engine);
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    for (const [seconds, pass] of [
      [60, async () => void lplate.clock.advance(1000)],
      [60, (token: string) => lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT1S' } })],
      [5, async () => void lplate.clock.advance(1000)],
    ] as const) {
      const client = await lplate.client();
      // A move of before the drill is no time that it was on.
      await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT30M' } });
      lplate.clock.advance(1);
      await rotateKey(lplate, client, seconds === 60 ? {} : { publishedFor: seconds });
      const { json } = await lplate.call('GET', `/for/${client.id}/.well-known/jwks.json`);
      const [usual, second] = json.keys.map(({ kid }: { kid: string }) => kid);
      ok(second, 'it is published at once');
      lplate.clock.advance((seconds - 1) * 1000);
      const before = await lplate.token(client.id, client.secret);
      equal(kidOf(before), usual);
      await pass(before);
      equal(kidOf(await lplate.token(client.id, client.secret)), second);
      equal((await lplate.call('GET', '/policies', { token: before })).status, 200);
    }
    const client = await lplate.client();
    for (const publishedFor of [-1, 3601, 1.5, '60', null])
      equal(
        (
          await lplate.call('POST', '/range/v1/me/drills', {
            ...client,
            json: { name: 'rotate-key', parameters: { publishedFor } },
          })
        ).status,
        400,
      );
  });

  test('Decisions, rotation: what keeps keys for a while, as jose does, has the new one in time, and refuses it without notice', async (t) => {
    const lplate = await startLPlate(t, engine);
    const checks = () => ({ currentDate: new Date(lplate.clock.now()), audience: 'http://lplate.example' });
    for (const [parameters, seconds, expected] of [
      [{}, 60, 'verified'],
      [{ publishedFor: 0 }, 0, 'ERR_JWKS_NO_MATCHING_KEY'],
    ] as const) {
      const client = await lplate.client();
      const keys = createRemoteJWKSet(new URL(`${lplate.url}/for/${client.id}/.well-known/jwks.json`));
      const verify = (token: string) =>
        jwtVerify(token, keys, checks()).then(
          () => 'verified',
          ({ code }) => code,
        );
      if (seconds === 0) equal(await verify(client.token), 'verified');
      await rotateKey(lplate, client, parameters);
      equal(await verify(client.token), 'verified');
      lplate.clock.advance(seconds * 1000);
      equal(await verify(await lplate.token(client.id, client.secret)), expected);
    }
  });

  test('Decisions, rotation: the second key stays the same after a restart', async (t) => {
    const own = async (lplate: LPlate, client: TestClient) =>
      (await lplate.call('GET', `/for/${client.id}/.well-known/jwks.json`)).text;
    const place = await engine.location();
    const where: Engine = { ...engine, location: async () => place };
    const first = await startLPlate(where);
    const client = await first.client();
    await rotateKey(first, client);
    const token = await first.token(client.id, client.secret);
    const keys = await own(first, client);
    await first.close();
    const second = await startLPlate(t, where, first.config, first.clock);
    equal(await own(second, client), keys);
    equal((await second.call('GET', '/policies', { token })).status, 200);
  });
});
