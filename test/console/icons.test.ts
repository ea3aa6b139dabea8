import { deepEqual } from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { navigation } from '../../src/navigation.ts';

/* What a page shows in place of an icon that is not there is a square. */

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFile(join(root, file), 'utf8');

/** The names of icons in a text, each after `icon-`. */
const iconsOf = (text: string) => [...text.matchAll(/\bicon-([a-z]+)/g)].map(([, name = '']) => name);

test('Console, design: each icon that a page names is in the style, and no other', async () => {
  const style = await read('console/style/icons.css');
  const drawn = [...style.matchAll(/\.icon-([a-z]+)::?[a-z]* \{\n {2}--icon:|\.icon-([a-z]+) \{\n {2}--icon:/g)];
  const named = navigation.flatMap(({ links }) => links.map(({ icon }) => icon));
  for await (const file of glob('{console/{*,api,model,pages,parts,state}/**,src/http/answers/*}.{ts,tsx}', {
    cwd: root,
  })) {
    named.push(...iconsOf(await read(file)));
  }
  deepEqual([...new Set(named)].toSorted(), drawn.map(([, one, other]) => one ?? other).toSorted());
});

test('Console, design: each page of the console is in the navigation, but those that a link leads to', async () => {
  const [, pages = ''] =
    /pages: Record<string, ComponentType> = \{(.*?)\n\}/s.exec(await read('console/app.tsx')) ?? [];
  const served = [...pages.matchAll(/^ {2}'?(\w*)'?:/gm)].map(([, name]) => `/#/${name}`);
  const linked = navigation
    .flatMap(({ links }) => links.map(({ path }) => path))
    .filter((path) => path.startsWith('/#/'));
  deepEqual(served.toSorted(), [...linked, '/#/join', '/#/style', '/#/verify'].toSorted());
});
