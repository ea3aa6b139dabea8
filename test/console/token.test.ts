import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { explained, readToken } from '../../console/model/token.ts';

const { privateKey } = await generateKeyPair('ES256');
const minted = await new SignJWT({ client_id: 'demo-1', scope: 'policies:read', note: 'Möwe' })
  .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
  .setIssuedAt(1_772_446_530)
  .setExpirationTime(1_772_450_130)
  .sign(privateKey);

test('Console, workbench: a token is decoded as jose decodes it, and its times are told', () => {
  const { advice, token } = readToken(`  ${minted}\n`);
  assert.deepEqual(advice, []);
  assert.deepEqual(token?.header, decodeProtectedHeader(minted));
  assert.deepEqual(token?.claims, decodeJwt(minted));
  assert.ok(token);
  const lines = explained(token);
  assert.deepEqual(
    lines.claims.map(({ name, value, at }) => [name, value, at]),
    [
      ['client_id', 'demo-1', undefined],
      ['scope', 'policies:read', undefined],
      ['note', 'Möwe', undefined],
      ['iat', '1772446530', '2026-03-02T10:15:30.000Z'],
      ['exp', '1772450130', '2026-03-02T11:15:30.000Z'],
    ],
  );
});

test('Console, workbench: what is around a token is named, and the token is read all the same', () => {
  const cases: readonly (readonly [pasted: string, says: RegExp])[] = [
    [`Bearer ${minted}`, /^Bearer is part of the header’s value/],
    [`Authorization: Bearer ${minted}`, /^Authorization is the name .* Bearer is part/],
    [`"${minted}"`, /quotes/],
    [`token=${minted}`, /name before the token/],
    [JSON.stringify({ access_token: minted, token_type: 'Bearer' }), /whole answer of the token endpoint/],
    [`${minted.slice(0, 60)}\n${minted.slice(60)}`, /white space/],
  ];
  for (const [pasted, says] of cases) {
    const { advice, token } = readToken(pasted);
    assert.match(advice.join(' '), says);
    assert.deepEqual(token?.claims, decodeJwt(minted));
  }
});

test('Console, workbench: what is no token is told by its form', () => {
  const [head = '', body = '', tail = ''] = minted.split('.');
  const cases: readonly (readonly [pasted: string, says: RegExp, decoded?: boolean])[] = [
    [`${head}.${body}`, /^This has two parts/, true],
    [`${head}.${body}.`, /signature, is empty/, true],
    ...[85, 84, 83, 82, 80].map(
      (count) =>
        [
          `${head}.${body}.${tail.slice(0, count)}`,
          RegExp(`${count} characters, .* 86: the end was cut off`),
          true,
        ] as const,
    ),
    [`${minted}.${minted}`, /has 6 parts/],
    ['a.b.c.d.e', /encrypted/],
    ['hello', /no dots/],
    [`${head}.${body.slice(0, 12)}.${tail}`, /second part, the claims, is no JSON object/],
    [`${head}.${body.slice(0, 10)}.${tail}`, /second part, the claims, is no base64url/],
    [`${head}+.${body}.${tail}`, /first part, the header, is no base64url\. It has \+/],
    ['2mEXAMPLExOnlyShownOnceXb3kq9tR7vW1yZ0aBcD4', /client_secret/],
    ['demo-3f9a1c5e7b2d4f60a8c1', /client_id/],
    ['demo-3f9a1c5e7b2d4f60a8c1:secret', /credentials/],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwEXAMPLEONLY=', /secret of a webhook/],
    ['undefined', /variable without a value/],
    ['<token>', /placeholder/],
    ['{{token}}', /placeholder/],
    ['Bearer undefined', /variable without a value/],
    ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', /id of something/],
    ['a'.repeat(64), /hexadecimal/],
    ['Basic YTpi', /Basic/],
  ];
  for (const [pasted, says, decoded = false] of cases) {
    const { advice, token } = readToken(pasted);
    assert.match(advice.join(' '), says);
    assert.equal(token !== undefined, decoded, pasted);
  }
});

test('Console, workbench: no text at all makes the decoder fail, and any is either decoded or explained', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.base64String(), { maxLength: 4 }).map((parts) => parts.join('.')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { advice, token } = readToken(text);
      assert.ok(token !== undefined || advice.length > 0 || text.trim() === '');
    }),
    { numRuns: 1000 },
  );
});
