import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { systemRandomness } from '../../src/randomness.ts';
import type { Sha256 } from '../../src/text/signed-bytes.ts';
import { newSecret, signature } from '../../src/webhooks/call.ts';
import { checkSignature } from '../../src/webhooks/signature-check.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';

const secret = newSecret(systemRandomness);
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const [id, timestamp] = ['6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11', '1772446540'];
const body = '{"eventId":"6f1c","data":{"holder":"Zoë"}}';
const content = `${id}.${timestamp}.${body}`;
const hmac = (by: string | Buffer, text: string) => createHmac('sha256', by).update(text);
const v1 = (by: string | Buffer, text: string) => `v1,${hmac(by, text).digest('base64')}`;
const sha256: Sha256 = (data, by) =>
  (by === undefined ? createHash('sha256') : createHmac('sha256', by)).update(data).digest();
const check = (given: string, of = body) =>
  checkSignature(secret, { id, timestamp, body: of, signature: given }, sha256);

test('Decisions, check of a signature: one that fits is told so, also among others', () => {
  const right = signature(secret, id, Number(timestamp), body);
  assert.equal(right, new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body));
  for (const given of [right, ` ${right} `, `v1,AAAA ${right}`, `${v1('x', content)} v1a,AAAA ${right}`]) {
    assert.deepEqual(check(given), {
      valid: true,
      detail: 'The signature fits this id, this timestamp and this body.',
    });
  }
});

/** What a receiver may have computed, and what it is told. */
const mistakes: Record<string, readonly [given: string, finding: RegExp]> = {
  'the whole secret as the key': [v1(secret, content), /^The key was the whole secret as text/],
  'the text of the secret as the key': [v1(secret.slice(6), content), /^The key was the text after whsec_/],
  'the secret with its prefix decoded': [v1(Buffer.from(secret, 'base64'), content), /Leave whsec_ out/],
  'an empty key': [v1('', content), /^The key was empty/],
  'the body alone': [v1(key, body), /^It signs the body alone/],
  'no id': [v1(key, `${timestamp}.${body}`), /^It signs the timestamp and the body\. The id comes first/],
  'no timestamp': [v1(key, `${id}.${body}`), /^It leaves the timestamp out/],
  'another order': [v1(key, `${timestamp}.${id}.${body}`), /^It has the timestamp before the id/],
  'no dots': [v1(key, `${id}${timestamp}${body}`), /^It leaves the dots out/],
  milliseconds: [v1(key, `${id}.${timestamp}000.${body}`), /in milliseconds/],
  'another key and the body alone': [
    v1(secret, body),
    /^The key was the whole secret as text.* It signs the body alone/,
  ],
  'a body with spaces': [
    v1(key, `${id}.${timestamp}.{"eventId": "6f1c", "data": {"holder": "Zoë"}}`),
    /^It fits the body re-serialised with a space after each comma and colon/,
  ],
  'a body with a line end': [v1(key, `${content}\n`), /^It fits the body with a line feed/],
  'the whole secret as the key, and a body with spaces': [
    v1(secret, `${id}.${timestamp}.{"eventId": "6f1c", "data": {"holder": "Zoë"}}`),
    /^The key was the whole secret as text.* It fits the body re-serialised with a space/,
  ],
  'no key at all': [`v1,${createHash('sha256').update(content).digest('base64')}`, /^It is the plain SHA-256/],
  hexadecimal: [hmac(key, content).digest('hex'), /right content with the right key\. It is in hexadecimal/],
  base64url: [`v1,${hmac(key, content).digest('base64url')}`, /right content with the right key\. It is in base64url/],
  'no version': [hmac(key, content).digest('base64'), /Write v1 and a comma before it/],
  'hexadecimal of the body alone': [hmac(key, body).digest('hex'), /^It signs the body alone.*It is in hexadecimal/],
  'the secret itself': [secret, /^This is the secret/],
  'a signature of another kind': ['v1a,AAAA', /^It begins with v1a/],
  'no signature': ['v1,nonsense', /^This is no signature/],
  'a digest of another length': [
    `v1,${createHmac('sha1', key).update(content).digest('base64')}`,
    /^This is no signature/,
  ],
  'another secret': [
    v1(Buffer.from(newSecret(systemRandomness).slice(6), 'base64'), content),
    /none of the common mistakes/,
  ],
};
for (const [what, [given, finding]] of Object.entries(mistakes)) {
  test(`Decisions, check of a signature: the mistake is told: ${what}`, () => {
    const { valid, detail } = check(given);
    assert.equal(valid, false);
    assert.match(detail, finding);
    assert.ok(!detail.includes(hmac(key, content).digest('base64')) && !detail.includes(secret));
  });
}

test('Decisions, check of a signature: the work is bounded, however many signatures and whatever body there are', () => {
  let hashed = 0;
  const counting: Sha256 = (data, by) => {
    hashed += 1;
    return sha256(data, by);
  };
  for (const given of [body, '['.repeat(500) + ']'.repeat(500)]) {
    hashed = 0;
    const signature = v1('x', content).concat(' ').repeat(1_000);
    assert.equal(checkSignature(secret, { id, timestamp, body: given, signature }, counting).valid, false);
    assert.ok(hashed < 250, `${hashed}`);
  }
});

test('Decisions, check of a signature: a body that was changed on its way is told by the signature that arrived', () => {
  const arrived = v1(key, content);
  assert.match(
    check(arrived, JSON.stringify(JSON.parse(body), null, 2)).detail,
    /^It fits the body re-serialised as compact JSON/,
  );
  assert.match(check(arrived, body.replace('Zoë', 'Zoe')).detail, /none of the common mistakes/);
});

onSqlite((engine) => {
  test('Decisions, check of a signature: the owner of the subscription asks, nobody else; a broken question is refused', async (t) => {
    const lplate = await startLPlate(t, engine);
    const receiver = await Receiver.open(t);
    const { client, path } = await Subscriber.open(lplate, receiver.url);
    const ask = (json: unknown, token = client.token) =>
      lplate.call('POST', `${path}/check-signature`, { token, json: json as object });
    await lplate.call('POST', `${path}/test`, client);
    await receiver.until(1);
    const { headers, body: arrived } = receiver.calls[0] ?? assert.fail();
    const call = { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'], body: arrived };
    const right = await ask({ ...call, signature: headers['webhook-signature'] });
    assert.deepEqual([right.status, right.json.valid], [200, true]);
    const wrong = await ask({ ...call, body: `${arrived} `, signature: headers['webhook-signature'] });
    assert.deepEqual([wrong.status, wrong.json.valid], [200, false]);
    const other = await lplate.client();
    assert.equal((await ask({ ...call, signature: 'v1,AAAA' }, other.token)).status, 404);
    for (const member of ['id', 'timestamp', 'body', 'signature']) {
      const { status, json } = await ask({ ...call, signature: 'v1,AAAA', [member]: 7 });
      assert.deepEqual([status, json.errors[0].pointer], [400, `/${member}`]);
    }
    const nested = `${'['.repeat(25_000)}${']'.repeat(25_000)}`;
    assert.equal((await ask({ ...call, body: nested, signature: headers['webhook-signature'] })).json.valid, false);
  });
});
