import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { openDatabase } from '../../src/database/open.ts';
import { audience } from '../../src/http/requests/bearer.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

forEachEngineInFull((engine) => {
  let lplate: LPlate;
  let client: TestClient;
  let publicKey: CryptoKey;
  let publicJwk: JWK;
  /** The server's own: with it, a forged token can be wrong in one thing alone. */
  let key: CryptoKey;
  let foreignKey: CryptoKey;

  before(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = pair.privateKey;
    publicKey = pair.publicKey;
    foreignKey = (await generateKeyPair('ES256')).privateKey;
    publicJwk = { ...(await exportJWK(publicKey)), kid: 'known', alg: 'ES256', use: 'sig' };
    const jwk = JSON.stringify({ ...(await exportJWK(key)), ...publicJwk });
    const location = await engine.location();
    const database = await openDatabase(location);
    await database.write(
      (sql) => sql.run`insert into signing_keys (id, jwk, created_at) values ('current', ${jwk}, ${'2026-03-01'})`,
    );
    await database.close();
    lplate = await startLPlate({ ...engine, location: async () => location });
    client = await lplate.client();
  });
  after(() => lplate.close());

  const seconds = () => Math.floor(lplate.clock.now() / 1000);
  const header = () => ({ alg: 'ES256', kid: 'known', typ: 'at+jwt' });
  const claims = (): JWTPayload => ({
    iss: lplate.config.publicUrl,
    aud: audience,
    sub: client.id,
    client_id: client.id,
    scope: 'policies:read policies:write',
    iat: seconds(),
    exp: seconds() + 3600,
    jti: '0',
  });
  const signed = (changes: object, headerChanges: object = {}, signer = key) =>
    new SignJWT({ ...claims(), ...changes }).setProtectedHeader({ ...header(), ...headerChanges }).sign(signer);
  const good = () => signed({});

  /** HMAC in place of a signature, for the attack that takes the public key as a shared secret. */
  function hmacSigned(secret: string | Buffer): string {
    const content = `${encode({ ...header(), alg: 'HS256' })}.${encode(claims())}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  }

  function assertRefused(answer: Answer): void {
    assert.equal(answer.json?.type?.split('/problems/')[1], 'invalid-token', `${answer.status} ${answer.text}`);
    assert.equal(answer.status, 401);
    // RFC 6750, section 3: the description is printable ASCII without quotation mark and backslash.
    const form = /^Bearer realm="lplate", error="invalid_token", error_description="([\x20\x21\x23-\x5b\x5d-\x7e]+)"$/;
    const [, description] = form.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
    assert.equal(answer.json.detail, `${description}.`);
  }

  const use = (token: string) => lplate.call('GET', '/policies', { token });
  const refused = async (token: string, reason?: RegExp) => {
    const answer = await use(token);
    assertRefused(answer);
    if (reason) assert.match(answer.json.detail, reason);
  };

  test('The tokens forged here are good but for what is forged', async () => {
    assert.equal((await use(await good())).status, 200);
    assert.deepEqual((await lplate.call('GET', '/.well-known/jwks.json')).json, { keys: [publicJwk] });
  });

  describe('Signature', () => {
    test('Decisions, tokens: no algorithm but ES256 is taken, not even none', async () => {
      for (const alg of ['none', 'None', 'NONE', '', null, 'RS256', 'ES384', 'EdDSA', 'es256', ['ES256'], 0]) {
        const content = `${encode({ ...header(), alg })}.${encode(claims())}`;
        await refused(`${content}.`);
        await refused(`${content}.${(await good()).split('.')[2]}`);
      }
    });

    test('Decisions, tokens: the public key is no shared secret, in whichever form', async () => {
      const { kid: _kid, alg: _alg, use: _use, ...bare } = publicJwk;
      const pem = await exportSPKI(publicKey);
      const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64');
      const jwks = (await lplate.call('GET', '/.well-known/jwks.json')).text;
      for (const secret of [
        pem,
        pem.trim(),
        `${pem.trim()}\n`,
        der,
        JSON.stringify(publicJwk),
        JSON.stringify(bare),
        jwks,
        '',
        'known',
      ]) {
        await refused(hmacSigned(secret), /ES256 only/);
      }
    });

    test('Decisions, tokens: a signature by another key, or of another token, does not verify', async () => {
      await refused(await signed({}, {}, foreignKey), /signature of the token is not valid/);
      const [first, second] = [await good(), await signed({ scope: 'claims:read' })].map((token) => token.split('.'));
      await refused([first?.[0], first?.[1], second?.[2]].join('.'), /signature of the token is not valid/);
      await refused(
        [first?.[0], encode({ ...claims(), sub: 'preset-fleet' }), first?.[2]].join('.'),
        /signature of the token is not valid/,
      );
    });

    test('Decisions, tokens: a token can’t bring its own key or say where to find it', async () => {
      const jwk = await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);
      const url = `${lplate.config.publicUrl}/.well-known/jwks.json`;
      for (const brought of [{ jwk }, { jku: url }, { x5u: url }, { jwk: publicJwk }, { x5c: ['AAAA'] }]) {
        await refused(await signed({}, brought, foreignKey), /signature of the token is not valid/);
        await refused(
          await signed({}, { ...brought, kid: 'mine' }, foreignKey),
          /a key that this server does not have/,
        );
      }
    });

    test('Decisions, tokens: the key that is named must be the server’s', async () => {
      for (const kid of ['unknown', '', '../known', 'known\0', undefined, null, 1, ['known'], { known: 1 }]) {
        await refused(await signed({}, { kid } as object));
      }
    });

    test('Decisions, tokens: what the header demands and nobody understands is refused', async () => {
      const [, payload, signature] = (await good()).split('.');
      for (const more of [
        { crit: ['lplate'], lplate: 1 },
        { crit: [] },
        { b64: false, crit: ['b64'] },
        { zip: 'DEF' },
      ]) {
        await refused(`${encode({ ...header(), ...more })}.${payload}.${signature}`);
      }
    });
  });

  describe('Claims', () => {
    test('Decisions, tokens: audience and type must be those of this server; the key says who issued it, by whatever address', async () => {
      assert.equal((await use(await signed({ iss: 'http://other.example' }))).status, 200);
      for (const aud of ['http://other.example', undefined, [], [`${audience}/`], lplate.config.publicUrl, {}, null]) {
        await refused(await signed({ aud }), /The claim or header aud/);
      }
      for (const typ of ['JWT', 'jwt', undefined, '', 'id+jwt']) {
        await refused(await signed({}, { typ } as object), /The claim or header typ/);
      }
    });

    test('Limits, token lifetime: a token that expired a second ago is refused, one that has a second left is not', async () => {
      await refused(await signed({ exp: seconds() - 1 }), /expired at 2026-03-02T10:15:29.000Z/);
      await refused(await signed({ exp: seconds() }), /expired at 2026-03-02T10:15:30.000Z/);
      assert.equal((await use(await signed({ exp: seconds() + 1 }))).status, 200);
    });

    test('Decisions, tokens: a token without expiry, subject or scope, or that is not valid yet, is refused', async () => {
      for (const changes of [
        ...[undefined, null, '', '9999999999', {}, []].map((exp) => ({ exp })),
        ...[{ sub: undefined }, { sub: 'demo-nobody' }, { scope: undefined }],
        ...[{ nbf: seconds() + 60 }, { iat: 'now' }],
      ]) {
        await refused(await signed(changes));
      }
    });

    test('Decisions, tokens: the token of a client that was removed is refused', async () => {
      const { id } = await lplate.client();
      const token = await signed({ sub: id, exp: seconds() + 3 * 86_400 });
      assert.equal((await use(token)).status, 200);
      lplate.clock.advance(25 * 3_600_000);
      await lplate.housekeeping();
      for (const path of ['/policies', '/policies/pol-none']) {
        const answer = await lplate.call('GET', path, { token });
        assertRefused(answer);
        assert.equal(
          answer.json.detail,
          'The client of this token was removed. Create a new one with POST /demo-clients, then get a new token from POST /auth/token.',
        );
      }
      const answer = await lplate.call('POST', '/policies', { token, json: { regNumber: 'FT-0001' } });
      assertRefused(answer);
      client = await lplate.client();
    });
  });

  describe('Form', () => {
    test('Decisions, tokens: what is no JWT is refused', async () => {
      const token = await good();
      const [head, payload, signature] = token.split('.') as [string, string, string];
      for (const text of [
        ...['x', '.', '..', '...', 'null', 'undefined', '{}', '[object Object]', '<ACCESS_TOKEN>', 'é', 'ÿÿ'],
        ...[
          `"${token}"`,
          `${token}.`,
          `.${token}`,
          `${token}..`,
          `${token}.x`,
          `${token}=`,
          `${token},x`,
          `${token} x`,
        ],
        ...[`${head}.${payload}`, `${head}.${payload}.`, `${head}..${signature}`, `.${payload}.${signature}`],
        ...[`${head}.${payload}.${signature}.${signature}.${signature}`, `${payload}.${head}.${signature}`],
        ...[`${encode(null)}.${payload}.${signature}`, `${encode([])}.${encode(1)}.${signature}`],
        ...[`${head}.${encode('text')}.${signature}`, `${head}.${encode([claims()])}.${signature}`],
        ...[`${head}.bm8ganNvbg.${signature}`, `bm8ganNvbg.${payload}.${signature}`, `${head}.____.${signature}`],
        token.toUpperCase(),
        encodeURIComponent(`${token}\0`),
        Buffer.from(token).toString('base64'),
        JSON.stringify({ protected: head, payload, signature }),
      ]) {
        await refused(text);
      }
    });

    test('Decisions, tokens: each damage that a decoder of base64url forgives makes another token', async () => {
      const token = await good();
      const parts = token.split('.');
      const within = (part: string, text: string) => part.slice(0, 9) + text + part.slice(9);
      const damages: ((part: string) => string)[] = [
        ...['=', '==', '%', '%3D', '!', '*', '~', ':', ' ', '\t', '\xa0', '\x85', '\xff'].flatMap((text) => [
          (part: string) => `${part}${text}`,
          (part: string) => `${text}${part}`,
          (part: string) => within(part, text),
        ]),
        (part) => `${part}${'='.repeat((4 - (part.length % 4)) % 4 || 4)}`,
        (part) => `${part}A`,
        (part) => `${part}AA`,
        ...[1, 2, 3].map((more) => (part: string) => withSpareBits(part, more)),
        // In the other alphabet: it is the same token only where neither - nor _ occurs.
        (part) => Buffer.from(part, 'base64url').toString('base64'),
      ];
      for (let at = 0; at < parts.length; at += 1) {
        for (const damage of damages) {
          const text = parts.map((part, index) => (index === at ? damage(part) : part)).join('.');
          const answer =
            text.replaceAll(/^[ \t]|[ \t]$/g, '') === token ? undefined : await raw(lplate, `Bearer ${text}`);
          if (answer) assert.match(answer, /^HTTP\/1\.1 401 [\s\S]*\/problems\/invalid-token"/, JSON.stringify(text));
        }
      }
      for (const around of ['\xa0', '\x85', '=', '"'])
        for (const text of [`${around}${token}`, `${token}${around}`])
          assert.match(await raw(lplate, `Bearer ${text}`), /^HTTP\/1\.1 401 /, JSON.stringify(text));
    });

    test('Decisions, tokens: a token that was signed in a damaged form is refused', async () => {
      const sign = async (head: string, payload: string) => {
        const input = Buffer.from(`${head}.${payload}`);
        const bytes = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, input);
        return `${head}.${payload}.${Buffer.from(bytes).toString('base64url')}`;
      };
      const [head, payload] = [encode(header()), encode(claims())];
      assert.equal((await use(await sign(head, payload))).status, 200);
      for (const text of ['=', '==', '!', ' ', '%', '~'])
        for (const damaged of [
          [`${head}${text}`, payload],
          [head, `${payload}${text}`],
          [head, `${payload.slice(0, 9)}${text}${payload.slice(9)}`],
        ] as const)
          await refused(await sign(...damaged));
    });

    test('Decisions, tokens: a token cut anywhere is refused', async () => {
      const token = await good();
      for (let length = 1; length < token.length; length += 17) await refused(token.slice(0, length));
      await refused(token.slice(0, -1));
    });

    test('Decisions, tokens: a token changed in one character is refused', async () => {
      const token = await good();
      const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'];
      const place = fc.nat({ max: token.length - 1 });
      await fc.assert(
        fc.asyncProperty(place, fc.constantFrom(...alphabet), async (at, other) => {
          fc.pre(token[at] !== other);
          await refused(token.slice(0, at) + other + token.slice(at + 1));
        }),
      );
    });

    test('Decisions, tokens: a huge token is refused without being looked at', async () => {
      await refused('x'.repeat(15_000), /has 15000 characters/);
      await refused(await signed({ padding: 'x'.repeat(9_000) }), /characters, which is too long/);
      await refused(`${'.'.repeat(14_000)}`);
    });

    test('Decisions, tokens: bytes that no header may hold are a broken request, never an error inside', async () => {
      const token = await good();
      for (const odd of ['\0', '\x01', '\x7f', '\x80', '\xff']) {
        for (const text of [odd, `${token}${odd}`, `${token.slice(0, 20)}${odd}${token.slice(20)}`]) {
          const answer = await raw(lplate, `Bearer ${text}`);
          assert.match(answer, /^HTTP\/1\.1 (401 Unauthorized|400 Bad Request)\r\n/);
          assert.match(answer, /\/problems\/(invalid-token|malformed-request)"/);
        }
      }
    });
  });
});

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes, with bits in the last character that count for nothing; the same text where it has none. */
function withSpareBits(part: string, bits: number): string {
  if (part.length % 4 === 0) return `${part}=`;
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) as string) + bits];
}

/** The answer to a request whose header holds bytes that HTTP clients refuse to send. */
async function raw({ config }: LPlate, authorization: string): Promise<string> {
  const socket = connect(config.port, config.host);
  const lines = [
    'GET /insurer/v1/policies HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Authorization: ${authorization}`,
  ];
  socket.write(Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'));
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => (answer += text));
  await once(socket, 'close');
  return answer;
}
