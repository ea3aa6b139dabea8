import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from '../../console/model/line.ts';

test('Console, foreign text: what one would not see, or what turns the order round, is written out', () => {
  equal(visible('a\u202Eb\u200B\u0000\r\n\té日🚗'), 'a⟨U+202E⟩b⟨U+200B⟩⟨U+0000⟩⟨U+000D⟩\n\té日🚗');
});
