import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLessons } from '../../src/process/check-lessons.ts';
import { jsonFile } from '../../src/settings/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'l-plate-saved-'));
const text = `${JSON.stringify({ path: ['credentials'], $schema: 'ü' }, null, 2)}\r\n`;
const little = Buffer.from(text, 'utf16le');

function saved(name: string, bytes: Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

test('Decisions, settings: a file is read in each encoding that can mean one thing, and another one is told', async () => {
  const value = JSON.parse(text);
  for (const [name, bytes] of Object.entries({
    'utf-8.json': Buffer.from(text),
    'utf-8-marked.json': Buffer.from(`\ufeff${text}`),
    'utf-16le.json': little,
    'powershell.json': Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
    'utf-16be.json': Buffer.from(little).swap16(),
    'utf-16be-marked.json': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()]),
  })) {
    deepEqual(jsonFile(saved(name, bytes)), value, name);
  }
  const others = {
    'windows-1252.json': Buffer.from(text, 'latin1'),
    'utf-32.json': Buffer.from('7b0000007d000000', 'hex'),
  };
  for (const [name, bytes] of Object.entries(others)) {
    const { exitCode, text: told } = await checkLessons(saved(name, bytes));
    equal(exitCode, 2, name);
    match(told, /is in another encoding than UTF-8; save it in UTF-8/, name);
  }
  const { exitCode } = await checkLessons(
    saved('class.json', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"path":["credentials"]}', 'utf16le')])),
  );
  equal(exitCode, 0);
});
