import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { dump } from '../../console/model/hex-dump.ts';
import { asTyped, type BodyOptions, bodyText, isJson, unseen } from '../../console/pages/workbench/body.ts';
import { printfWord, signedCall } from '../../console/pages/workbench/shell.ts';
import { hex, utf8 } from '../../src/text/bytes.ts';

const options = (changes: Partial<BodyOptions>): BodyOptions => ({ ...asTyped, ...changes });

test('Console, workbench: a body gets the line ends, the end, the layout and the mark that are chosen', () => {
  const typed = '{ "a": 1 }\n';
  const cases: readonly (readonly [options: Partial<BodyOptions>, sent: string])[] = [
    [{}, typed],
    [{ finalNewline: 'without' }, '{ "a": 1 }'],
    [{ lineEnds: 'crlf' }, '{ "a": 1 }\r\n'],
    [{ layout: 'compact' }, '{"a":1}\n'],
    [{ layout: 'compact', finalNewline: 'without', byteOrderMark: true }, '\uFEFF{"a":1}'],
    [{ layout: 'indented', lineEnds: 'crlf', finalNewline: 'with' }, '{\r\n  "a": 1\r\n}\r\n'],
  ];
  for (const [changes, sent] of cases) assert.equal(bodyText(typed, options(changes)), sent);
  assert.equal(bodyText('{ no JSON', options({ layout: 'compact' })), '{ no JSON');
  assert.equal(bodyText('a\r\nb\rc', asTyped), 'a\nb\nc');
});

test('Console, workbench: the dump has each byte once, in order, and marks what one does not see', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const { rows, left } = dump(bytes);
      assert.equal(left, 0);
      assert.equal(rows.flatMap((row) => row.bytes.map(({ hex }) => hex)).join(''), hex(bytes));
    }),
  );
  const marks = dump(utf8('\uFEFFa\r\n\t')).rows.flatMap((row) => row.bytes.map(({ mark }) => mark));
  assert.deepEqual(marks, ['bom', 'bom', 'bom', undefined, 'line-end', 'line-end', 'control']);
  const long = dump(new Uint8Array(65_536).fill(97));
  assert.deepEqual([long.rows.length, long.leftAt, long.left], [48, 36, 4048]);
  assert.equal(long.rows.at(-1)?.offset, 'fff0');
});

test('Console, workbench: it is said which line ends and marks a body has', () => {
  assert.deepEqual(unseen(''), []);
  assert.deepEqual(unseen('a'), ['There is no line end at its end.']);
  assert.deepEqual(unseen('\uFEFFa\r\nb\n'), [
    'It begins with a byte order mark: ef bb bf.',
    '1 line ends with CR LF: 0d 0a.',
    '1 line ends with LF: 0a.',
    'There is a line end at its end.',
  ]);
});

test('Console, workbench: a shell makes exactly the bytes of the body of a signed call', () => {
  const folder = mkdtempSync(join(tmpdir(), 'l-plate-shell-'));
  const signs = fc.constantFrom(
    '%',
    '\\',
    "'",
    '"',
    '$',
    '`',
    '\n',
    '\r',
    '\t',
    '\uFEFF',
    '\u0001',
    '7',
    'ä',
    '€',
    '-',
  );
  const texts = fc.array(fc.oneof(signs, fc.string({ unit: 'grapheme', maxLength: 3 }))).map((parts) => parts.join(''));
  try {
    fc.assert(
      // Several in one run of a shell: to start it takes longest.
      fc.property(fc.array(texts, { minLength: 10, maxLength: 10 }), (each) => {
        const commands = each.map((text, at) => {
          const [first] = signedCall('http://localhost/', text, '00').split('\ncurl');
          return `${first}\nmv body.json ${at}.json`;
        });
        for (const shell of ['bash', 'sh']) {
          execFileSync(shell, ['-c', commands.join('\n')], { cwd: folder });
          for (const [at, text] of each.entries()) assert.equal(readFileSync(join(folder, `${at}.json`), 'utf8'), text);
        }
      }),
      { numRuns: 3 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.equal(printfWord("it's 5 %\n"), "'it'\\''s 5 %%\\n'");
});

test('Console, workbench: what is nested very deep is not laid out, since indented it would fill the memory', () => {
  assert.ok(isJson('[1]'));
  assert.ok(!isJson('['.repeat(30_000) + ']'.repeat(30_000)));
});
