import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { verifyEs256 as verify } from '../../console/model/es256.ts';
import { badgeOf } from '../../src/range/lessons/badge.ts';
import { circumstancesOf } from '../../src/range/lessons/circumstances.ts';
import { type BadgeKey, checkBadge, didKey } from '../../src/text/badge.ts';

const issuedAt = 1_772_446_530;
const now = issuedAt * 1000;
const facts = {
  sub: 'demo-1',
  nickname: 'Möwe',
  lessons: [],
  of: 60,
  capstones: [],
  circumstances: circumstancesOf([]),
};

async function issuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '' } = await exportJWK(publicKey);
  const jwk: BadgeKey = { kty: 'EC', crv: 'P-256', x, y };
  const claims = badgeOf(facts, jwk, { id: '0b3f', issuedAt, issuerName: 'L-Plate' });
  const sign = (payload: JWTPayload = claims, key = jwk) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'JWT', jwk: { ...key } }).sign(privateKey);
  return { jwk, claims, sign };
}

test('Decisions, badge: the id of a key is its did:key (test vector of the method for P-256)', () => {
  const x = 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns';
  const y = 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM';
  equal(didKey({ kty: 'EC', crv: 'P-256', x, y }), 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv');
});

test('Decisions, badge: the right one is taken, by jose too, and each fault is named', async () => {
  const [own, other] = [await issuer(), await issuer()];
  const badge = await own.sign();
  const fault = async (text: string, options: { now?: number; pinned?: string } = {}) =>
    (await checkBadge(text, { verify, now, ...options })).fault;
  const [pinned, another] = [didKey(own.jwk) ?? '', didKey(other.jwk) ?? ''];
  ok((await calculateJwkThumbprint({ ...own.jwk })).length > 0);
  equal((await jwtVerify(badge, EmbeddedJWK, { currentDate: new Date(now) })).payload.sub, own.claims.sub);

  const checked = await checkBadge(badge, { verify, now, pinned });
  deepEqual([checked.fault, checked.key, checked.credential], [undefined, pinned, own.claims]);
  const [head, body, signature] = badge.split('.') as [string, string, string];
  const better = { ...own.claims, name: 'Better' };
  const altered = Buffer.from(JSON.stringify(better)).toString('base64url');
  equal(await fault(`${head}.${altered}.${signature}`), 'forged');
  equal(await fault(await other.sign(own.claims, own.jwk)), 'forged', 'it names a key that did not sign it');
  equal(await fault(await other.sign(), { pinned }), 'other-key');
  equal(await fault(badge, { pinned: another }), 'other-key');
  equal(await fault(await other.sign(own.claims)), 'altered', 'it names an issuer that did not sign it');
  equal(await fault(await own.sign({ ...own.claims, sub: 'urn:l-plate:client:demo-2' })), 'altered');
  equal(await fault(await own.sign({ ...own.claims, exp: issuedAt + 60 }), { now: now + 60_000 }), 'expired');
  equal(await fault(badge, { now: now - 1 }), 'not-yet');
  for (const text of ['', 'a.b.c', `${head}.${body}`, `${badge}.x`, 'x'.repeat(300_000), `bnVsbA.${body}.${signature}`])
    equal(await fault(text), 'no-badge', text.slice(0, 20));
});
