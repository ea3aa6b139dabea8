import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type Answer, linesFrom, sharedClient, sharedLPlate, sign } from '../support/lplate.ts';
import { identifierOf, keptConnections, type Sent, send, sendAgain } from './wire.ts';

const base = '/insurer/v1';
const json = { 'Content-Type': 'application/json' };
const limit = 65_536;

const unparsable: Record<string, string | Uint8Array> = {
  'cut off in a string': '{"regNumber": "AB-1',
  'cut off after a name': '{"regNumber"',
  'an opening brace': '{',
  'single quotes': "{'regNumber': 'AB-1'}",
  'no quotes': '{regNumber: AB-1}',
  'a comma too many': '{"regNumber": "AB-1",}',
  'a comment': '{} // nothing',
  'two documents': '{}{}',
  'not a number': '{"regNumber": NaN}',
  'a leading zero': '{"regNumber": 01}',
  hexadecimal: '{"regNumber": 0x10}',
  'a form': 'regNumber=AB-1',
  'a raw NUL': '{"regNumber": "AB\0-1"}',
  'a raw line feed': '{"regNumber": "AB\n-1"}',
  'NUL alone': '\0',
  'half an escape': '{"regNumber": "\\u12"}',
  'an escape that is none': '{"regNumber": "\\x41"}',
  'white space': ' \r\n\t ',
  'a byte order mark alone': '\uFEFF',
  'two byte order marks': '\uFEFF\uFEFF{}',
  'bytes that are no UTF-8': Buffer.from('{"regNumber": "AB\xff-1"}', 'latin1'),
  'NUL in two bytes': Buffer.from('7b2261223a22c080227d', 'hex'),
  'a surrogate in UTF-8': Buffer.from('7b2261223a22eda080227d', 'hex'),
  'UTF-16': Buffer.from('\uFEFF{"regNumber": "AB-1"}', 'utf16le'),
  compressed: Buffer.from('1f8b0800000000000003ab56020000ffff', 'hex'),
};

/** JSON texts that are no string. */
const noStrings = [
  ...['null', 'true', '0', '-0', '1.5', '[]', '{}', '["AB-1"]', '{"toString": "AB-1"}', '{"length": 2}'],
  ...['1e400', '-1e400', '1e-999999999', '9'.repeat(60_000), `0.${'1'.repeat(60_000)}`],
];

const nested = (open: string, close: string, bytes = 60 * 1024): string => {
  const depth = Math.floor(bytes / (open.length + close.length));
  return open.repeat(depth) + (open.endsWith(':') ? 'null' : '') + close.repeat(depth);
};

