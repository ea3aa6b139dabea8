import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { contained } from '../../src/text/contained-text.ts';

test('Foreign text: what it turns round ends with it, and it ends nothing around it', () => {
  for (const [text, expected] of [
    ['Ada', 'Ada'],
    ['\u202Egpj.txt', '\u202Egpj.txt'],
    ['\u05D0\u05D1\u05D2 and \u{1F468}\u200D\u{1F469}', '\u05D0\u05D1\u05D2 and \u{1F468}\u200D\u{1F469}'],
    ['a\u2067b', 'a\u2067b\u2069'],
    ['a\u2066b\u2068c\u2069', 'a\u2066b\u2068c\u2069\u2069'],
    ['a\u2069b\u202Ec', 'ab\u202Ec'],
    // A line end ends what was open.
    ['a\u2067b\nc\u2069d', 'a\u2067b\u2069\ncd'],
  ] as const)
    equal(contained(text), expected);
});
