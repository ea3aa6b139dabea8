import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../../console/style');

/** What all pages share. The other files have the styles of one page each. */
const shared = ['index.css', 'tokens.css', 'base.css', 'layout.css', 'form.css', 'parts.css', 'print.css'];

/** The classes that a file has rules of their own for. */
async function classesOf(name: string): Promise<Set<string>> {
  const text = (await readFile(join(folder, name), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const first = [...text.replaceAll(/:is\([^)]*\)/g, '').matchAll(/(?:^|[,{}])\s*\.([\w-]+)(?=[^{}]*\{)/gm)];
  return new Set(first.map(([, found = '']) => found));
}

test('Console, style: what one page calls its own is not styled by another one, since all styles are in one file', async () => {
  const owners = new Map<string, string[]>();
  for (const name of await readdir(folder)) {
    if (shared.includes(name)) continue;
    // The trainer's page has three files.
    const page = name.replace(/^trainer-.*/, 'trainer.css');
    for (const found of await classesOf(name)) {
      const known = owners.get(found) ?? [];
      if (!known.includes(page)) owners.set(found, [...known, page]);
    }
  }
  for (const name of shared.filter((each) => each !== 'print.css')) {
    for (const found of await classesOf(name)) if (owners.has(found)) owners.get(found)?.push(name);
  }
  const several = [...owners]
    .filter(([, files]) => files.length > 1)
    .map(([found, files]) => `.${found}: ${files.join(', ')}`);
  assert.deepEqual(several, []);
});

test('Console, style: colours are named in tokens.css alone', async () => {
  for (const name of await readdir(folder)) {
    if (name === 'tokens.css') continue;
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\//g, '');
    assert.deepEqual(
      [...text.matchAll(/(?:#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(|light-dark\()[^;]*/gi)].map(([found]) => found),
      [],
      name,
    );
  }
});
