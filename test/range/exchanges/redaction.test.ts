import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { exampleReceiver } from '../../../src/webhooks/index.ts';
import { administer, forEachEngineInFull, onSqlite } from '../../support/engines.ts';
import { type LPlate, sign, startWithClient, type TestClient, testSecrets } from '../../support/lplate.ts';
import { Receiver, until } from '../../support/receiver.ts';
import { idOf, listed, logOf, trainerToken } from '../range.ts';

/** Everything that the database holds, as bytes in which a text can be found. */
async function stored({ config }: LPlate): Promise<string> {
  if (config.databaseUrl) {
    const rows = await administer('select * from exchanges', config.databaseUrl);
    const others = await administer('select * from learners', config.databaseUrl);
    return JSON.stringify([...rows, ...others]);
  }
  const names = (await readdir(config.dataDir)).filter((name) => name.startsWith('l-plate.db'));
  ok(names.length > 1, 'the log of the database is there too');
  const files = await Promise.all(names.map((name) => readFile(join(config.dataDir, name), 'latin1')));
  return files.join('');
}

/** What the range answers to a client and to the trainer, all of it. */
async function shown(lplate: LPlate, client: TestClient): Promise<string> {
  const texts: string[] = [];
  const read = async (path: string, token: string) => {
    const answer = await lplate.call('GET', path, { token });
    equal(answer.status, 200, answer.text);
    texts.push(answer.text, JSON.stringify([...answer.headers]));
  };
  for (const path of ['/me', '/me/exchanges?pageSize=500']) await read(`/range/v1${path}`, client.token);
  for (const { id } of await logOf(lplate, client)) {
    for (const format of ['', '/har', '/curl']) await read(`/range/v1/me/exchanges/${id}${format}`, client.token);
    await read(`/range/v1/trainer/exchanges/${id}`, trainerToken);
  }
  await read('/range/v1/trainer/exchanges?pageSize=500', trainerToken);
  for (const { id } of await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)) {
    await read(`/range/v1/trainer/exchanges/${id}`, trainerToken);
  }
  return texts.join('\n');
}

