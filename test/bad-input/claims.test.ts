import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type Answer, linesFrom, sharedClient, sharedLPlate } from '../support/lplate.ts';
import { claimOn, insure, pass } from '../support/topic.ts';
import { identifierOf, sendAgain } from './wire.ts';

const base = '/claims/v1';

/** What can't be the id of anything. */
const noIds = [
  ...['%00', 'CLM-2026-%00', '%0d%0a', '..%2f..', 'a%2Fb', '%2e%2e', '%25zz', '%20', "'%20or%201=1", 'null', '-1'],
  ...['%F0%9F%9A%97', 'x'.repeat(8_000), '%E2%80%AE', '__proto__', '%EF%BB%BF', 'CLM-2026-0000001', 'clm-2026-000001'],
  ...['CLM-2026-%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1%D9%A1', 'CLM-9999-999999', 'sub-', `sub-${'-'.repeat(36)}`],
];

forEachEngineInFull((engine: Engine) => {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    throw new Error('nobody is to be called');
  };
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 }, undefined, { resolve });
  const client = sharedClient(lplate);
  let policy: string;
  const kept = sendAgain(lplate);
  const bearer = () => ({ Authorization: `Bearer ${client.token}` });
  const get = (path: string, headers: object = {}) =>
    kept({ method: 'GET', path, headers: { ...bearer(), ...headers } });
  const post = (path: string, body?: string, headers: object = { 'Content-Type': 'application/json' }) =>
    kept({ method: 'POST', path: base + path, body, headers: { ...bearer(), ...headers } });

  before(async () => {
    policy = await insure(lplate, client.token);
    await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
    await pass(lplate, 3);
  });

  const pointers = ({ json }: Answer) => json.errors.map(({ pointer }: { pointer: string }) => pointer);

  test('Decisions, claims and events: a claim with members of other types or out of bounds is a validation-error that names each', async () => {
    const paces = ['"1"', '0', '-1', '1.5', '3601', '1e400', '9'.repeat(400), 'true', 'null', '[]', '{}', '1e-9'];
    for (const pace of paces) {
      const answer = await post('/claims', `{"policyNumber": "${policy}", "paceSeconds": ${pace}}`);
      assert.deepEqual([identifierOf(answer), pointers(answer)], ['validation-error', ['/paceSeconds']], pace);
    }
    for (const outcome of ['"approved"', '"CLOSED"', 'null', '1', '["APPROVED"]', '""', '"APPROVED\\u0000"']) {
      const answer = await post('/claims', `{"policyNumber": "${policy}", "outcome": ${outcome}}`);
      assert.deepEqual([identifierOf(answer), pointers(answer)], ['validation-error', ['/outcome']], outcome);
    }
    for (const number of ['7', 'null', '{}', '["pol-1"]', 'true']) {
      const answer = await post('/claims', `{"policyNumber": ${number}, "paceSeconds": 0}`);
      assert.deepEqual(pointers(answer).sort(), ['/paceSeconds', '/policyNumber'], number);
    }
    for (const number of [
      '',
      ' ',
      'pol-',
      '\\u0000',
      'pol-\\u0000',
      '\\ud800',
      '🚗',
      'x'.repeat(60_000),
      `${policy} `,
    ]) {
      const answer = await post('/claims', `{"policyNumber": "${number}"}`);
      assert.equal(identifierOf(answer), 'policy-not-found', number.slice(0, 60));
    }
  });

  test('Decisions, REST conventions: a body that is broken, too large or of another type is refused before anything else', async () => {
    for (const path of ['/claims', '/subscriptions']) {
      for (const body of ['', '{', '{"policyNumber": "pol', '{}{}', '\0']) {
        assert.equal(identifierOf(await post(path, body)), 'malformed-json', body);
      }
      for (const body of ['null', '[]', '"http://x/"', '1e400']) {
        assert.deepEqual(pointers(await post(path, body)), [''], body);
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '', '\xff']) {
        assert.equal(identifierOf(await post(path, '{}', { 'Content-Type': type })), 'unsupported-media-type', type);
      }
      assert.equal(identifierOf(await post(path, ' '.repeat(65_537))), 'payload-too-large');
      assert.equal(identifierOf(await post(path)), 'malformed-json');
      assert.equal(identifierOf(await post(path, undefined, {})), 'validation-error');
    }
  });

  test('Decisions, claims and events: what is no URL that may be called is refused at /url, and nobody is called', async () => {
    const odd = ['null', '7', '{}', '[]', '["http://x.example/"]', 'true'];
    const texts = [
      ...['', ' ', 'x', 'http:', 'http://', 'http:///', '//partner.example/', 'http://:80/', 'http://[/', 'http://[]/'],
      ...['http://a b/', 'http://%zz/', 'http://%00/', 'http://\\u0000/', 'http://\\ud800/', 'http://x:99999/'],
      ...['http://127.0.0.1:0/', 'ftp://partner.example/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:,x'],
      ...['http://u@partner.example/', 'http://:p@partner.example/', 'http://u:p@partner.example/', 'blob:http://x/'],
      ...['http://10.0.0.1/', 'http://0x0a000001/', 'http://167772161/', 'http://012.0.0.1/', 'http://10.1/'],
      ...[
        'http://[::ffff:a00:1]/',
        'http://[64:ff9b::a00:1]/',
        'http://169.254.169.254/latest/meta-data/',
        'http://0/',
      ],
      ...['http://１０.0.0.1/', 'http://①0.0.0.1/', 'http://10。0。0。1/', 'http://[fe80::1%25eth0]/', 'unix:/run/x'],
      `http://partner.example/${'x'.repeat(2_048)}`,
      `http://partner.example/${'é'.repeat(500)}`,
      `http://${'a'.repeat(60_000)}.example/`,
    ];
    for (const url of [...odd, ...texts.map((text) => `"${text}"`)]) {
      const answer = await post('/subscriptions', `{"url": ${url}}`);
      assert.deepEqual([identifierOf(answer), pointers(answer)], ['validation-error', ['/url']], url.slice(0, 60));
    }
    // Names that are looked up, and lead nowhere.
    const before = asked.length;
    for (const name of [
      'partner.example',
      'xn--',
      'xn--a',
      'a'.repeat(63),
      `${'a'.repeat(64)}.example`,
      '-',
      '_',
      '*',
    ]) {
      const answer = await post('/subscriptions', JSON.stringify({ url: `http://${name}/` }));
      assert.deepEqual(pointers(answer), ['/url'], name);
      assert.match(answer.json.detail, /could not be looked up|it is no URL/);
    }
    assert(asked.length > before);
    assert.equal((await get(`${base}/subscriptions`)).json.totalItems, 0);
  });

  test('Decisions, claims and events: filters of the claims list are one value each; an odd policy is refused or has no claims', async () => {
    for (const query of [
      'status=',
      'status=closed',
      'status=CLOSED&status=CLOSED',
      'status=%00',
      'status=CLOSED,REGISTERED',
    ]) {
      assert.equal(identifierOf(await get(`${base}/claims?${query}`)), 'validation-error', query);
    }
    assert.equal(identifierOf(await get(`${base}/claims?policyNumber=a&policyNumber=b`)), 'validation-error');
    for (const number of [
      '',
      '%00',
      'pol-%00',
      '%25',
      "'",
      '%F0%9F%9A%97',
      '__proto__',
      `${policy}%00`,
      '%0d%0aX:%20y',
    ]) {
      const answer = await get(`${base}/claims?policyNumber=${number}&status=CLOSED`);
      if (answer.status === 400) assert.equal(identifierOf(answer), 'validation-error', number);
      else assert.deepEqual([answer.status, answer.json.totalItems], [200, 0], number);
    }
    // Links repeat the filter: a client must be able to read the headers.
    for (const number of ['x'.repeat(8_000), '%22'.repeat(2_600), "'".repeat(8_000)]) {
      const answer = await get(`${base}/claims?policyNumber=${number}&page=2&pageSize=1`);
      assert.equal(identifierOf(answer), 'validation-error');
    }
    assert.equal(
      (await get(`${base}/claims?page=1000000&pageSize=500&status=CLOSED&policyNumber=${policy}`)).status,
      200,
    );
  });

  test('Errors, 1: an id that can’t be one is not found, for claims, subscriptions and deliveries', async () => {
    for (const id of noIds) {
      const at = `/subscriptions/${id}`;
      const answers = {
        'claim-not-found': [await get(`${base}/claims/${id}`)],
        'subscription-not-found': [
          await get(base + at),
          await get(`${base}${at}/deliveries?page=1000000&pageSize=500`),
          await post(`${at}/test`),
          await post(`${at}/deliveries/1/redeliver`),
          await kept({ method: 'DELETE', path: base + at, headers: bearer() }),
        ],
      };
      for (const [expected, each] of Object.entries(answers)) {
        assert.deepEqual(
          each.map(identifierOf),
          each.map(() => expected),
          id.slice(0, 60),
        );
      }
      const unknown = await kept({ method: 'DELETE', path: base + at });
      assert.equal(identifierOf(unknown), 'missing-token');
    }
  });

  test('Decisions, claims and events: hundreds of deliveries are listed and sent again, and odd numbers are not found', async () => {
    const { json: subscription } = await post('/subscriptions', '{"url": "http://127.0.0.1:9/nobody"}');
    const own = `/subscriptions/${subscription.id}`;
    const count = 600;
    for (let sent = 0; sent < count; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(`${own}/test`)));
      for (const { status } of answers) assert.equal(status, 202);
    }
    for (const [page, items] of [
      [1, 500],
      [2, 100],
      [3, 0],
      [1_000_000, 0],
    ] as const) {
      const { json } = await get(`${base}${own}/deliveries?page=${page}&pageSize=500`);
      assert.deepEqual([json.items.length, json.totalItems], [items, count]);
    }
    for (const number of [
      '0',
      '00',
      '01',
      '-1',
      '1.0',
      '1e1',
      '%00',
      '%20',
      'null',
      '601',
      '999999999',
      '1000000000',
    ]) {
      const answer = await post(`${own}/deliveries/${number}/redeliver`);
      assert.equal(identifierOf(answer), 'delivery-not-found', number);
    }
    for (const number of ['9'.repeat(400), '9'.repeat(8_000), '%F0%9F%9A%97', '1%2F1', '__proto__']) {
      assert.equal(identifierOf(await post(`${own}/deliveries/${number}/redeliver`)), 'delivery-not-found');
    }
    for (const number of [1, 2, 300, 600]) {
      assert.equal((await post(`${own}/deliveries/${number}/redeliver`, '{', { 'Content-Type': 'x' })).status, 202);
    }
    // Removal in the middle of all that.
    const removals = Array.from({ length: 4 }, () => kept({ method: 'DELETE', path: base + own, headers: bearer() }));
    const tests = Array.from({ length: 8 }, () => post(`${own}/test`));
    const removed = (await Promise.all(removals)).map(({ status }) => status).sort();
    assert.deepEqual(removed, [204, 404, 404, 404]);
    for (const { status } of await Promise.all(tests)) assert([202, 404].includes(status));
    assert.equal(identifierOf(await get(base + own)), 'subscription-not-found');
  });

  test('Errors, 1: nothing of all this is an internal error or a lost warning, and the server answers', async () => {
    assert.deepEqual(linesFrom(lplate, 40), []);
    assert.equal((await get(`${base}/claims`)).status, 200);
  });
});
