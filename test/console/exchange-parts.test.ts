import { deepEqual, equal, match } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { bodyView, plainLines } from '../../console/model/body-view.ts';
import { bytesOf, bytesText, textOf } from '../../console/model/exchange-body.ts';
import { hexDump } from '../../console/model/hex-dump.ts';
import { signedBytes } from '../../console/pages/traffic/signed.ts';
import { claimsOf, durationText, timeOfCall, validityAt } from '../../console/pages/traffic/token-claims.ts';

const body = (text: string, complete = true) => ({ text, encoding: 'utf-8' as const, bytes: text.length, complete });
const typed = (value: string) => [{ name: 'Content-Type', value }];

describe('Console, traffic: a body', () => {
  test('is read by its type, and by its form where it has none', () => {
    equal(bodyView(body('{"a":1}'), []).kind, 'json');
    equal(bodyView(body('{"a":1}'), typed('application/problem+json; charset=utf-8')).kind, 'json');
    equal(bodyView(body('<a><b>1</b></a>'), typed('text/xml')).kind, 'xml');
    equal(bodyView(body('<p>Bad gateway'), typed('text/html')).kind, 'text');
    deepEqual(bodyView(body('a=1&b=%20x&a='), typed('application/x-www-form-urlencoded')), {
      kind: 'form',
      fields: [
        { name: 'a', value: '1', place: '/a' },
        { name: 'b', value: ' x', place: '/b' },
        { name: 'a', value: '', place: '/a' },
      ],
    });
    equal(bodyView({ text: 'gA==', encoding: 'base64', bytes: 1, complete: true }, []).kind, 'binary');
  });

  test('that is not what its type says is told so, and shown as it is', () => {
    deepEqual(bodyView(body('{"a":'), typed('application/json')), {
      kind: 'text',
      about: 'Its Content-Type says JSON, but it can’t be read as that.',
    });
    equal(bodyView(body('{"a":', false), typed('application/json')).kind, 'json');
  });

  test('of events has the JSON of their data laid out', () => {
    deepEqual(plainLines(body(': hello\n\nid: 1\ndata: {"a":1}\n\n'), typed('text/event-stream')), [
      ...[': hello', '', 'id: 1', 'data:', '  {', '    "a": 1', '  }', '', ''],
    ]);
  });

  test('gives its bytes, also those that are no UTF-8', () => {
    const bytes = Uint8Array.from([0, 65, 255, 10]);
    const odd = { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' as const, bytes: 4, complete: true };
    deepEqual(bytesOf(odd), bytes);
    equal(textOf(odd), '\0A\uFFFD\n');
    equal(
      hexDump(new TextEncoder().encode('{"regNumber":"é"}\n')),
      '0000  7b 22 72 65 67 4e 75 6d  62 65 72 22 3a 22 c3 a9  {"regNumber":"..\n0010  22 7d 0a                                          "}.',
    );
    deepEqual([bytesText(1), bytesText(16384)], ['1 byte', '16,384 bytes']);
  });
});

describe('Console, traffic: what was signed', () => {
  test('of X-Signature it is the body', () => {
    const signed = signedBytes({
      request: {
        httpVersion: '1.1',
        headers: [{ name: 'X-Signature', value: '(signature)' }],
        body: body('{"a":1}\n'),
      },
    });
    deepEqual(signed?.bytes, new TextEncoder().encode('{"a":1}\n'));
    equal(signed?.fault, undefined);
  });

  test('of a webhook it is what an independent verifier signs', () => {
    const headers = [
      { name: 'webhook-id', value: 'evt-1' },
      { name: 'webhook-timestamp', value: '1772446530' },
      { name: 'webhook-signature', value: '(signature)' },
    ];
    const signed = signedBytes({ request: { httpVersion: '1.1', headers, body: body('{"é":1}') } });
    const hmac = (data: string | Uint8Array) => createHmac('sha256', 'key').update(data).digest('hex');
    equal(hmac(signed?.bytes ?? ''), hmac('evt-1.1772446530.{"é":1}'));
  });

  test('where the log has not all of it, or not as it was, that is told', () => {
    const fault = (text: string, complete: boolean) =>
      signedBytes({
        request: { httpVersion: '1.1', headers: [{ name: 'x-signature', value: '' }], body: body(text, complete) },
      })?.fault ?? '';
    match(fault('{', false), /only the beginning/);
    match(fault('{"client_secret":"(secret, 43 characters)"}', true), /replaced/);
    equal(signedBytes({ request: { httpVersion: '1.1', headers: [] } }), undefined);
  });
});

describe('Console, traffic: a token', () => {
  test('has its times as instants', () => {
    deepEqual(claimsOf({ sub: 'demo-1', exp: 1772446530, aud: ['a'] }), [
      { name: 'sub', value: 'demo-1' },
      { name: 'exp', value: '1772446530', at: '2026-03-02T10:15:30.000Z' },
      { name: 'aud', value: '["a"]' },
    ]);
    equal(claimsOf({ exp: 1e300 })[0]?.at, undefined);
  });

  test('was valid or not at the time of the call, by the clock of its client', () => {
    const startedAt = '2026-03-02T10:15:30.000Z';
    const exp = Date.parse('2026-03-02T10:20:30Z') / 1000;
    const now = timeOfCall({ startedAt });
    deepEqual(validityAt({ exp }, now), { state: 'valid', text: 'Valid for 5 min after this call' });
    const ahead = timeOfCall({ startedAt, aheadSeconds: 3900 });
    deepEqual(validityAt({ exp }, ahead), { state: 'expired', text: 'Expired 60 min before this call' });
    equal(validityAt({ nbf: exp }, now)?.state, 'not-yet');
    equal(validityAt({}, now), undefined);
  });

  test('lengths of time are told in the unit that fits', () => {
    deepEqual([40_000, 3_540_000, 12_000_000, 7_200_000, 1e9].map(durationText), [
      '40 s',
      '59 min',
      '3 h 20 min',
      '2 h',
      '12 days',
    ]);
  });
});