/** Sends secrets, tokens and signatures to every place where one can be. Returns all of them. */
async function spillSecrets(
  lplate: LPlate,
  client: TestClient,
): Promise<{ spilt: string[]; webhookSecrets: string[] }> {
  const { id, secret, token } = client;
  const { url } = lplate;
  const spilt = [secret, token, token.split('.')[2] as string, ...Object.values(testSecrets)];
  const send = async (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string) => {
    const answer = await fetch(`${url}${path}`, { method, headers, body: body ?? null });
    return { status: answer.status, text: await answer.text() };
  };
  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const credentials = { client_id: id, client_secret: secret };
  const requestToken = (headers: Record<string, string>, body: string) =>
    send('/insurer/v1/auth/token', 'POST', headers, body);
  const keep = ({ text }: { text: string }) => {
    const { access_token: got } = JSON.parse(text);
    if (got) spilt.push(got, got.split('.')[2]);
  };
  const basic = Buffer.from(`${id}:${secret}`).toString('base64');
  spilt.push(basic);
  // The ways to get a token, and what goes wrong with them.
  keep(await requestToken(json, JSON.stringify(credentials)));
  keep(await requestToken(json, JSON.stringify(credentials, null, 2)));
  keep(await requestToken(form, `${new URLSearchParams({ ...credentials, grant_type: 'client_credentials' })}`));
  keep(await requestToken({ ...form, Authorization: `Basic ${basic}` }, 'grant_type=client_credentials'));
  const fleet = { client_id: 'preset-fleet', client_secret: testSecrets.fleetClientSecret };
  keep(await requestToken(json, JSON.stringify(fleet)));
  await requestToken(json, JSON.stringify(credentials).slice(0, -1));
  await requestToken(json, `{'client_secret': '${secret}'`);
  await requestToken(form, JSON.stringify(credentials));
  await requestToken(json, `${new URLSearchParams(credentials)}`);
  await requestToken({}, JSON.stringify(credentials));
  await requestToken(json, JSON.stringify({ client_id: secret, client_secret: id, grant_type: secret }));
  await requestToken(json, JSON.stringify({ clientSecret: secret, 'client-secret': testSecrets.hmacSecret }));
  // Tokens at every place.
  const bearer = { Authorization: `Bearer ${token}` };
  for (const path of ['/policies', `/policies?access_token=${token}`, `/policies/${token}`, `/policies?q=${secret}`]) {
    await send(`/insurer/v1${path}`, 'GET', bearer);
    await send(`/insurer/v1${path}`);
  }
  const odd = [
    `Bearer ${token}x`,
    `Bearer  ${token}`,
    `bearer ${token.slice(0, -9)}`,
    token,
    `Token ${token}`,
    `Bearer: ${token}`,
    `Bearer=${token}`,
    `Bearer${token}`,
    `"${token}"`,
  ];
  for (const value of [...odd, secret, `Bearer ${secret}`, `Basic ${secret}`, `Basic ${token}`]) {
    await send('/insurer/v1/policies', 'GET', { Authorization: value });
  }
  for (const name of ['X-Api-Key', 'Cookie', 'X-Auth-Token', 'X-Anything', 'Proxy-Authorization']) {
    await send('/insurer/v1/policies', 'GET', { ...bearer, [name]: secret });
    await send('/insurer/v1/coverage-options', 'GET', { [name]: `a=${token}` });
  }
  await send(
    '/insurer/v1/policies',
    'POST',
    { ...bearer, ...json },
    JSON.stringify({ regNumber: token, holder: secret }),
  );
  await send('/insurer/v1/policies', 'POST', { ...bearer, ...json }, JSON.stringify({ [secret]: 1, [`x${token}`]: 2 }));
  // A body that nobody can parse, and one whose secret lies across the limit of what is kept.
  await send('/insurer/v1/policies', 'POST', bearer, `\u0000 ${secret} and ${token}\n${testSecrets.hmacSecret}`);
  for (const before of [16_384 - 20, 16_384 + 4096 - 20]) {
    for (const text of [secret, token]) {
      await send('/insurer/v1/policies', 'POST', { ...bearer, ...json }, `{"holder":"${' '.repeat(before)}${text}"}`);
    }
  }
  // Many tokens shrink a body: what was cut off behind them moves up.
  const many = `["${Array(40).fill(token).join('","')}"]`;
  await send('/insurer/v1/policies', 'POST', { ...bearer, ...json }, many);
  // Signatures.
  const check = JSON.stringify({ regNumber: 'AB-1234' });
  const hex = sign(check);
  for (const signature of [hex, hex.toUpperCase(), `sha256=${hex}`, Buffer.from(hex, 'hex').toString('base64')]) {
    spilt.push(signature);
    await send('/insurer/v1/signed/policy-check', 'POST', { ...json, 'X-Signature': signature }, check);
  }
  // Webhooks.
  const made = await send('/claims/v1/subscriptions', 'POST', { ...bearer, ...json }, `{"url":"${exampleReceiver}"}`);
  equal(made.status, 201, made.text);
  const { secret: whsec } = JSON.parse(made.text);
  const webhookSecrets = [whsec, whsec.slice('whsec_'.length)];
  spilt.push(...webhookSecrets);
  await send(`/claims/v1/subscriptions/${whsec}`, 'GET', bearer);
  await send(`/claims/v1/subscriptions/${encodeURIComponent(whsec)}`, 'GET', bearer);
  await send('/claims/v1/subscriptions', 'POST', { ...bearer, ...json }, JSON.stringify({ url: whsec, secret: whsec }));
  // Other interfaces, and what is nobody's.
  await send(`/vehicle-registry/v2/vehicles/${secret}`);
  await send('/vehicle-registry/v1', 'POST', { 'Content-Type': 'text/xml', SOAPAction: secret }, `<a>${token}</a>`);
  await send(`/insurer/v1/${secret}`);
  await send('/insurer/v1/demo-clients', 'POST', bearer, secret);
  return { spilt: [...new Set(spilt)], webhookSecrets };
}

