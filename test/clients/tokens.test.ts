import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type CallOptions, sharedLPlate, startLPlate, testSecrets } from '../support/lplate.ts';

const all = 'policies:read policies:write claims:read claims:write';

/** A secret in which form-encoding changes nearly every character. */
const oddSecret = 's%2B+c:r&t=/~?';

/** As long as the secret of a demo client. */
const fleetLike = 'f'.repeat(43);

const form = (members: Record<string, string> | [string, string][]): CallOptions => ({
  body: new URLSearchParams(members).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
});

/** HTTP Basic as RFC 6749 has it: each part form-encoded first. */
function basic(id: string, secret: string, scheme = 'Basic'): { Authorization: string } {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return { Authorization: `${scheme} ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}` };
}

/** An answer, but for what differs between any two. */
function sameBut({ text, headers }: Answer): string {
  const requestId = headers.get('x-request-id') as string;
  const changing = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];
  return JSON.stringify([text.replace(requestId, ''), [...headers].filter(([name]) => !changing.includes(name))]);
}

function assertProblem(answer: Answer, identifier: string, status: number, error?: string): void {
  assert.equal(answer.json?.type?.split('/problems/')[1], identifier, answer.text);
  assert.equal(answer.status, status);
  if (error) assert.equal(answer.json.error, error);
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { readerClientSecret: oddSecret });
  let client: { id: string; secret: string };

  before(async () => {
    client = await lplate.client();
  });

  const ask = (options: CallOptions) => lplate.call('POST', '/auth/token', options);
  const askJson = (json: unknown) => ask({ json });
  const credentials = () => ({ client_id: client.id, client_secret: client.secret });
  const scopeOf = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text);
    assert.equal(decodeJwt(answer.json.access_token).scope, answer.json.scope);
    return answer.json.scope;
  };

  describe('The token response', () => {
    test('Authentication, 1: credentials are exchanged for a bearer token that is good for 3600 seconds', async () => {
      const { status, json, headers } = await askJson(credentials());
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json).sort(), ['access_token', 'expires_in', 'scope', 'token_type']);
      assert.equal(json.token_type, 'Bearer');
      assert.equal(json.expires_in, 3600);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
    });

    test('Authentication, 1: the token is a JWT with sub, scope and exp; Decisions, tokens: and what RFC 9068 wants', async () => {
      const { json } = await askJson(credentials());
      const issuedAt = Math.floor(lplate.clock.now() / 1000);
      const { keys } = (await lplate.call('GET', '/.well-known/jwks.json')).json;
      assert.deepEqual(decodeProtectedHeader(json.access_token), { alg: 'ES256', kid: keys[0].kid, typ: 'at+jwt' });
      const { jti, ...claims } = decodeJwt(json.access_token);
      assert.match(String(jti), /^[0-9a-f-]{36}$/);
      assert.deepEqual(claims, {
        iss: lplate.config.publicUrl,
        sub: client.id,
        client_id: client.id,
        aud: 'http://lplate.example',
        scope: all,
        iat: issuedAt,
        exp: issuedAt + 3600,
      });
    });

    test('Decisions, tokens: two tokens are never the same', async () => {
      const [first, second] = [await askJson(credentials()), await askJson(credentials())];
      assert.notEqual(first.json.access_token, second.json.access_token);
    });

    test('Decisions, tokens: anybody can check a token with the published keys, which hold nothing private', async () => {
      const { json } = await askJson(credentials());
      const jwks = await lplate.call('GET', '/.well-known/jwks.json');
      assert.equal(jwks.status, 200);
      const [key, ...others] = jwks.json.keys;
      assert.deepEqual(others, []);
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      const { payload } = await jwtVerify(json.access_token, createLocalJWKSet(jwks.json), {
        issuer: lplate.config.publicUrl,
        audience: 'http://lplate.example',
        typ: 'at+jwt',
        currentDate: new Date(lplate.clock.now()),
      });
      assert.equal(payload.sub, client.id);
    });

    test('Decisions, addresses: the OAuth 2.0 metadata tells tools where everything is (RFC 8414)', async () => {
      const { json, status } = await lplate.call('GET', '/.well-known/oauth-authorization-server');
      const { publicUrl } = lplate.config;
      assert.equal(status, 200);
      assert.equal(json.issuer, publicUrl);
      assert.equal(json.token_endpoint, `${publicUrl}/insurer/v1/auth/token`);
      assert.equal(json.jwks_uri, `${publicUrl}/.well-known/jwks.json`);
      assert.deepEqual(json.response_types_supported, ['code']);
      assert.deepEqual(json.grant_types_supported, ['client_credentials', 'authorization_code', 'refresh_token']);
      assert.deepEqual(json.token_endpoint_auth_methods_supported, ['client_secret_basic', 'client_secret_post']);
      assert.deepEqual(json.scopes_supported, all.split(' '));
    });

    test('Decisions, addresses: a personal prefix is an issuer of its own, found by both forms of RFC 8414 (section 3.1), and its tokens name it', async () => {
      const { publicUrl } = lplate.config;
      const { id, secret, token: usual } = await lplate.client();
      const prefix = `/for/${id}`;
      const issuer = publicUrl + prefix;
      const name = '/.well-known/oauth-authorization-server';
      const found = await lplate.call('GET', prefix + name);
      for (const path of [name + prefix, `${name}${prefix}/`, `${name}${prefix}?x=1`]) {
        const { status, json } = await lplate.call('GET', path);
        assert.deepEqual([status, json], [200, found.json], path);
      }
      const { token_endpoint, jwks_uri } = found.json;
      assert.deepEqual(
        [found.json.issuer, token_endpoint, jwks_uri],
        [issuer, `${issuer}/insurer/v1/auth/token`, `${issuer}/.well-known/jwks.json`],
      );
      const { json } = await lplate.call('POST', new URL(token_endpoint).pathname, {
        json: { client_id: id, client_secret: secret },
      });
      const jwks = await lplate.call('GET', new URL(jwks_uri).pathname);
      const checks = { issuer, audience: 'http://lplate.example', currentDate: new Date(lplate.clock.now()) };
      assert.equal((await jwtVerify(json.access_token, createLocalJWKSet(jwks.json), checks)).payload.sub, id);
      // A token of either issuer is good at either.
      for (const [path, token] of [
        ['/insurer/v1/policies', json.access_token],
        [`${prefix}/insurer/v1/policies`, usual],
      ])
        assert.equal((await lplate.call('GET', path as string, { token: token as string })).status, 200);
      for (const path of [
        `${name}/for/demo-00000000000000000000`,
        `${name}/for/`,
        `${name}/for/${id}/more`,
        `${name}/other`,
      ])
        assert.equal((await lplate.call('GET', path)).status, 404, path);
    });

    test('Decisions, tokens: the key outlives a restart, and so does a token', async () => {
      const first = await startLPlate(engine);
      const { token } = await first.client();
      const keys = (await first.call('GET', '/.well-known/jwks.json')).text;
      await first.close();
      const second = await startLPlate(engine, first.config, first.clock);
      try {
        assert.equal((await second.call('GET', '/.well-known/jwks.json')).text, keys);
        assert.equal((await second.call('GET', '/policies', { token })).status, 200);
      } finally {
        await second.close();
      }
    });
  });

  describe('Who may ask', () => {
    test('Authentication, 9: each pair of demo credentials works, and creating again makes another pair', async () => {
      const pairs = [await lplate.call('POST', '/demo-clients'), await lplate.call('POST', '/demo-clients')];
      for (const { json } of pairs) assert.equal((await askJson(json)).status, 200);
      const [first, second] = pairs.map(({ json }) => json);
      assert.notEqual(first.client_id, second.client_id);
      const mixed = { client_id: first.client_id, client_secret: second.client_secret };
      assertProblem(await askJson(mixed), 'invalid-client', 401);
    });

    test('Authentication, 9: preconfigured clients use the secrets that were given out of band', async () => {
      const { fleetClientSecret } = testSecrets;
      assert.equal(scopeOf(await askJson({ client_id: 'preset-fleet', client_secret: fleetClientSecret })), all);
      const reader = { client_id: 'preset-reader', client_secret: oddSecret };
      assert.equal(scopeOf(await askJson(reader)), 'policies:read');
    });

    test('Decisions, tokens: an unknown client and a wrong secret get the same answer but for the request id', async () => {
      const { id, secret } = client;
      const unknown = 'demo-0123456789abcdef0123';
      const other = (await lplate.call('POST', '/demo-clients')).json.client_secret;
      const answerTo = async (client_id: string, client_secret: string) => {
        const answer = await askJson({ client_id, client_secret });
        assertProblem(answer, 'invalid-client', 401, 'invalid_client');
        assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="lplate"');
        return [answer.json.detail, sameBut(answer)];
      };
      const [detail, plain] = await answerTo(unknown, secret);
      // All in the form of this server's.
      for (const [client_id, client_secret] of [
        [unknown, other],
        [id, other],
        ['preset-reader', secret],
        ['preset-reader', other],
        ['preset-fleet', 'wrong'],
        ['preset-fleet', fleetLike],
      ] as const) {
        assert.deepEqual(await answerTo(client_id, client_secret), [detail, plain]);
      }
      // What the form of a secret tells is told to who has an unknown client, too.
      for (const wrong of ['wrong', '', `${secret} `, `"${secret}"`, '\ud800\0', secret.slice(1), `${secret}x`, id]) {
        assert.deepEqual(await answerTo(id, wrong), await answerTo(unknown, wrong), wrong);
        assert.notEqual((await answerTo(id, wrong))[0], detail, wrong);
      }
      // And what that of an id tells, whichever secret comes with it.
      for (const wrong of [
        ...['', id.toUpperCase(), `${id}\0`, '\ud800', `${id}' or '1'='1`, 'x'.repeat(50_000), ` ${id}`, secret],
      ]) {
        assert.deepEqual(await answerTo(wrong, secret), await answerTo(wrong, other), wrong);
      }
    });

    test('Decisions, tokens: no refusal repeats a secret, a token or what came in their place; nor does the log', async () => {
      const { id, secret } = client;
      const { token } = await lplate.client();
      const lines = lplate.log.length;
      const answers = [
        await askJson({ client_id: secret, client_secret: id }),
        await askJson({ client_id: token, client_secret: token }),
        await askJson({ client_id: id, client_secret: `'${secret}'` }),
        await ask({ headers: { Authorization: `Basic ${id}:${secret}` } }),
        await ask({ headers: { Authorization: `Basic ${btoa(secret)}` } }),
        await ask({ headers: { Authorization: `Basic ${btoa(`%zz:${secret}`)}` } }),
        ...(await Promise.all(
          [
            secret,
            `"${token}"`,
            `Bearer ${token}`,
            `{"access_token":"${token}"}`,
            token.slice(0, -9),
            `${id}:${secret}`,
          ].map((wrong) => lplate.call('GET', '/policies', { token: wrong })),
        )),
        await lplate.call('GET', `/policies?access_token=${token}`),
        await lplate.call('GET', '/policies', { headers: { Authorization: token } }),
        await lplate.call('GET', '/policies', { headers: { Authorization: `Token ${token}` } }),
        await lplate.call('GET', `/policies/${secret}`, { token }),
        await lplate.call('GET', `/policies/${token}`, { token }),
        await lplate.call('GET', `/policy/${secret}`),
        await lplate.call('GET', `/token/${token}/x`),
      ];
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert(lplate.log.length >= lines + answers.length);
      const told = JSON.stringify([answers.map((each) => [each.text, [...each.headers]]), lplate.log.slice(lines)]);
      for (const hidden of [secret, btoa(secret), ...token.split('.')]) assert(!told.includes(hidden.slice(0, 20)));
    });
  });

  describe('Scope', () => {
    test('Authentication, 3: the scope in the request narrows the token', async () => {
      assert.equal(scopeOf(await askJson({ ...credentials(), scope: 'policies:read' })), 'policies:read');
      const two = await askJson({ ...credentials(), scope: 'claims:read policies:read' });
      assert.equal(scopeOf(two), 'policies:read claims:read');
    });

    test('Decisions, scopes: without a scope, or with a blank one, the token carries all that was granted', async () => {
      for (const scope of [undefined, '', ' ', '\t \n']) {
        assert.equal(scopeOf(await askJson({ ...credentials(), scope })), all);
      }
    });

    test('Decisions, scopes: a scope that is named twice counts once, and any white space parts the names', async () => {
      const scope = '  policies:read   policies:read\tclaims:read ';
      assert.equal(scopeOf(await askJson({ ...credentials(), scope })), 'policies:read claims:read');
    });

    test('Decisions, scopes: an unknown scope is refused and named', async () => {
      for (const [scope, named] of [
        ['policies:fly', 'policies:fly'],
        ['policies:read policies', 'policies'],
        ['Policies:Read', 'Policies:Read'],
        ['policies:read,policies:write', 'policies:read,policies:write'],
        ['__proto__', '__proto__'],
      ] as const) {
        const answer = await askJson({ ...credentials(), scope });
        assertProblem(answer, 'invalid-scope', 400, 'invalid_scope');
        assert(answer.json.detail.includes(`The scope ${named} does not exist`), answer.json.detail);
      }
    });

    test('Authentication, 4: a client that was granted reading alone gets nothing wider', async () => {
      const reader = { client_id: 'preset-reader', client_secret: oddSecret };
      for (const scope of ['policies:write', 'policies:read policies:write', 'claims:read', all]) {
        const answer = await askJson({ ...reader, scope });
        assertProblem(answer, 'invalid-scope', 400, 'invalid_scope');
        const tooWide = scope.split(' ').find((name) => name !== 'policies:read');
        assert(answer.json.detail.includes(`The scope ${tooWide} was not granted`), answer.json.detail);
      }
      assert.equal(scopeOf(await askJson({ ...reader, scope: 'policies:read' })), 'policies:read');
    });

    test('Decisions, tokens: who can’t tell the secret learns nothing of what was granted', async () => {
      const guess = { client_id: 'preset-reader', client_secret: 'guess', scope: 'policies:write' };
      assertProblem(await askJson(guess), 'invalid-client', 401);
    });
  });

  describe('What OAuth 2.0 tools send', () => {
    const grant = { grant_type: 'client_credentials' };

    test('Decisions, tokens: a form with the credentials', async () => {
      assert.equal(scopeOf(await ask(form({ ...grant, ...credentials() }))), all);
      assert.equal(scopeOf(await ask(form({ ...grant, ...credentials(), scope: 'claims:read' }))), 'claims:read');
      const reader = form({ ...grant, client_id: 'preset-reader', client_secret: oddSecret });
      const headers = { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' };
      assert.equal(scopeOf(await ask({ ...reader, headers })), 'policies:read');
    });

    test('Decisions, tokens: credentials by HTTP Basic, each part form-encoded, the scheme in any case', async () => {
      for (const scheme of ['Basic', 'basic', 'BASIC']) {
        const { body, headers } = form({ ...grant, scope: 'policies:read' });
        const authorization = basic('preset-reader', oddSecret, scheme);
        assert.equal(
          scopeOf(await ask({ body: body as string, headers: { ...headers, ...authorization } })),
          'policies:read',
        );
      }
      const headers = basic(client.id, client.secret);
      assert.equal(scopeOf(await ask({ headers, json: { scope: 'claims:read' } })), 'claims:read');
      assert.equal(scopeOf(await ask({ headers })), all);
      assert.equal(scopeOf(await ask({ headers, json: { client_id: client.id } })), all);
    });

    test('Decisions, tokens: credentials that come twice are refused', async () => {
      const headers = basic(client.id, client.secret);
      for (const json of [credentials(), { client_secret: client.secret }, { client_id: 'preset-fleet' }]) {
        const answer = await ask({ headers, json });
        assertProblem(answer, 'validation-error', 400, 'invalid_request');
        assert.match(answer.json.detail, /were sent twice/);
      }
    });

    test('Decisions, tokens: a Basic header that can’t be read, or is wrong, is an invalid client', async () => {
      for (const Authorization of ['Basic', 'Basic !', `Basic ${btoa('no colon')}`, `Basic ${btoa('%zz:%')}`]) {
        assertProblem(await ask({ headers: { Authorization } }), 'invalid-client', 401, 'invalid_client');
      }
      assertProblem(await ask({ headers: basic(client.id, 'wrong') }), 'invalid-client', 401, 'invalid_client');
    });

    test('Decisions, tokens: what a decoder of Base64 forgives is no Basic', async () => {
      const part = (text: string) => encodeURIComponent(text);
      // Of one, two and three bytes in the last group: with two, one and no = at the end.
      for (const id of ['preset-reader', `${client.id}`]) {
        const secret = id === client.id ? client.secret : oddSecret;
        const right = btoa(`${part(id)}:${part(secret)}`);
        assert.equal((await ask({ headers: { Authorization: `Basic ${right}` } })).status, 200);
        const damaged = [
          ...['!', '%', '-', '_', ' ', '\t', '\xa0', '=', '.', '\xff'].flatMap((text) => [
            right.slice(0, 9) + text + right.slice(9),
            `${text === ' ' || text === '\t' ? '!' : text}${right}`,
            `${right}${text === ' ' || text === '\t' ? '!' : text}`,
          ]),
          ...[
            `${right}==`,
            `${right}A`,
            `${right}\xa0`,
            right.replace(/=+$/, '') === right ? `${right}=` : right.replace(/=+$/, ''),
          ],
          ...(right.endsWith('=')
            ? [right.replace(/.(?==+$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))]
            : []),
        ];
        for (const text of damaged) {
          const answer = await ask({ headers: { Authorization: `Basic ${text}` } });
          assertProblem(answer, 'invalid-client', 401, 'invalid_client');
          assert.match(answer.json.detail, /Basic/, text);
        }
      }
    });

    test('Decisions, tokens: another grant, or none in a form, is refused with the code that tools know', async () => {
      const other = await ask(form({ ...credentials(), grant_type: 'password' }));
      assertProblem(other, 'validation-error', 400, 'unsupported_grant_type');
      const json = await askJson({ ...credentials(), grant_type: 'implicit' });
      assertProblem(json, 'validation-error', 400, 'unsupported_grant_type');
      const none = await ask(form(credentials()));
      assertProblem(none, 'validation-error', 400, 'invalid_request');
      assert.deepEqual(none.json.errors, [
        {
          pointer: '/grant_type',
          detail:
            'is missing. Add grant_type=client_credentials; for a person it is authorization_code or refresh_token.',
        },
      ]);
      assert.equal(scopeOf(await askJson({ ...credentials(), ...grant })), all);
    });

    test('Decisions, tokens: errors of a form are plain JSON, as clients of OAuth 2.0 read them; all others are problems', async () => {
      const wrong = { ...grant, ...credentials(), client_secret: 'guess' };
      const accepts = ['', 'application/json', 'application/problem+json', '*/*'];
      for (const accept of accepts) {
        const headers = { ...form(wrong).headers, ...(accept && { Accept: accept }) };
        const answer = await ask({ ...form(wrong), headers });
        assertProblem(answer, 'invalid-client', 401, 'invalid_client');
        assert.equal(answer.headers.get('content-type'), 'application/json', `Accept: ${accept}`);
        const json = await ask({ json: wrong, headers: { ...(accept && { Accept: accept }) } });
        assertProblem(json, 'invalid-client', 401, 'invalid_client');
        assert.equal(json.headers.get('content-type'), 'application/problem+json', `Accept: ${accept}`);
      }
      // No form of the token endpoint: it does not reach it, or is for another.
      const elsewhere = await lplate.call('POST', '/policies', form(wrong));
      assert.equal(elsewhere.headers.get('content-type'), 'application/problem+json');
    });

    test('Decisions, tokens: a member that a form has twice is refused', async () => {
      const twice: [string, string][] = [
        ...Object.entries({ ...grant, ...credentials() }),
        ['scope', 'a'],
        ['scope', 'b'],
      ];
      assertProblem(await ask(form(twice)), 'validation-error', 400, 'invalid_request');
    });
  });
});
