import { deepEqual, ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/*
 * Who may import whom in src/, types included. Arrows point down this list, never up and never in a circle. Files that
 * share a line are siblings: the systems may import each other's index.ts and nothing else of each other.
 */
const layers: readonly (readonly string[])[] = [
  ['main.ts', 'child.ts'],
  ['stopping.ts', 'banner.ts', 'check-lessons.ts'],
  ['app.ts', 'workers.ts'],
  ['front-page.ts', 'authority-page.ts', 'guides.ts', 'background-work.ts', 'beginning.ts'],
  ['kits/'],
  ['housekeeping.ts'],
  ['range/'],
  ['insurer/', 'vehicle-registry/', 'claims/'],
  ['system.ts'],
  ['webhooks/'],
  ['events/'],
  ['component.ts', 'context.ts'],
  ['http/'],
  ['database/'],
  ['*'],
];

/** Pure rules. Neither they nor what they import may know HTTP or SQL. */
const rules = [
  'clients/client.ts',
  'insurer/coverage-option.ts',
  'insurer/policy.ts',
  'insurer/registration-number.ts',
  'clients/scope.ts',
  'insurer/signature.ts',
  'claims/claim.ts',
  'events/cursor.ts',
  'events/duplicates.ts',
  'webhooks/delivery.ts',
  'webhooks/signature-check.ts',
  'vehicle-registry/vehicle.ts',
  'vehicle-registry/vin.ts',
];

const src = join(import.meta.dirname, '../src');

/** What each file of src/ imports of src/, by path below it. */
async function readImports(): Promise<Map<string, string[]>> {
  const imports = new Map<string, string[]>();
  for (const name of await readdir(src, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const text = await readFile(join(src, name), 'utf8');
    const paths = [...text.matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) => path);
    imports.set(
      name,
      paths.map((path) => normalize(join(dirname(name), path))).filter((path) => !path.startsWith('..')),
    );
  }
  return imports;
}

function layerOf(file: string): { layer: number; part: string } {
  for (const [layer, parts] of layers.entries()) {
    const part = parts.find((each) => (each.endsWith('/') ? file.startsWith(each) : file === each));
    if (part) return { layer, part };
  }
  return { layer: layers.length - 1, part: file };
}

test('Design, the shape: no file imports one of a higher layer, or past the index of a sibling system', async () => {
  const wrong: string[] = [];
  for (const [file, imported] of await readImports()) {
    const from = layerOf(file);
    for (const target of imported) {
      const to = layerOf(target);
      const sibling = to.layer === from.layer && to.part !== from.part && to.part.endsWith('/');
      if (to.layer < from.layer || (sibling && target !== `${to.part}index.ts`)) wrong.push(`${file} → ${target}`);
    }
  }
  deepEqual(wrong, []);
});

test('Design, the shape: no files import each other in a circle, types included', async () => {
  const imports = await readImports();
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  deepEqual(circles, []);
});

test('Design, the shape: folders do not import each other in a circle', async () => {
  const imports = await readImports();
  const arrows = new Set<string>();
  for (const [file, imported] of imports) {
    for (const target of imported) {
      const [from, to] = [layerOf(file).part, layerOf(target).part];
      if (from !== to) arrows.add(`${from} → ${to}`);
    }
  }
  const circles = [...arrows].filter((arrow) => arrows.has(arrow.split(' → ').reverse().join(' → ')));
  deepEqual(circles, []);
});

test('Design, the shape: rules know neither HTTP nor SQL, nor does anything they import', async () => {
  const imports = await readImports();
  for (const rule of rules) {
    ok(imports.has(rule), `${rule} is not there`);
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const next of imports.get(file) ?? []) reach(next);
    };
    reach(rule);
    const wrong = [...reached].filter((file) => /^(http|database)\//.test(file));
    deepEqual(wrong, [], `${rule} reaches them`);
    for (const file of reached) {
      const text = await readFile(join(src, file), 'utf8');
      ok(!/from '(fastify|pg|node:sqlite|node:http)/.test(text), `${file}, reached from ${rule}`);
    }
  }
});

test('Design, the shape: http/ and database/ name no system, but for migrations', async () => {
  const wrong: string[] = [];
  for (const name of (await readImports()).keys()) {
    if (!/^(http|database)\//.test(name) || name.startsWith('database/migrations')) continue;
    const text = await readFile(join(src, name), 'utf8');
    for (const [word] of text.matchAll(/insurer|vehicle|claim|webhook/gi)) wrong.push(`${name}: ${word}`);
  }
  deepEqual(wrong, []);
});

test('Design, time: only the clock asks the system for the time', async () => {
  for (const name of (await readImports()).keys()) {
    if (name === 'clock.ts') continue;
    const text = await readFile(join(src, name), 'utf8');
    ok(!/Date\.now\(|new Date\(\)|performance\.now|Temporal\.Now/.test(text), name);
  }
});

test('CONTRIBUTING: a file of src/ has at most 300 lines', async () => {
  const long: string[] = [];
  for (const name of (await readImports()).keys()) {
    const lines = (await readFile(join(src, name), 'utf8')).split('\n').length - 1;
    if (lines > 300) long.push(`${name}: ${lines}`);
  }
  deepEqual(long, []);
});

/** What each file of a folder beside src/ imports of other folders, by path from the root; types marked. */
async function importsOf(folder: string): Promise<{ file: string; target: string; type: boolean }[]> {
  const all: { file: string; target: string; type: boolean }[] = [];
  for (const name of await readdir(join(src, '..', folder), { recursive: true })) {
    if (name.startsWith('dist') || !/\.tsx?$/.test(name)) continue;
    const file = `${folder}/${name}`;
    const text = await readFile(join(src, '..', file), 'utf8');
    for (const [, type, path = ''] of text.matchAll(/import (type )?[^;]*?'(\.{1,2}\/[^']+)'/g)) {
      const target = normalize(join(dirname(file), path));
      if (!target.startsWith(`${folder}/`)) all.push({ file, target, type: type !== undefined });
    }
  }
  return all;
}

/**
 * What the console has from the service besides types: facts of the interfaces, and how pages keep text of others apart,
 * which neither of them should repeat.
 */
const facts = [
  'src/navigation.ts',
  'src/text/contained-text.ts',
  'src/http/header-names.ts',
  'src/claims/claim.ts',
  'src/events/retention.ts',
  'src/kits/placeholders.ts',
  'src/vehicle-registry/soap.ts',
];

test('Design, the shape: the console takes types and a few facts of the service; the service nothing of the console', async () => {
  const taken = await importsOf('console');
  ok(taken.some(({ type }) => type));
  const wrong = taken.filter(({ target, type }) => !facts.includes(target) && !(type && target.startsWith('src/')));
  deepEqual(wrong, []);
  // The library finds the Node.js that came along as the launcher does.
  const outside = (await importsOf('src')).map(({ file, target }) => `${file} → ${target}`);
  deepEqual(outside, ['src/library.ts → bin/brought-node.js']);
});
