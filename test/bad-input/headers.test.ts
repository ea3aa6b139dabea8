import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { linesFrom, sharedClient, sharedLPlate } from '../support/lplate.ts';
import { identifierOf, sendAgain } from './wire.ts';

const base = '/insurer/v1';
const claims = '/claims/v1';
const topic = `${claims}/topics/claims.status-changed`;

forEachEngineInFull((engine: Engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  const kept = sendAgain(lplate);
  const get = (path: string, headers: object = {}) => kept({ method: 'GET', path, headers: { ...headers } });

  test('Authentication, 5: an Authorization header without a bearer token of ours is 401, however odd', async () => {
    const odd = {
      'missing-token': [
        '',
        ' ',
        'Basic',
        'Basic YTpi',
        'Negotiate',
        'Bearer1 x',
        'Bearerx',
        client.token,
        `"Bearer ${client.token}"`,
        ',',
        '\xff',
      ],
      'invalid-token': [
        'Bearer',
        'Bearer  ',
        'bearer',
        'Bearer x',
        'Bearer .',
        'Bearer ..',
        'Bearer a.b.c',
        'Bearer e30.e30.',
        'BEARER x',
      ],
    };
    const { token } = client;
    odd['invalid-token'].push(
      ...[
        `Bearer ${token},`,
        `Bearer ${token} ${token}`,
        `Bearer "${token}"`,
        `Bearer Bearer ${token}`,
        `Bearer ${token}.${token}`,
      ],
      ...[
        `Bearer ${token}=`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer \xff\xfe`,
        `Bearer ${'x'.repeat(8_000)}`,
        `Bearer ${'.'.repeat(4_000)}`,
      ],
      ...[
        `Bearer ${'a.'.repeat(1_500)}`,
        `Bearer ${token.replace('.', '.\xe4')}`,
        'Bearer null',
        'Bearer {}',
        'Bearer\t',
      ],
    );
    for (const [expected, values] of Object.entries(odd)) {
      for (const Authorization of values) {
        for (const path of [`${base}/policies`, `${base}/policies/pol-none`, `${claims}/claims`, topic]) {
          const answer = await get(path, { Authorization });
          assert.equal(identifierOf(answer), expected, Authorization.slice(0, 60));
        }
        assert.equal((await get(`${base}/coverage-options`, { Authorization })).status, 200);
      }
    }
  });

  test('Authentication, 1: a Basic header that can’t be read is 401 at the token endpoint', async () => {
    const encoded = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
    const odd = [
      'Basic',
      'basic  ',
      'Basic %%%',
      'Basic \xff',
      `Basic ${'A'.repeat(10_000)}`,
      encoded('nocolon'),
      encoded(':'),
    ];
    for (const Authorization of [
      ...odd,
      encoded('%zz:x'),
      encoded('a:%'),
      encoded('\0:\0'),
      encoded('\xff:\xfe'),
      encoded('a:b:c'),
    ]) {
      const answer = await kept({ method: 'POST', path: `${base}/auth/token`, headers: { Authorization } });
      assert.equal(identifierOf(answer), 'invalid-client', Authorization.slice(0, 60));
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /);
    }
  });

  test('Endpoints, rule 5: an odd X-Signature is 401, and is not repeated', async () => {
    const odd = [
      '',
      ' ',
      'sha256=',
      '=',
      'zz',
      '0x',
      '\xff\xfe',
      '{}',
      ',',
      'a,b',
      'f'.repeat(63),
      'f'.repeat(65),
      'e'.repeat(8_000),
      '==',
    ];
    for (const value of [...odd, 'sha256=sha256=', `sha256=${'0'.repeat(64)}`, 'AAAA'.repeat(16), '-'.repeat(9_000)]) {
      const headers = { 'Content-Type': 'application/json', 'X-Signature': value };
      const answer = await kept({
        method: 'POST',
        path: `${base}/signed/policy-check`,
        headers,
        body: '{"regNumber": "A1"}',
      });
      assert.equal(identifierOf(answer), 'invalid-signature', value.slice(0, 60));
      if (value.length > 60) assert(!answer.text.includes(value.slice(0, 60)));
    }
  });

  test('Errors, 1: headers that the interface does not ask for do no harm', async () => {
    const odd = [
      '',
      'x',
      '\xff',
      ',',
      ';',
      '*/*',
      'a/b;q=zz',
      '"',
      '\t',
      '__proto__',
      '-1',
      '99999999999999999999',
      'x'.repeat(12_000),
    ];
    const names = [
      'Accept',
      'Accept-Encoding',
      'Accept-Language',
      'Cookie',
      'Origin',
      'Range',
      'If-None-Match',
      'X-Request-Id',
      'Forwarded',
    ];
    for (const name of [
      ...names,
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'Content-Encoding',
      'X-HTTP-Method-Override',
      'Host',
      'TE',
      'Via',
    ]) {
      for (const value of odd) {
        for (const path of [`${base}/coverage-options`, `${claims}/claims`, topic]) {
          const answer = await get(path, { Authorization: `Bearer ${client.token}`, [name]: value });
          assert(answer.status === 200 || name === 'Host', `${name}: ${value.slice(0, 60)}`);
          assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
        }
      }
    }
    for (const value of odd.filter(({ length }) => length < 5_000)) {
      const asked = { 'Access-Control-Request-Method': value, 'Access-Control-Request-Headers': value };
      for (const path of [`${base}/policies`, topic, `${claims}/subscriptions/sub-none`]) {
        const answer = await kept({ method: 'OPTIONS', path, headers: { ...asked, Origin: value } });
        assert.equal(answer.status, 204);
        assert.match(answer.headers.get('access-control-allow-methods') ?? '', /, DELETE$/);
      }
    }
  });

  test('Errors, 1: nothing of all this is an internal error, and the server answers', async () => {
    assert.deepEqual(linesFrom(lplate, 50), []);
    assert.equal((await get(`${base}/coverage-options`)).status, 200);
  });
});
