import { deepEqual, ok } from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

test('Decisions, program: whatever is shortened in npm test is there in full in npm run test:long', async () => {
  const shortened: string[] = [];
  const inFull: string[] = [];
  for await (const path of glob('!(foreign|cluster|long)/**/*.test.ts', { cwd: import.meta.dirname })) {
    if (/\b(?:extent|takingTurns)\(/.test(await readFile(join(import.meta.dirname, path), 'utf8')))
      shortened.push(path);
  }
  for await (const path of glob('long/**/*.test.ts', { cwd: import.meta.dirname })) {
    const text = await readFile(join(import.meta.dirname, path), 'utf8');
    const [, file] = /^import '\.\.\/support\/full-extent\.ts';\nimport '\.\.\/(.*)';$/m.exec(text) ?? [];
    if (file) inFull.push(file);
  }
  ok(shortened.length > 5, 'they are found');
  deepEqual(inFull.sort(), shortened.sort());
});