/** Has an event delivered to a receiver that answers with secrets. Returns what was sent to it, too. */
async function deliver(t: TestContext, lplate: LPlate, { token, secret }: TestClient) {
  const receiver = await Receiver.open(t);
  // In the body also where it is cut, and encoded.
  const body = `${testSecrets.hmacSecret} ${Buffer.from(secret).toString('hex')} `.padEnd(1024 - 20) + secret;
  const location = `http://127.0.0.1/${token}?x=${secret}&y=`.padEnd(500 - 20, 'y ') + secret;
  receiver.answer = () => ({ status: 302, location: encodeURI(location), body });
  const key = 'the-key-of-the-receiver';
  const json = { url: `${receiver.url}?api_key=${key}` };
  const { json: made } = await lplate.call('POST', '/claims/v1/subscriptions', { token, json });
  equal((await lplate.call('POST', `/claims/v1/subscriptions/${made.id}/test`, { token })).status, 202);
  await receiver.until(1);
  await until(async () => (await logOf(lplate, { token } as TestClient, '?kind=delivery')).length > 0, 'its entry');
  const signatures = receiver.calls.map(({ headers }) => headers['webhook-signature']?.split(',')[1] ?? '');
  const cut = [secret.slice(0, 20), Buffer.from(secret).toString('hex')];
  return { spilt: [...signatures, ...cut, made.secret, key], webhookSecrets: [made.secret, key] };
}

/** A stream, and calls with secrets, under the personal prefix of the client. */
async function underPrefix(lplate: LPlate, { id, secret, token }: TestClient): Promise<void> {
  const root = `${lplate.url}/for/${id}`;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  const stream = await fetch(`${root}/claims/v1/topics/claims.status-changed?token=${token}`, { headers });
  await stream.body?.cancel();
  for (const path of [`/insurer/v1/coverage-options?secret=${secret}`, `/vehicle-registry/v2/vehicles/${secret}`]) {
    await (await fetch(root + path, { headers: { 'X-Api-Key': secret } })).arrayBuffer();
  }
  await (await fetch(`${lplate.url}/for/${secret}/insurer/v1/policies`)).arrayBuffer();
  await (await fetch(`${lplate.url}/for/${token}/insurer/v1/policies`)).arrayBuffer();
}

forEachEngineInFull((engine) => {
  test('Decisions, the range: no secret, token or signature is in the database or in an answer of the range', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { spilt, webhookSecrets } = await spillSecrets(lplate, client);
    const delivered = await deliver(t, lplate, client);
    spilt.push(...delivered.spilt);
    webhookSecrets.push(...delivered.webhookSecrets);
    await underPrefix(lplate, client);
    const answers = await shown(lplate, client);
    const unclaimed = await listed(lplate, '/range/v1/trainer/exchanges', trainerToken);
    ok((await logOf(lplate, client)).length > 25 && unclaimed.length > 25, 'the calls were recorded');
    const database = await stored(lplate);
    for (const secret of spilt) {
      ok(!answers.includes(secret), `the range shows ${secret}`);
      // The row of a subscription has the secret that it signs with; on PostgreSQL only the tables of the range are read.
      const ofWebhook = engine.name === 'sqlite' && webhookSecrets.includes(secret);
      ok(ofWebhook || !database.includes(secret), `the database holds ${secret}`);
    }
  });
});

