import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LogFile } from '../../src/output/log-file.ts';
import { Output } from '../../src/output/output.ts';

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'l-plate-log-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

const lineOf = (number: number) => `${String(number).padStart(99, '.')}\n`;

test('Decisions, the program: outputs: a log in files is bounded by their size and number, and the newest lines are there, whole', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'log');
  const output = new Output(new LogFile(path, { bytes: 10_000, before: 2 }));
  for (let number = 0; number < 1000; number += 1) {
    output.write(lineOf(number));
    if (number % 30 === 0) await output.flush(1000);
  }
  await output.flush(1000);
  assert.deepEqual(readdirSync(directory).toSorted(), ['log', 'log.1', 'log.2']);
  const text = ['log.2', 'log.1', 'log'].map((name) => readFileSync(join(directory, name), 'utf8')).join('');
  const first = Number(/\d+/.exec(text)?.[0]);
  assert.equal(text, Array.from({ length: 1000 - first }, (_, at) => lineOf(first + at)).join(''));
  assert.ok(text.length > 20_000 && text.length <= 30_000);
  for (const name of readdirSync(directory)) {
    const { size, mode } = statSync(join(directory, name));
    assert.ok(size <= 10_000 && (mode & 0o777) === 0o600, name);
  }
});

test('Decisions, the program: outputs: a file of a log that is there is closed to others and goes on, one that was removed is made anew', async (t) => {
  const path = join(folder(t), 'log');
  writeFileSync(path, 'before\n');
  chmodSync(path, 0o644);
  const output = new Output(new LogFile(path));
  output.print('one\n');
  await output.flush(1000);
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['before\none\n', 0o600]);
  rmSync(path);
  output.print('two\n');
  await output.flush(1000);
  assert.equal(readFileSync(path, 'utf8'), 'two\n');
});
