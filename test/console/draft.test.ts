import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Exchange } from '../../console/api/types.ts';
import {
  type Draft,
  draftFrom,
  exampleOf,
  faultsOf,
  filled,
  requestOf,
  type Sent,
  withoutSecrets,
  withSent,
} from '../../console/model/draft.ts';

const origin = 'http://localhost:8080';
const own = { clientId: 'demo-1', clientSecret: `s3cret-${'x'.repeat(36)}` };
const draft = (change: Partial<Draft> = {}): Draft => ({
  ...{ method: 'GET', address: '/insurer/v1/policies', headers: [], body: '', ...change },
});
const header = (name: string, value = 'x') => ({ headers: [{ name, value }] });
const told = (change: Partial<Draft>) => faultsOf(draft(change), origin).map(({ at, text }) => `${at}: ${text}`);

describe('Console, send: what a browser can’t send is said at its field', () => {
  test('Console, send: a usual call has nothing to be said', () => {
    const usual = { headers: [{ name: 'Authorization', value: 'Bearer {{token}}' }] };
    assert.deepEqual(told({ ...usual, address: '/insurer/v1/policies?page=2&pageSize=5' }), []);
    assert.deepEqual(
      told({ method: 'POST', headers: [{ name: 'Content-Type', value: 'application/json' }], body: '{}' }),
      [],
    );
  });

  test('Console, send: headers that belong to the browser, and what no header can be', () => {
    for (const name of ['Cookie', 'Host', 'Content-Length', 'Sec-Fetch-Site', 'Origin'])
      assert.match(told(header(name)).join(), new RegExp(`^0: A browser sets ${name} itself`));
    assert.match(told(header('Transfer-Encoding', 'chunked')).join(), /in one piece, never chunked/);
    assert.match(told(header('X Y')).join(), /no name of a header/);
    assert.match(told(header('X-Name', 'ł')).join(), /Latin-1/);
    assert.match(
      told({
        headers: [
          { name: 'A', value: '1' },
          { name: 'a', value: '2' },
        ],
      }).join(),
      /^0: .*as one/,
    );
    assert.deepEqual(told({ headers: [{ name: 'Cookie', value: 'x', off: true }] }), []);
  });

  test('Console, send: a body with GET, methods and addresses', () => {
    assert.match(told({ body: '{}' }).join(), /no body with GET/);
    assert.match(told({ method: 'TRACE' }).join(), /^method: A browser does not send TRACE/);
    assert.match(told({ address: '//elsewhere.example/' }).join(), /Begin with one slash/);
    assert.match(told({ address: 'http://elsewhere.example/' }).join(), /Begin with one slash/);
    assert.match(told({ address: '/insurer/v1/policies/{id}' }).join(), /place of \{id\}/);
    assert.match(told({ address: '/a/../b c#d' }).join(), /sends it as \/b%20c$/);
    assert.ok(faultsOf(draft({ body: '{}' }), origin).some(({ stops }) => stops));
  });

  test('Console, send: JSON that is none can be sent, and is said to be none', () => {
    const broken = {
      method: 'POST',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"a": 1,}',
    };
    const [fault] = faultsOf(draft(broken), origin);
    assert.match(fault?.text ?? '', /^This is no JSON/);
    assert.equal(fault?.stops, undefined);
  });
});

describe('Console, send: whose call it is', () => {
  test('Console, send: without a token of one’s own the personal prefix says it, and with one nothing else does', () => {
    const withToken = draft({ headers: [{ name: 'Authorization', value: 'Bearer {{token}}' }] });
    assert.equal(requestOf(withToken, origin, 'demo-1').url, `${origin}/insurer/v1/policies`);
    const off = draft({ headers: [{ name: 'Authorization', value: 'Bearer {{token}}', off: true }] });
    assert.equal(requestOf(off, origin, 'demo-1').url, `${origin}/for/demo-1/insurer/v1/policies`);
    assert.deepEqual(requestOf(off, origin, 'demo-1').headers, []);
    assert.equal(requestOf(draft(), origin, undefined).url, `${origin}/insurer/v1/policies`);
    const named = draft({ address: '/for/demo-2/insurer/v1/policies' });
    assert.equal(requestOf(named, origin, 'demo-1').url, `${origin}/for/demo-2/insurer/v1/policies`);
  });

  test('Console, send: secrets are filled in where they are sent, also in an address', () => {
    const { url } = requestOf(draft({ address: '/a?t={{token}}' }), origin, undefined);
    assert.equal(filled(url, { token: 'abc', client_secret: 'def' }), `${origin}/a?t=abc`);
    assert.equal(filled('{{client_secret}} {{other}}', { token: 'abc', client_secret: 'def' }), 'def {{other}}');
  });

  test('Console, send: an example has the learner’s own credentials, and another vehicle each time', () => {
    const json = {
      mediaType: 'application/json',
      members: [],
      examples: [{ name: '', text: '{\n  "regNumber": "QA-1",\n  "client_id": "c",\n  "client_secret": "s"\n}' }],
    };
    const made = JSON.parse(exampleOf(json, 0, own));
    assert.deepEqual([made.client_id, made.client_secret], ['demo-1', '{{client_secret}}']);
    assert.match(made.regNumber, /^[A-Z]{2}-\d{4}$/);
    const plates = new Set(Array.from({ length: 20 }, () => JSON.parse(exampleOf(json, 0, own)).regNumber));
    assert.ok(plates.size > 10);
    const form = {
      ...json,
      mediaType: 'application/x-www-form-urlencoded',
      examples: [{ name: '', text: 'grant_type=x&client_id=c&client_secret=s' }],
    };
    assert.equal(exampleOf(form, 0, own), 'grant_type=x&client_id=demo-1&client_secret={{client_secret}}');
  });
});