const otherTypes = [
  ...['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'multipart/form-data', 'json', '*/*'],
  ...['application/jsonx', 'application/problem+json', 'application/json, text/plain', 'application json', ''],
  ...[';', '/', '\xff\xfe', `text/${'x'.repeat(8_000)}`, 'application/octet-stream', '__proto__', 'constructor'],
];

forEachEngineInFull((engine: Engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  let policy: string;
  const kept = sendAgain(lplate);

  before(async () => {
    policy = (await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'OWN-1' } })).json.id;
  });
  const bearer = () => ({ Authorization: `Bearer ${client.token}` });
  const create = (body: string | Uint8Array, headers: object = json) =>
    kept({ method: 'POST', path: `${base}/policies`, body, headers: { ...bearer(), ...headers } });
  const change = (body: string | Uint8Array, headers: object = json) =>
    kept({ method: 'PUT', path: `${base}/policies/${policy}`, body, headers: { ...bearer(), ...headers } });
  const token = (body: string | Uint8Array, headers: object = json) =>
    kept({ method: 'POST', path: `${base}/auth/token`, body, headers: { ...headers } });
  const check = (body: string | Uint8Array, headers: object = json) =>
    kept({
      method: 'POST',
      path: `${base}/signed/policy-check`,
      body,
      headers: { 'X-Signature': sign(body), ...headers },
    });
  const takers = { create, change, token, check };

  /** Sends the body to each endpoint that takes JSON; each must answer so. */
  async function everywhere(body: string | Uint8Array, expected: string, headers?: object): Promise<Answer[]> {
    const answers = await Promise.all(Object.values(takers).map((take) => take(body, headers)));
    const shown = Buffer.from(body as Uint8Array)
      .toString('latin1')
      .slice(0, 60);
    assert.deepEqual(
      answers.map(identifierOf),
      Object.keys(takers).map(() => expected),
      shown,
    );
    return answers;
  }

  test('Errors, 1: a body that can’t be parsed as JSON in UTF-8 is malformed-json, whichever endpoint takes it', async () => {
    for (const body of Object.values(unparsable)) {
      for (const answer of await everywhere(body, 'malformed-json')) {
        assert.doesNotMatch(answer.json.detail, /AB|regNumber/, 'a body may hold a secret: it is not repeated');
      }
    }
  });

  test('Errors, 1: a JSON document that is no object breaks a rule, and the problem points to the whole', async () => {
    for (const body of ['null', 'true', '1', '"AB-1"', '[]', '[{"regNumber":"AB-1"}]', '1e400', '9'.repeat(60_000)]) {
      const answers = await everywhere(body, 'validation-error');
      for (const { json } of answers) assert.equal(json.errors[0].pointer, '');
    }
  });

  test('Errors, 1: a member of a wrong type breaks a rule and is pointed to; nothing is coerced', async () => {
    for (const value of noStrings) {
      const wrong = [
        [create, 'regNumber', '{'],
        [create, 'holder', '{"regNumber": "WT-1", '],
        [create, 'coverageOption', '{"regNumber": "WT-1", '],
        [create, 'startDate', '{"regNumber": "WT-1", '],
        [token, 'client_id', '{"client_secret": "x", '],
        [token, 'scope', '{"client_id": "x", "client_secret": "x", '],
        [check, 'regNumber', '{'],
        // A policy that has no holder is put back with null.
        ...(value === 'null' ? [] : [[change, 'holder', '{'] as const]),
      ] as const;
      for (const [take, member, start] of wrong) {
        const answer = await take(`${start}"${member}": ${value}}`);
        assert.equal(identifierOf(answer), 'validation-error', `${member}: ${value.slice(0, 60)}`);
        assert.deepEqual(
          answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
          [`/${member}`],
        );
      }
    }
  });

  test('Errors, 1: nesting as deep as 60 KiB allow is refused or ignored, with escapes and without', async () => {
    const deep = [nested('[', ']'), nested('{"a":', '}'), nested('{"\\u0061":', '}'), nested('[{"a":', '}]')];
    for (const value of [...deep, '['.repeat(60 * 1024), '{"a":'.repeat(12_000), '"\\u0061"'.padStart(60_000, '[')]) {
      for (const take of Object.values(takers)) {
        assert.equal((await take(value)).status, 400);
        assert.equal((await take(`{"regNumber": ${value}}`)).status, 400);
      }
      assert.notEqual((await create(`{"more": ${value}, "regNumber": "NEST-1"}`)).status, 413);
    }
  });

  test('Errors, 1: NUL and lone surrogates written as escapes are refused by whoever takes the text', async () => {
    for (const bad of ['\\u0000', '\\ud800', '\\udfff', '\\udfff\\ud800', '\\u0007', '\\u0085', '\\ufffe\\ud83d']) {
      assert.equal(identifierOf(await create(`{"regNumber": "AB${bad}1"}`)), 'validation-error');
      assert.equal(identifierOf(await check(`{"regNumber": "AB${bad}1"}`)), 'validation-error');
      assert.equal(
        identifierOf(await create(`{"regNumber": "NUL-1", "startDate": "2026-03-02${bad}"}`)),
        'validation-error',
      );
      if (bad !== '\\ufffe\\ud83d')
        assert.equal(identifierOf(await change(`{"holder": "Ada${bad}Example"}`)), 'validation-error');
      const { id, secret } = client;
      assert.equal(
        identifierOf(await token(`{"client_id": "${id}${bad}", "client_secret": "${secret}"}`)),
        'invalid-client',
      );
      assert.equal(
        identifierOf(await token(`{"client_id": "${id}", "client_secret": "${bad}${secret}"}`)),
        'invalid-client',
      );
      const scope = await token(`{"client_id": "${id}", "client_secret": "${secret}", "scope": "policies:read${bad}"}`);
      assert.equal(identifierOf(scope), 'invalid-scope');
    }
    const ignored = await create('{"regNumber": "NUL-2", "more\\u0000": "\\ud800"}');
    assert.equal(ignored.status, 201);
  });

  test('Decisions, REST conventions: names of JavaScript’s own are unknown members, and change nothing', async () => {
    for (const [at, name] of ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'].entries()) {
      const answer = await create(`{"regNumber": "OWN-NAME-${at}", "${name}": {"prototype": {"holder": "Eve"}}}`);
      assert.equal(answer.status, 201);
      assert.equal(answer.json.holder, null);
    }
    assert.equal(({} as { holder?: string }).holder, undefined);
    const emptyName = await create('{"": 1, "regNumber": "OWN-NAME-X"}');
    assert.equal(emptyName.status, 201);
  });

  test('Decisions, REST conventions: __proto__ is an unknown member, however it is written, and changes nothing', async () => {
    for (const name of ['__proto__', '\\u005f_proto__']) {
      for (const answer of await everywhere(
        `{"${name}": {"regNumber": "AB-1", "holder": "Eve"}}`,
        'validation-error',
      )) {
        assert.match(answer.json.detail, /is missing/);
      }
      const refused = await create(`{"${name}": {"regNumber": "AB-1"}}`);
      assert.equal(refused.headers.get('l-plate-ignored'), 'body/__proto__');
      const answer = await create(`{"regNumber": "PROTO-${name.length}", "${name}": {"holder": "Eve"}}`);
      assert.deepEqual([answer.status, answer.json.holder], [201, null]);
      assert.equal(answer.headers.get('l-plate-ignored'), 'body/__proto__');
    }
    const inside = await create('{"regNumber": "PROTO-1", "a": [{"b": {"__proto__": null}}]}');
    assert.deepEqual([inside.status, inside.headers.get('l-plate-ignored')], [201, 'body/a']);
    assert.equal(({} as { holder?: string }).holder, undefined);
  });

  test('Decisions, REST conventions: a name that an object has twice is refused and named, at any depth', async () => {
    const twice: [body: string, pointer: string][] = [
      ['{"regNumber": "TWICE-1", "regNumber": "TWICE-2"}', '/regNumber'],
      ['{"regNumber": "TWICE-3", "regNumber": null}', '/regNumber'],
      ['{"regNumber": "TWICE-4", "reg\\u004eumber": "TWICE-4"}', '/regNumber'],
      ['{"regNumber": "a:b", "x": ":", "x": "\\\\"}', '/x'],
      ['{"a": [1, {"b/c": {"~": 1, "~": 2}}]}', '/a/1/b~1c/~0'],
      ['{"__proto__": 1, "__proto__": 2}', '/__proto__'],
      ['{"": 1, "": 2}', '/'],
      [`${'{"a":'.repeat(9_000)}{"b":1,"b":2}${'}'.repeat(9_000)}`, ''],
    ];
    for (const [body, pointer] of twice) {
      for (const { json } of await everywhere(body, 'validation-error')) {
        assert.equal(json.errors[0].pointer, pointer);
        assert.match(json.detail, /twice in one object, at line 1, column \d+ and line 1, column \d+\. Send it once\./);
      }
    }
    for (const once of ['{"regNumber": "ONCE-1", "a": {"regNumber": 1}, "b": [{"x": ":"}, {"x": ":,"}]}']) {
      assert.equal((await create(once)).status, 201);
    }
  });

  test('Errors, 1: JSON with a byte order mark before it is taken', async () => {
    assert.equal((await create('\uFEFF{"regNumber": "BOM-1"}')).status, 201);
  });

  test('Endpoints, conventions: a body of another content type, or of none, is 415', async () => {
    for (const type of otherTypes) {
      const [answer] = await everywhere('{"regNumber": "CT-1"}', 'unsupported-media-type', { 'Content-Type': type });
      assert.deepEqual(answer?.json.errors[0].header, 'Content-Type');
    }
    await everywhere('{"regNumber": "CT-1"}', 'unsupported-media-type', {});
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const take of [create, change, check]) {
      assert.equal(identifierOf(await take('regNumber=CT-1', form)), 'unsupported-media-type');
    }
    for (const type of ['APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json ; x="']) {
      await everywhere('[]', 'validation-error', { 'Content-Type': type });
    }
  });

  test('Errors, 1: an empty body is malformed-json when JSON is announced, and a missing one breaks a rule', async () => {
    await everywhere('', 'malformed-json');
    for (const take of [create, change, token]) assert.equal(identifierOf(await take('', {})), 'validation-error');
  });

  test('Endpoints 1 and 8: what takes no body ignores any, whatever its content type', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', ...otherTypes]) {
      for (const body of ['', '{', '\0\xff', '['.repeat(limit)]) {
        const headers = { ...bearer(), 'Content-Type': type };
        assert.equal((await kept({ method: 'POST', path: `${base}/demo-clients`, body, headers })).status, 201);
        const cancel = await kept({ method: 'POST', path: `${base}/policies/pol-none/cancel`, body, headers });
        assert.equal(identifierOf(cancel), 'policy-not-found');
      }
    }
  });

  test('Authentication, 1: a token request as a broken form is refused', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const grant = 'grant_type=client_credentials';
    for (const [body, expected] of [
      ['', 'validation-error'],
      ['&&&==&', 'validation-error'],
      ['__proto__=x&constructor=y', 'validation-error'],
      [`${grant}&client_id=a&client_id=b&client_secret=c`, 'validation-error'],
      [`${grant}&__proto__=a&__proto__=b`, 'validation-error'],
      ['grant_type=password&client_id=a&client_secret=b', 'validation-error'],
      [`${grant}&client_id=%zz&client_secret=%`, 'invalid-client'],
      [`${grant}&client_id=%00&client_secret=%ff%c0`, 'invalid-client'],
      [Buffer.from(`${grant}&client_id=\xff\xfe&client_secret=\0`, 'latin1'), 'invalid-client'],
      [`${grant}&client_id=a&client_secret=b${'&'.repeat(60_000)}`, 'invalid-client'],
      [`${'a=b&'.repeat(2)}${grant}`, 'validation-error'],
      [Array.from({ length: 8_000 }, (_, at) => `m${at}=`).join('&'), 'validation-error'],
      ['x'.repeat(limit), 'validation-error'],
    ] as const) {
      assert.equal(identifierOf(await token(body, form)), expected, String(body).slice(0, 60));
    }
  });

  test('Limits: a body of 65,536 bytes is taken and one of 65,537 is 413, of known length or in chunks', async () => {
    const fill = (text: string, bytes: number) => text.padEnd(bytes, ' ');
    for (const [at, chunkSize] of [undefined, 1, 1_000, limit, limit + 1].entries()) {
      const sent = (bytes: number, path: string, headers: object): Sent => {
        const body = fill(`{"regNumber": "SIZE-${at}"}`, bytes);
        const most = { method: 'POST', path: base + path, headers: { ...headers, 'X-Signature': sign(body) }, body };
        return chunkSize === 1 ? { ...most, chunkSize: 4_001 } : chunkSize ? { ...most, chunkSize } : most;
      };
      const ours = { ...json, ...bearer() };
      assert.equal((await kept(sent(limit, '/policies', ours))).status, 201);
      assert.equal((await kept(sent(limit, '/signed/policy-check', json))).status, 200);
      assert.equal((await kept(sent(limit, '/demo-clients', {}))).status, 201);
      const takers = [
        '/policies',
        `/policies/${policy}/cancel`,
        '/auth/token',
        '/signed/policy-check',
        '/demo-clients',
      ];
      for (const path of takers) {
        for (const type of ['application/json', 'text/plain']) {
          const answer = await kept(sent(limit + 1, path, { ...ours, 'Content-Type': type }));
          assert.equal(identifierOf(answer), 'payload-too-large', path);
        }
      }
      assert.equal(identifierOf(await kept(sent(limit + 1, '/policies', json))), 'missing-token');
    }
  });

  test('Limits: texts as long as a body allows are refused in few words', async () => {
    const long = 'x'.repeat(60_000);
    const { id, secret } = client;
    for (const [take, body, expected] of [
      [create, { regNumber: long }, 'validation-error'],
      [create, { regNumber: '-'.repeat(60_000) }, 'validation-error'],
      [create, { regNumber: 'LONG-1', holder: long }, 'validation-error'],
      [create, { regNumber: 'LONG-1', coverageOption: long }, 'validation-error'],
      [create, { regNumber: 'LONG-1', startDate: long }, 'validation-error'],
      [change, { holder: '\u{1F697}'.repeat(10_000) }, 'validation-error'],
      [change, { holder: ' '.repeat(60_000) }, 'validation-error'],
      [token, { client_id: long, client_secret: secret }, 'invalid-client'],
      [token, { client_id: id, client_secret: long }, 'invalid-client'],
      [token, { client_id: id, client_secret: secret, scope: long }, 'invalid-scope'],
      [token, { client_id: id, client_secret: secret, scope: `${'a'.repeat(59)}\u{1F697}` }, 'invalid-scope'],
      [token, { client_id: id, client_secret: secret, scope: 'x '.repeat(30_000) }, 'invalid-scope'],
      [token, { client_id: id, client_secret: secret, grant_type: long }, 'validation-error'],
      [token, { [long]: id }, 'validation-error'],
      [check, { regNumber: long }, 'validation-error'],
    ] as const) {
      const text = JSON.stringify(body);
      assert.equal(identifierOf(await take(text)), expected, text.slice(0, 80));
    }
    const members = Array.from({ length: 6_000 }, (_, at) => `"m${at}": 0`).join();
    assert.equal((await create(`{"regNumber": "LONG-2", ${members}}`)).status, 201);
  });

  test('Errors, 1: a connection serves on after refused bodies', async () => {
    const one = keptConnections(1);
    const path = `${base}/policies`;
    const headers = { ...json, ...bearer() };
    const local = new Set<unknown>();
    for (const body of ['{', '[]', ' '.repeat(limit + 1), ' '.repeat(1_000_000), '{"regNumber": "KEPT-1"}', '\0']) {
      for (const chunkSize of [undefined, 10_000]) {
        await send(lplate, { method: 'POST', path, headers, body, ...(chunkSize && { chunkSize }) }, one);
        for (const socket of Object.values(one.freeSockets).flat()) local.add(socket);
      }
    }
    assert.equal(local.size, 1);
    one.destroy();
  });

  test('Errors, 1: nothing of all this is an internal error, and the server answers', async () => {
    assert.deepEqual(linesFrom(lplate, 50), []);
    assert.equal((await create('{"regNumber": "ALIVE-1"}')).status, 201);
  });
});
