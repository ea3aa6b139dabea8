import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { checkWebhook, type Finding, type PastedCall, readHeaders } from '../../console/pages/workbench/webhook.ts';
import { chooseSeed, extent } from '../support/extent.ts';

const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;
const id = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';
const body = JSON.stringify({ eventId: id, data: { claimId: 'CLM-2026-000001' } });
const now = Date.parse('2026-03-02T10:15:30.000Z') / 1000;

const signed = (text: string, at = now, key = secret) => new Webhook(key).sign(id, new Date(at * 1000), text);
const headers = (signature: string, at: string | number = now) =>
  `webhook-id: ${id}\nwebhook-timestamp: ${at}\nwebhook-signature: ${signature}`;
const call = (changes: Partial<PastedCall> = {}): PastedCall => ({
  headers: headers(signed(body)),
  body,
  secret,
  ...changes,
});
const of = (part: Finding['of'], changes: Partial<PastedCall> = {}) =>
  checkWebhook(call(changes), now).filter((finding) => finding.of === part);
const moods = (findings: readonly Finding[]) => findings.map(({ mood }) => mood);

test('Console, workbench: a webhook that the library takes fits, and one that it refuses does not', (t) => {
  // The library reads the system's time, and 299 seconds are near its bound.
  t.mock.timers.enable({ apis: ['Date'], now: now * 1000 });
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `${json}\n`),
  );
  const changed = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => `${text} `,
    (text) => `${text}\n`,
    (text) => text.slice(1),
  );
  const ages = fc.constantFrom(0, 299, -299, 400, -400);
  fc.assert(
    fc.property(texts, changed, ages, fc.boolean(), (text, change, age, otherKey) => {
      const key = otherKey ? 'whsec_b3RoZXIga2V5' : secret;
      const at = now - age;
      const arrived = change(text);
      const sent = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signed(text, at, key) };
      let taken = true;
      try {
        new Webhook(secret).verify(arrived, sent, { jsonParse: false });
      } catch {
        taken = false;
      }
      const found = checkWebhook({ headers: headers(signed(text, at, key), at), body: arrived, secret }, now);
      const fits = found
        .filter((finding) => finding.of === 'signature' || finding.of === 'timestamp')
        .every(({ mood }) => mood === 'good');
      assert.equal(fits, taken);
    }),
    { seed: chooseSeed(), numRuns: extent(100, 3_000) },
  );
});

test('Console, workbench: of a webhook whose body changed it is told which body would fit', () => {
  const pretty = JSON.stringify(JSON.parse(body), null, 2);
  const cases: readonly (readonly [sent: string, arrived: string, says: RegExp])[] = [
    [body, pretty, /fits the body re-serialised as compact JSON/],
    [body, `${body}\n`, /without the line end at its end/],
    [`${body}\n`, body, /with a line feed .* added at its end/],
    [pretty, body, /pretty-printed with 2 spaces/],
    [pretty.replaceAll('\n', '\r\n'), pretty, /\\r\\n for each line end/],
    [body, `\uFEFF${body}`, /without the byte order mark/],
    [body, body.replace('CLM', 'XXX'), /another secret, .* none of the common mistakes/],
  ];
  for (const [sent, arrived, says] of cases) {
    const [finding] = of('signature', { headers: headers(signed(sent)), body: arrived });
    assert.match(finding?.text ?? '', says);
    assert.equal(finding?.mood, 'bad');
  }
});

test('Console, workbench: of several signatures of a webhook one has to fit, and only v1 counts', () => {
  const other = signed('another body');
  const [fits] = of('signature', { headers: headers(`${other} ${signed(body)}`) });
  assert.equal(fits?.mood, 'good');
  assert.deepEqual(moods(of('signature', { headers: headers(`${other} ${other}`) })), ['bad']);
  assert.deepEqual(moods(of('signature', { headers: headers(`v1a,abc ${signed(body)}`) })), ['note', 'good']);
  assert.deepEqual(moods(of('signature', { headers: headers('abc') })), ['note', 'bad']);
});

test('Console, workbench: what Traffic shows for a signature is told as such, and one’s own is checked all the same', () => {
  const hidden = headers('v1,(signature, 44 characters, not kept)');
  const [finding, ...others] = of('signature', { headers: hidden });
  assert.deepEqual([finding?.mood, others], ['warn', []]);
  assert.match(
    finding?.text ?? '',
    /^This is a placeholder: Traffic hides signatures\. Log the headers in your receiver/,
  );
  assert.match(of('signature', { headers: hidden, secret: '' })[0]?.text ?? '', /placeholder/);
  const computed = createHmac('sha256', secret).update(`${id}.${now}.${body}`).digest('base64');
  assert.match(of('signature', { headers: hidden, computed }).at(-1)?.text ?? '', /whole secret as text/);
  assert.deepEqual(moods(of('signature', { headers: hidden, computed: signed(body) })), ['warn', 'good']);
});

