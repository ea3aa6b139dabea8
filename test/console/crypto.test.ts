import assert from 'node:assert/strict';
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { verifyEs256 } from '../../console/model/es256.ts';
import { sha256 } from '../../console/model/sha256.ts';
import {
  base64,
  equal,
  fromAnyBase64,
  fromBase64,
  fromBase64Url,
  fromHex,
  fromUtf8,
  hex,
  utf8,
} from '../../src/text/bytes.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

test('Console, workbench: SHA-256 and HMAC of any bytes are those of node:crypto', () => {
  fc.assert(
    fc.property(bytes, bytes, (key, message) => {
      assert.equal(hex(sha256(message)), createHash('sha256').update(message).digest('hex'));
      assert.equal(hex(sha256(message, key)), createHmac('sha256', key).update(message).digest('hex'));
    }),
  );
  const long = new Uint8Array(70_000).fill(7);
  assert.equal(hex(sha256(long)), createHash('sha256').update(long).digest('hex'));
});

test('Console, workbench: base64 is read back, in both alphabets, and nothing else is', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      assert.equal(base64(given), Buffer.from(given).toString('base64'));
      assert.deepEqual(fromBase64(base64(given)), given);
      assert.deepEqual(fromBase64Url(Buffer.from(given).toString('base64url')), given);
      assert.deepEqual(fromHex(hex(given)), given);
    }),
  );
  for (const wrong of ['ab==c', 'a b=', '====', 'YWJj====', 'YQ==\n', ...'a ab= YQ= ä YQ YR== YWJ= -_-_'.split(' ')])
    assert.equal(fromBase64(wrong), undefined, wrong);
  for (const wrong of ['a+b/', 'YQ==', 'YR', 'YWJ', 'a', 'YWJj\n'])
    assert.equal(fromBase64Url(wrong), undefined, wrong);
  for (const any of ['whsec_YWI=', 'whsec_YWJj', 'a-_+/b', 'a b', 'a'])
    assert.deepEqual([...fromAnyBase64(any)], [...Buffer.from(any, 'base64')], any);
});

test('Console, workbench: a byte order mark stays, and bytes that are no UTF-8 are told', () => {
  assert.equal(fromUtf8(utf8('\uFEFFä')), '\uFEFFä');
  assert.equal(fromUtf8(Uint8Array.of(0xff)), undefined);
  assert.ok(equal(utf8('a'), Uint8Array.of(97)));
  assert.ok(!equal(utf8('a'), utf8('ab')));
});

test('Console, workbench: a signature by ES256 fits its message and key, and no other', () => {
  const key = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    return { privateKey, coordinates: { x: fromBase64Url(x) as Uint8Array, y: fromBase64Url(y) as Uint8Array } };
  };
  const other = key();
  fc.assert(
    fc.property(bytes, fc.nat(63), fc.integer({ min: 1, max: 255 }), (message, at, change) => {
      const { privateKey, coordinates } = key();
      const signature = new Uint8Array(sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
      assert.ok(verifyEs256(coordinates, message, signature));
      assert.ok(!verifyEs256(other.coordinates, message, signature));
      assert.ok(!verifyEs256(coordinates, Uint8Array.of(...message, 0), signature));
      const changed = signature.map((byte, index) => (index === at ? byte ^ change : byte));
      assert.ok(!verifyEs256(coordinates, message, changed));
    }),
    { numRuns: 15 },
  );
  assert.ok(!verifyEs256(other.coordinates, utf8('a'), new Uint8Array(64)));
  assert.ok(!verifyEs256(other.coordinates, utf8('a'), new Uint8Array(63)));
  assert.ok(!verifyEs256({ x: new Uint8Array(32), y: new Uint8Array(32) }, utf8('a'), new Uint8Array(64).fill(1)));
});