describe('Console, send: an exchange is sent again', () => {
  const exchange = (change: Partial<Exchange['request']>, url = '/insurer/v1/policies'): Exchange =>
    ({
      method: 'POST',
      url,
      request: { httpVersion: '1.1', headers: [], body: undefined, ...change },
    }) as unknown as Exchange;

  test('Console, send: what the log hides is filled in anew, and what a program adds by itself is left out', () => {
    const again = draftFrom(
      exchange(
        {
          headers: [
            { name: 'Host', value: 'localhost' },
            { name: 'User-Agent', value: 'curl/8' },
            { name: 'Accept', value: '*/*' },
            { name: 'Authorization', value: 'Bearer (token 1)' },
            { name: 'Content-Type', value: 'application/json' },
            { name: 'L-Plate-Console', value: 'by-hand' },
          ],
          body: { text: '{"client_secret":"(secret, 43 characters)"}', encoding: 'utf-8', bytes: 70, complete: true },
        },
        '/for/demo-1/insurer/v1/policies?a=1',
      ),
    );
    assert.deepEqual(again, {
      method: 'POST',
      address: '/insurer/v1/policies?a=1',
      headers: [
        { name: 'Authorization', value: 'Bearer {{token}}' },
        { name: 'Content-Type', value: 'application/json' },
      ],
      body: '{"client_secret":"{{client_secret}}"}',
    });
  });

  test('Console, send: a secret that nobody can fill in is said to be missing', () => {
    const again = draftFrom(
      exchange({ headers: [{ name: 'X-Signature', value: '(signature 5f0c2a4d, 64 characters, hexadecimal)' }] }),
    );
    assert.match(
      faultsOf(again, origin)
        .map(({ text }) => text)
        .join(),
      /log hides.*Workbench/,
    );
  });
});

describe('Console, send: the history', () => {
  const token = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(60)}.${'b'.repeat(86)}`;

  test('Console, send: no secret is kept, wherever it was typed', () => {
    const kept = JSON.stringify(
      withoutSecrets(
        draft({
          address: `/a?token=${token}`,
          headers: [
            { name: 'Authorization', value: `Bearer ${token}` },
            { name: 'Authorization', value: 'Basic ZGVtbzpzZWNyZXQ=' },
            { name: 'X-Signature', value: 'ab12' },
            { name: 'X-Other', value: `it is ${own.clientSecret}` },
          ],
          body: `{"client_secret": "${own.clientSecret}", "secret": "whsec_QUJD", "t": "${token}", "o": "${'Ab1'.repeat(15)}"}`,
        }),
        own,
      ),
    );
    for (const secret of [token, 'ZGVtbzpzZWNyZXQ=', 'ab12', own.clientSecret, 'whsec_QUJD', 'Ab1'.repeat(15)])
      assert.ok(!kept.includes(secret), `${secret} in ${kept}`);
    assert.match(kept, /\{\{client_secret\}\}/);
  });

  test('Console, send: what is no secret stays, the last 30 calls, each once, with the beginning of a long body', () => {
    let history: Sent[] = [];
    for (let at = 0; at < 40; at += 1)
      history = withSent(history, { at, status: 200, draft: draft({ address: `/policies/pol-${at % 35}` }) }, own);
    assert.equal(history.length, 30);
    assert.deepEqual([history[0]?.at, history[0]?.draft.address], [39, '/policies/pol-4']);
    assert.equal(new Set(history.map(({ draft: { address } }) => address)).size, 30);
    const usual = draft({ headers: [{ name: 'Authorization', value: 'Bearer {{token}}' }], body: '{"a":1}' });
    assert.deepEqual(withoutSecrets(usual, own), usual);
    assert.equal(withoutSecrets(draft({ body: '{} '.repeat(5000) }), own).body.length, 4000);
  });
});
