import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../../console/style');

/** What all pages share. The other files have the styles of one page each. */
const shared = [
  'index.css',
  'tokens.css',
  'base.css',
  'icons.css',
  'layout.css',
  'search.css',
  'form.css',
  'parts.css',
  'code.css',
  'print.css',
];

/** Of each selector of a file: its classes, in their order. */
async function selectorsOf(name: string): Promise<string[][]> {
  const text = (await readFile(join(folder, name), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const lists = [...text.matchAll(/([^{};]+)\{/g)].map(([, list = '']) => list);
  const selectors = lists.flatMap((list) => list.split(/,(?![^(]*\))/));
  return selectors.map((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, found = '']) => found));
}

/** The page that a file belongs to: those of the trainer and of Traffic have several. */
const pageOf = (file: string) => file.replace(/^(trainer|traffic)-.*/, '$1.css');

test('Console, style: what begins a rule of one page is in no rule of another one, since all styles are in one file', async () => {
  const files = (await readdir(folder)).filter((name) => !shared.includes(name));
  const begins = new Map<string, Set<string>>();
  for (const file of files) {
    const own = begins.get(pageOf(file)) ?? new Set<string>();
    for (const [first] of await selectorsOf(file)) if (first !== undefined) own.add(first);
    begins.set(pageOf(file), own);
  }
  const common = new Set<string>();
  for (const file of shared) for (const [first] of await selectorsOf(file)) if (first !== undefined) common.add(first);
  const mixed: string[] = [];
  for (const [page, own] of begins) {
    for (const file of files.filter((each) => pageOf(each) !== page)) {
      const used = new Set((await selectorsOf(file)).flat());
      for (const found of own) if (used.has(found) && !common.has(found)) mixed.push(`.${found} of ${page} in ${file}`);
    }
  }
  assert.deepEqual(mixed, []);
});

test('Console, style: colours are named in tokens.css alone', async () => {
  for (const name of await readdir(folder)) {
    if (name === 'tokens.css') continue;
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const colours = [...text.matchAll(/(?:#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(|light-dark\()[^;]*/gi)];
    assert.deepEqual(
      colours.map(([found]) => found),
      [],
      name,
    );
  }
});

// Such a rule has a browser style all that follows anew, on every page, when something is inserted anywhere.
test('Console, style: no rule is for whatever follows something, or for each following cell of a table', async () => {
  for (const file of await readdir(folder)) {
    const text = await readFile(join(folder, file), 'utf8');
    assert.deepEqual([...text.matchAll(/^.*(?<!\.loading )[+~] (?:\*|t[dhr]\b).*$/gm)].map(String), [], file);
  }
});
