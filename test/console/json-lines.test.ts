import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonLines } from '../../console/model/json-lines.ts';
import { maxLaidOut } from '../../console/model/line.ts';

const shown = (text: string, complete = true) => jsonLines(text, complete)?.map((line) => line.text);
const places = (text: string) => jsonLines(text, true)?.map(({ place }) => place);

describe('Console, JSON for reading', () => {
  test('a value on each line, as JSON.stringify would have it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        equal(shown(text)?.join('\n'), JSON.stringify(JSON.parse(text), null, 2));
      }),
      { numRuns: 500 },
    );
  });

  test('numbers stay as they were written, and a member that is there twice is shown twice', () => {
    deepEqual(shown('{"a":1.00,"b":12345678901234567890,"a":1e400}'), [
      '{',
      '  "a": 1.00,',
      '  "b": 12345678901234567890,',
      '  "a": 1e400',
      '}',
    ]);
  });

  test('each line has the pointer of its value', () => {
    deepEqual(places('{"a":{"b~/":[1,{"c":2}]},"d":{}}'), [
      ...['', '/a', '/a/b~0~1', '/a/b~0~1/0', '/a/b~0~1/1', '/a/b~0~1/1/c'],
      ...[undefined, undefined, undefined, '/d', undefined],
    ]);
  });

  test('of a text that was cut off the beginning is shown, wherever it was cut', () => {
    deepEqual(shown('{"items":[{"id":"pol-1","holder":"A\\"d', false), [
      '{',
      '  "items": [',
      '    {',
      '      "id": "pol-1",',
      '      "holder": "A\\"d',
    ]);
    const text = JSON.stringify({ a: [1, { b: 'x"y' }, []], c: { d: null, e: {} } });
    for (let length = 1; length < text.length; length += 1) {
      const cut = text.slice(0, length);
      equal(shown(cut, false)?.join('').replaceAll(/\s/g, ''), cut, cut);
    }
  });

  test('what is no JSON is not laid out, nor what would grow without bound', () => {
    for (const text of ['', '{', '{"a":}', 'x', '{"a":1}}', '<p>']) equal(shown(text), undefined, text);
    for (const text of ['<p>', '{"a":1]', '{a:1', 'abc']) equal(shown(text, false), undefined, text);
    equal(shown('['.repeat(8000) + ']'.repeat(8000)), undefined);
    ok((shown(`[${'1,'.repeat(8000)}1]`)?.join('\n').length ?? 0) < maxLaidOut);
  });
});