onSqlite((engine) => {
  test('Decisions, the range: no secret is kept as a name, a key or an address', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { trustProxy: 1 });
    const { token, secret } = client;
    const encoded = Buffer.from(secret).toString('hex');
    for (const holder of [secret, `Ada ${secret}`, testSecrets.hmacSecret, encoded]) {
      const refused = await lplate.call('POST', '/policies', { token, json: { regNumber: 'AB-1234', holder } });
      deepEqual(
        [refused.status, refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)],
        [400, ['/holder']],
      );
      ok(!refused.text.includes(holder));
    }
    const lettersOnly = await lplate.call('POST', '/policies', { token, json: { regNumber: testSecrets.hmacSecret } });
    deepEqual([lettersOnly.status, lettersOnly.json.errors[0].pointer], [400, '/regNumber']);
    for (const path of ['/range/v1/me', '/range/v1/trainer/announcement']) {
      const [method, name, bearer] = path.endsWith('me') ? ['PATCH', 'nickname', token] : ['PUT', 'text', trainerToken];
      const json = { [name]: testSecrets.hmacSecret };
      equal((await lplate.call(method, path, { token: bearer, json })).status, 400);
    }
    const headers = { 'Idempotency-Key': `${secret}+${testSecrets.hmacSecret}`, 'X-Forwarded-For': secret };
    const json = { regNumber: 'AB-1234', holder: 'Ada Example' };
    const made = await lplate.call('POST', '/policies', { token, json, headers });
    const again = await lplate.call('POST', '/policies', { token, json, headers });
    deepEqual([made.status, again.status, again.headers.get('idempotency-replayed')], [201, 201, 'true']);
    equal(again.text, made.text);
    await logOf(lplate, client);
    const kept = `${await stored(lplate)}${lplate.log.join('\n')}`;
    for (const each of [secret, testSecrets.hmacSecret, encoded]) ok(!kept.includes(each), each);
  });

  describe('what stands in the place of a secret', () => {
    const started = async (t: TestContext) => {
      const { lplate, client } = await startWithClient(t, engine);
      const exchange = async (id: string) =>
        (await lplate.call('GET', `/range/v1/trainer/exchanges/${id}`, { token: trainerToken })).json;
      return { lplate, client, exchange };
    };

    test('Decisions, the range: a token is kept as its header and claims', async (t) => {
      const { lplate, client, exchange } = await started(t);
      const { request, tokens } = await exchange(idOf(await lplate.call('GET', '/policies', client)));
      ok(request.headers.some(({ value }: { value: string }) => value === 'Bearer (token 1)'));
      deepEqual([tokens[0].header.alg, tokens[0].header.typ], ['ES256', 'at+jwt']);
      deepEqual([tokens[0].claims.sub, tokens[0].claims.exp - tokens[0].claims.iat], [client.id, 3600]);
      const wrong = await lplate.call('GET', '/policies', { token: 'not-a-jwt' });
      ok(JSON.stringify(await exchange(idOf(wrong))).includes('Bearer (token, 9 characters)'));
    });

    test('Decisions, the range: credentials are kept as client_id and length, bodies in their form', async (t) => {
      const { lplate, client, exchange } = await started(t);
      const { id, secret } = client;
      const body = `{ "client_id": "${id}",\n  "client_secret": "${secret}" }`;
      const headers = { 'Content-Type': 'application/json' };
      const { request, response } = await exchange(idOf(await lplate.call('POST', '/auth/token', { body, headers })));
      equal(request.body.text, body.replace(secret, '(secret, 43 characters)'));
      match(response.body.text, /"access_token":"\(token 1\)","token_type":"Bearer"/);
      const wrong = await lplate.call('POST', '/auth/token', {
        body: 'grant_type=client_credentials',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Authorization: `Basic ${Buffer.from(`${id}:short`).toString('base64')}`,
        },
      });
      const kept = await exchange(idOf(wrong));
      ok(JSON.stringify(kept).includes(`Basic ${id}:(secret, 5 characters)`));
      equal(kept.request.body.text, 'grant_type=client_credentials');
    });

    test('Decisions, the range: a signature is kept as its length and form', async (t) => {
      const { lplate, exchange } = await started(t);
      const json = { regNumber: 'AB-1234' };
      const forms = {
        [sign(JSON.stringify(json))]: '(signature <name>, 64 characters, hexadecimal)',
        'sha256=abcd': '(signature, 11 characters, with a prefix)',
        'TWFu/+==': '(signature, 8 characters, base64)',
        'a b': '(signature, 3 characters, of another form)',
      };
      const hex = sign('{}');
      const unnamed = (value: string) => value.replace(/(?<=\(signature )[\da-f]{8}(?=,)/, '<name>');
      const elsewhere = {
        'X-Hub-Signature-256': [`sha256=${hex}`, '(signature, 71 characters, with a prefix)'],
        Signature: ['abc', '(signature, 3 characters, hexadecimal)'],
        'X-Signatur': [hex, '(signature <name>, 64 characters, hexadecimal)'],
        'X-Sig': [`t=1,v1=${hex}`, '(signature, 71 characters, with a prefix)'],
        Authorisation: [`Basic ${btoa('demo-1:short')}`, 'Basic demo-1:(secret, 5 characters)'],
        'X-Authorization': ['abc', '(token, 3 characters)'],
      };
      const sent = Object.fromEntries(Object.entries(elsewhere).map(([name, [value = '']]) => [name, value]));
      const { request } = await exchange(
        idOf(await lplate.call('POST', '/signed/policy-check', { json, headers: sent })),
      );
      for (const [name, [, form]] of Object.entries(elsewhere)) {
        equal(unnamed(request.headers.find((each: { name: string }) => each.name === name)?.value), form, name);
      }
      for (const [signature, form] of Object.entries(forms)) {
        const answer = await lplate.call('POST', '/signed/policy-check', {
          json,
          headers: { 'X-Signature': signature },
        });
        const { request } = await exchange(idOf(answer));
        ok(
          request.headers.some(({ value }: { value: string }) => unnamed(value) === form),
          form,
        );
      }
    });

    test('Decisions, the range: a whole signature has a name, the same wherever it comes again', async (t) => {
      const { lplate, exchange } = await started(t);
      const hidden = async (signature: string, body: string) => {
        const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };
        const { request } = await exchange(idOf(await lplate.call('POST', '/signed/policy-check', { body, headers })));
        return request.headers.find(({ name }: { name: string }) => name === 'X-Signature').value;
      };
      const [first, other] = [sign('{}'), sign('{ }')];
      const name = await hidden(first, '{}');
      match(name, /^\(signature [\da-f]{8}, 64 characters, hexadecimal\)$/);
      equal(await hidden(first.toUpperCase(), '[]'), name);
      notEqual(await hidden(other, '{}'), name);
      // Who knows the signature, but not the key, can't know its name.
      ok(!name.includes(createHash('sha256').update(first).digest('hex').slice(0, 8)));
    });

    test('Decisions, the range: a secret that is cut off where reading ends leaves nothing', async (t) => {
      const { lplate, client, exchange } = await started(t);
      // The tokens shrink, so that what was read last moves up.
      const tokens = `${client.token} `.repeat(30);
      const body = `${tokens.padEnd(16_384 + 4096 - 20)}${client.secret} ${' '.repeat(9000)}`;
      const { request } = await exchange(idOf(await lplate.call('POST', '/policies', { token: client.token, body })));
      ok(request.body.text.includes('(token 1)') && request.body.text.length < 9000);
      ok(!request.body.text.includes(client.secret.slice(0, 12)));
    });

    test('Decisions, the range: a text comes back in its charset, and of what is none kind and length are kept', async (t) => {
      const { lplate, client, exchange } = await started(t);
      const texts = [
        '<script>alert(1)</script>',
        '\u0000\u0001\u001b[31m',
        '{"a":"\\ud800"}',
        '😀'.repeat(4096),
        'a'.repeat(16_384),
      ];
      for (const body of texts) {
        const { request } = await exchange(idOf(await lplate.call('POST', '/policies', { token: client.token, body })));
        const { text, encoding, bytes, complete } = request.body;
        deepEqual([text, encoding, bytes, complete], [body, 'utf-8', Buffer.byteLength(body), true]);
      }
      const send = async (body: Uint8Array<ArrayBuffer>) =>
        (await exchange(idOf(await lplate.call('POST', '/policies', { token: client.token, body })))).request.body;
      const text = '{"holder":"Zoë Überfall"}';
      const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
      const bigEndian = Buffer.from(littleEndian).swap16();
      for (const bytes of [littleEndian, bigEndian, bigEndian.subarray(2), Buffer.from(text, 'latin1')]) {
        const kept = await send(Uint8Array.from(bytes));
        deepEqual([kept.encoding, kept.complete, kept.bytes], ['base64', true, bytes.length]);
        deepEqual(Buffer.from(kept.text, 'base64'), Buffer.from(bytes));
      }
      const kept = await send(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0x41]));
      deepEqual([kept.text, kept.complete, kept.bytes, kept.omitted], ['(binary, 7 bytes, not kept)', false, 7, true]);
      for (const unit of ['a', '😀', '{"a":1},']) {
        const body = unit.repeat(60_000 / Buffer.byteLength(unit));
        const { request } = await exchange(idOf(await lplate.call('POST', '/policies', { token: client.token, body })));
        const kept = Buffer.byteLength(request.body.text);
        ok(kept <= 16_384 && kept > 16_000, `${kept} bytes of ${unit}`);
        ok(body.startsWith(request.body.text));
        deepEqual([request.body.bytes, request.body.complete], [Buffer.byteLength(body), false]);
      }
    });
  });
});