test('Console, workbench: the timestamp of a webhook may be off by five minutes, in seconds', () => {
  const at = (time: string | number) => of('timestamp', { headers: headers('v1,a', time) })[0];
  assert.equal(at(now - 300)?.mood, 'good');
  assert.match(at(now - 301)?.text ?? '', /5 minutes old/);
  assert.match(at(now + 301)?.text ?? '', /ahead/);
  assert.match(at(now * 1000)?.text ?? '', /milliseconds/);
  assert.match(at('soon')?.text ?? '', /whole seconds/);
});

test('Console, workbench: a secret of a webhook is judged by its form', () => {
  const says = (pasted: string) => of('secret', { secret: pasted })[0]?.text ?? '';
  assert.match(says(secret), /right form. Its key is the 32 bytes/);
  assert.match(says(secret.slice('whsec_'.length)), /lacks whsec_/);
  assert.match(says('whsec_!'), /must be base64/);
  assert.match(says('whsec_'), /must be base64/);
  assert.match(says('v1,abc'), /a signature/);
  assert.match(says(' '), /Paste the secret/);
});

test('Console, workbench: what was not pasted yet of a webhook is not checked, and no mistake', () => {
  for (const part of ['headers', 'body', 'secret'] as const) {
    assert.deepEqual(moods(of(part, { [part]: '' })), ['warn']);
    assert.ok(
      checkWebhook({ headers: '', body: '', secret: '', [part]: call()[part] }, now).every(
        ({ mood }) => mood !== 'bad',
      ),
    );
  }
});

test('Console, workbench: the headers of a webhook are found as logs and tools write them', () => {
  const expected = { 'webhook-id': id, 'webhook-timestamp': '1772446530', 'webhook-signature': 'v1,ab= v1,cd=' };
  const lines = Object.entries(expected);
  for (const text of [
    lines.map(([name, value]) => `${name}: ${value}`).join('\n'),
    lines.map(([name, value]) => `> ${name.replace(/^w|-[its]/g, (x) => x.toUpperCase())}: ${value}\r`).join('\n'),
    JSON.stringify(expected, null, 2),
    JSON.stringify(expected),
    lines.map(([name, value]) => `'${name}': '${value}',`).join('\n'),
    `webhook-attempt: 2\nwebhook-id: older\n${lines.map(([name, value]) => `${name}:${value}`).join('\n')}`,
  ]) {
    assert.deepEqual(readHeaders(text), expected);
  }
  assert.deepEqual(readHeaders(''), {});
  assert.match(
    of('headers', { headers: `webhook-id: ${id}` })[0]?.text ?? '',
    /^Missing: webhook-timestamp, webhook-sig/,
  );
});

test('Console, workbench: what a receiver’s code computed is told by the mistake that gives it', () => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const hmac = (by: Buffer | string, text: string) => createHmac('sha256', by).update(text);
  const content = `${id}.${now}.${body}`;
  const cases: readonly (readonly [computed: string, says: RegExp])[] = [
    [hmac(key, content).digest('base64'), /^What your code computed: The signature fits/],
    [signed(body), /^What your code computed: The signature fits/],
    [hmac(key, content).digest('hex'), /hexadecimal/],
    [hmac(key, content).digest('base64url'), /base64url/],
    [hmac(secret, content).digest('base64'), /whole secret as text/],
    [hmac(secret.slice(6), content).digest('base64'), /text after whsec_/],
    [hmac(key, body).digest('base64'), /body alone/],
    [hmac(key, `${now}.${body}`).digest('base64'), /The id comes first/],
    [
      hmac(key, `${id}.${now}.${JSON.stringify(JSON.parse(body), null, 2)}`).digest('base64'),
      /pretty-printed with 2 spaces/,
    ],
    [hmac(secret, body).digest('base64'), /whole secret .* body alone/],
    ['something', /This is no signature/],
    [hmac('another key', content).digest('base64'), /none of the common mistakes/],
  ];
  for (const [computed, says] of cases) {
    assert.match(of('signature', { computed }).at(-1)?.text ?? '', says, computed);
  }
});

test('Console, workbench: a mistake of a receiver is also told where the body was pasted pretty-printed', () => {
  const computed = createHmac('sha256', secret).update(body).digest('hex');
  const findings = of('signature', { body: JSON.stringify(JSON.parse(body), null, 2), computed });
  assert.match(findings.at(-1)?.text ?? '', /whole secret .* body alone.* hexadecimal/);
});

test('Console, workbench: the id of a webhook is the eventId of its body', () => {
  assert.deepEqual(moods(of('body')), ['good']);
  assert.deepEqual(moods(of('body', { body: JSON.stringify({ eventId: 'another' }) })), ['bad']);
  assert.deepEqual(moods(of('body', { body: 'null' })), []);
  assert.deepEqual(moods(of('body', { body: '{' })), ['note']);
});
