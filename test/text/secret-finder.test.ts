import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { excerpt } from '../../src/text/excerpt.ts';
import { SecretFinder } from '../../src/text/secret-finder.ts';
import { shownValue } from '../../src/text/shown-value.ts';
import { encodings } from '../support/encodings.ts';
import { processorTime } from '../support/processor-time.ts';

const set = 'q7Hn2-VbT0xYpK4mWc8LzRd1_sGjUeA5';
const finder = new SecretFinder([set, 'short-one']);
const clientSecret = () => randomBytes(32).toString('base64url');

describe('what is secret in a text', () => {
  test('Decisions, the range: a secret is found in every encoding, two deep, with whatever stands before it', () => {
    const missed: string[] = [];
    for (const secret of [set, clientSecret(), clientSecret(), randomBytes(32).toString('base64')]) {
      for (const [first, encode] of Object.entries(encodings)) {
        for (const [second, encodeAgain] of Object.entries(encodings)) {
          for (const before of ['', 'Bearer ', 'a=', 'x', 'xy', 'xyz', '{"a":"', 'X/']) {
            const text = before + encodeAgain(encode(secret));
            if (!finder.isIn(text)) missed.push(`${first}, ${second}: ${text}`);
          }
        }
      }
    }
    deepEqual(missed, []);
  });

  test('Decisions, the range: a code that holds is found by its value wherever and however it stands, and any other is a word', () => {
    const held = new Set(['7K3QX9M0RT', 'ABCDEFGHJK', '0123456789']);
    const codes = new SecretFinder([set]);
    codes.findCodes({ isEmpty: false, has: (code) => held.has(code) });
    const typed = (code: string) => {
      const [first, last] = [code.slice(0, 5), code.slice(5)];
      const shown = ['-', '', ' ', '\u2013', ' - ', '\n'].map((between) => first + between + last);
      return [...shown, code.toLowerCase(), code.replaceAll('0', 'o').replaceAll('1', 'l'), [...code].join(' ')];
    };
    const missed: string[] = [];
    for (const text of [...held].flatMap(typed))
      for (const [first, encode] of Object.entries(encodings))
        for (const before of ['', 'Bearer ', 'a=', '{"a":"', 'X/', 'It is ', '_']) {
          // So few characters look like nothing once they are packed.
          if (first === 'gzip') continue;
          if (/[^\x20-\x7f]/.test(text) && !/plain|glued/.test(first)) continue;
          // Glued to others without a dash, it is found at the beginning and the end of a word only.
          if (first === 'glued' && !/^\w{5}[-\s\u2013]\w{5}$/.test(text)) continue;
          if (!codes.isIn(before + encode(text))) missed.push(`${first}: ${before}${text}`);
        }
    deepEqual(missed, []);
    equal(
      codes.hide('/policies/7k3qx-9m0rt?a=x7K3QX9M0RT'),
      '/policies/(secret, 11 characters)?a=x(secret, 10 characters)',
    );
    for (const word of [
      '7K3QX-9M0RU',
      'registered',
      'regNumber',
      '12345-67890',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
    ])
      equal(codes.hide(word), word);
  });

  test('Decisions, the range: of what random secrets may be, none is missed', () => {
    // Of the first there is one in two millions: its characters seldom change their kind.
    const seldom = ['XJCeZAeigdrxqlhjldoYZKmjqpMTHPFYKAPF6ioKLLE'];
    for (const secret of [...seldom, ...Array.from({ length: 20_000 }, clientSecret)]) {
      equal(finder.hide(secret), '(secret, 43 characters)', secret);
    }
  });

  test('Decisions, the range: only the secret is hidden, what stands around it is not', () => {
    const secret = clientSecret();
    const hidden = {
      [`/vehicle-registry/v2/vehicles/${secret}/x`]: '/vehicle-registry/v2/vehicles/(secret, 43 characters)/x',
      '{"client_secret" : "abc","a":1}': '{"client_secret" : "(secret, 3 characters)","a":1}',
      "{'password': 'abc', 'a': 1}": "{'password': '(secret, 3 characters)', 'a': 1}",
      '<password>abc</password>': '<password>(secret, 3 characters)</password>',
      'client%5Fsecret=abc&b=1': 'client%5Fsecret=(secret, 3 characters)&b=1',
      'Basic cHJlc2V0OnNob3J0': 'Basic (secret, 16 characters)',
      [`a ${set.slice(0, 20)}…, b`]: 'a (secret, 20 characters)…, b',
      [`"\\u0071${set.slice(1)}"`]: '"(secret, 37 characters)"',
      '"token":"(token 1)","secret":"(secret, 6 characters)"': '"token":"(token 1)","secret":"(secret, 6 characters)"',
    };
    for (const [text, expected] of Object.entries(hidden)) equal(finder.hide(text), expected);
  });

  test('Decisions, the range: words, paths, ids and what is public are no secrets', () => {
    const id = '8e03978e-40d5-43dd-bc93-6894a57f9324';
    for (const text of [
      `/insurer/v1/policies/${id}`,
      `create-policy-${id}-${id}`,
      `Create-${id.toUpperCase()}`,
      '#/components/responses/PolicyNotFoundOrImmutable',
      'aVeryLongNameInCamelCaseThatNobodyReads',
      'A'.repeat(100),
      'aB'.repeat(50),
      'basic auth, and Basic, with client_id and client_secret',
      '{"tokenExpiresAt":"2026-11-25T12:00:00Z","token":{"a":1}}',
      '😀%zz\\',
    ]) {
      equal(finder.hide(text), text);
    }
    const thumbprint = clientSecret();
    const other = new SecretFinder();
    other.exempt([thumbprint]);
    equal(other.hide(`{"kid":"${thumbprint}"}`), `{"kid":"${thumbprint}"}`);
    const more = Array.from({ length: 10_000 }, clientSecret);
    other.exempt(more);
    deepEqual(
      [thumbprint, more.at(-2), more.at(-1)].map((each) => other.isIn(each as string)),
      [false, false, true],
    );
  });

  test('Decisions, the range: what a detail repeats ends before a secret that it would cut', () => {
    const secret = clientSecret();
    equal(excerpt(`${'a '.repeat(20)}${secret} and more`), `${'a '.repeat(20)}…`);
    equal(shownValue(`${'a '.repeat(20)}${secret}`), 'a text not repeated here');
    equal(shownValue(`x${Buffer.from(secret).toString('hex')}`), 'a text not repeated here');
  });

  test('Decisions, bounds: a text that would take long to read is hidden as a whole', async () => {
    const layers = ['%', '25'.repeat(50_000)].join('');
    ok(finder.hide(layers.repeat(2)).length <= layers.length * 2);
    const deep = `${'\\u0041'.repeat(20_000)}`;
    ok((await processorTime(() => finder.hide(deep))) < 2_000);
  });
});
