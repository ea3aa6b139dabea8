import { deepEqual, ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/*
 * Who may import whom, types included. In src/ arrows point down the floors that docs/architecture.md shows. Files and
 * folders on one floor don't import each other. Anywhere, neither files nor the rooms of a folder form a circle.
 */

const root = join(import.meta.dirname, '..');

/** The systems. From outside, only their index.ts is imported. */
const systems = ['range/', 'claims/', 'insurer/', 'vehicle-registry/', 'kits/'];

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

type Imports = ReadonlyMap<string, readonly string[]>;

/** What each file of a folder imports, by path from the root. */
async function readImports(folder: string): Promise<Imports> {
  const imports = new Map<string, string[]>();
  for (const name of await readdir(join(root, folder), { recursive: true })) {
    if (!/\.(ts|tsx)$/.test(name) || /^(dist|node_modules)\//.test(name)) continue;
    const file = `${folder}/${name}`;
    const text = await readFile(join(root, file), 'utf8');
    const paths = [...text.matchAll(/(?:from|import|import\()\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) => path);
    imports.set(
      file,
      paths.map((path) => normalize(join(dirname(file), path))),
    );
  }
  return imports;
}

/** The floors of src/, from the top: on each, files and folders that are siblings. `*`: every other file. */
async function readFloors(): Promise<string[][]> {
  const page = await readFile(join(root, 'docs/architecture.md'), 'utf8');
  const [, block = ''] = /```floors\n(.*?)```/s.exec(page) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
}

test('Design, the shape: in src/ no file imports one of a higher floor, or past the index of a system', async () => {
  const floors = await readFloors();
  ok(floors.length > 10);
  const placeOf = (file: string) => {
    const floor = floors.findIndex((places) =>
      places.some((place) => file === place || (place.endsWith('/') && file.startsWith(place))),
    );
    const at = floor < 0 ? floors.length - 1 : floor;
    return { floor: at, place: floors[at]?.find((place) => place.endsWith('/') && file.startsWith(place)) ?? file };
  };
  const wrong: string[] = [];
  for (const [file, imported] of await readImports('src')) {
    const from = placeOf(file.slice(4));
    for (const target of imported) {
      if (!target.startsWith('src/')) continue;
      const to = placeOf(target.slice(4));
      if (from.place === to.place) continue;
      const isUp =
        to.floor < from.floor || (to.floor === from.floor && to.place.endsWith('/') && from.place.endsWith('/'));
      const isInside = systems.includes(to.place) && target !== `src/${to.place}index.ts`;
      if (isUp || isInside) wrong.push(`${file} → ${target}`);
    }
  }
  deepEqual(wrong, []);
});

for (const folder of ['src', 'console', 'bench', 'test/support']) {
  test(`Design, the shape: in ${folder}/ neither files nor the rooms of a folder import each other in a circle`, async () => {
    const imports = await readImports(folder);
    ok(imports.size > 10);
    deepEqual(circlesOf(imports), []);
    const folders = new Set([...imports.keys()].flatMap(foldersOf));
    for (const each of folders) deepEqual(circlesOf(roomsOf(imports, each)), [], each);
  });
}

/** `src/range/drills/` is in `src`, `src/range` and `src/range/drills`. */
function foldersOf(file: string): string[] {
  const names = dirname(file).split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** What the files and folders that lie in a folder import of each other. */
function roomsOf(imports: Imports, folder: string): Imports {
  const roomOf = (file: string) => file.slice(folder.length + 1).split('/', 1)[0] as string;
  const isInside = (file: string) => file.startsWith(`${folder}/`);
  const rooms = new Map<string, string[]>();
  for (const [file, imported] of imports) {
    if (!isInside(file)) continue;
    const room = roomOf(file);
    const others = imported.filter(isInside).map(roomOf);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)]);
  }
  return rooms;
}

function circlesOf(imports: Imports): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (from: string, path: readonly string[]): void => {
    if (path.includes(from)) return void circles.push([...path.slice(path.indexOf(from)), from].join(' → '));
    if (done.has(from)) return;
    for (const next of imports.get(from) ?? []) visit(next, [...path, from]);
    done.add(from);
  };
  for (const from of imports.keys()) visit(from, []);
  return circles;
}

test('Design, the shape: rules know neither HTTP nor SQL, nor does anything they import', async () => {
  const imports = await readImports('src');
  for (const rule of rules.map((name) => `src/${name}`)) {
    ok(imports.has(rule), `${rule} is not there`);
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const next of imports.get(file) ?? []) reach(next);
    };
    reach(rule);
    const wrong = [...reached].filter((file) => /^src\/(http|database)\//.test(file));
    deepEqual(wrong, [], `${rule} reaches them`);
    for (const file of reached) {
      const text = await readFile(join(root, file), 'utf8');
      ok(!/from '(fastify|pg|node:sqlite|node:http)/.test(text), `${file}, reached from ${rule}`);
    }
  }
});

test('Design, the shape: http/ and database/ name no system, but where they have the tables: in migrations and the order of locks', async () => {
  const wrong: string[] = [];
  for (const name of (await readImports('src')).keys()) {
    if (!/^src\/(http|database)\//.test(name) || /^src\/database\/(migrations|lock-order)/.test(name)) continue;
    const text = await readFile(join(root, name), 'utf8');
    for (const [word] of text.matchAll(/insurer|vehicle|claim|webhook/gi)) wrong.push(`${name}: ${word}`);
  }
  deepEqual(wrong, []);
});

test('Design, time: only the clock asks the system for the time', async () => {
  for (const name of (await readImports('src')).keys()) {
    if (name === 'src/time/clock.ts') continue;
    const text = await readFile(join(root, name), 'utf8');
    ok(!/Date\.now\(|new Date\(\)|performance\.now|Temporal\.Now/.test(text), name);
  }
});

/** What a file needs when it runs: not what it takes types from. */
const neededBy = (text: string) =>
  [...text.matchAll(/^(?:import|export) (?!type )(?:[^;'=]* from )?'([^']+)';$/gm)].map(([, path = '']) => path);

test('Design, the shape: the console takes types and pure rules of the service; the service nothing of the console', async () => {
  const impure = new Map<string, string | undefined>();
  /** What in a file, or in what it needs, is of one side alone: a package, Node.js, SQL; undefined for a pure one. */
  const impurityOf = async (file: string): Promise<string | undefined> => {
    if (impure.has(file)) return impure.get(file);
    impure.set(file, undefined);
    const text = await readFile(join(root, file), 'utf8');
    let found = /\b(?:Buffer|Temporal|process)\./.test(text) || file.startsWith('src/database/') ? file : undefined;
    for (const path of neededBy(text))
      found ??= path.startsWith('.') ? await impurityOf(normalize(join(dirname(file), path))) : `${file} → ${path}`;
    impure.set(file, found);
    return found;
  };
  const wrong: string[] = [];
  for (const file of (await readImports('console')).keys()) {
    for (const path of neededBy(await readFile(join(root, file), 'utf8'))) {
      const target = normalize(join(dirname(file), path));
      if (!path.startsWith('.') || !target.startsWith('src/')) continue;
      const impurity = await impurityOf(target);
      if (impurity) wrong.push(`${file} → ${target}: ${impurity}`);
    }
  }
  deepEqual(wrong, []);
  const outside = [...(await readImports('src')).values()].flat().filter((target) => !target.startsWith('src/'));
  // The library says of an older Node.js what the launcher does.
  deepEqual(outside, ['package/node-version.js']);
});
