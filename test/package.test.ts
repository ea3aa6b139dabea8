import { deepEqual, equal, ok } from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/* What the project says of its packages. What is published is tried in test/foreign/package.test.ts. */

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFile(join(root, file), 'utf8');
const manifest = JSON.parse(await read('package.json'));
const ofConsole = JSON.parse(await read('console/package.json'));

/** The packages that the files of a pattern import, types left out. */
async function imported(pattern: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const file of glob(pattern, { cwd: root, exclude: ['console/dist/**', '**/*.d.ts'] })) {
    const text = await read(file);
    for (const [, kind, name = ''] of text.matchAll(/^\s*(?:import|export) (type )?[^;]*?from '([^'.][^']*)'/gms)) {
      if (kind === undefined) names.add(name);
    }
    for (const [, name = ''] of text.matchAll(/(?:import\(|^import )'([^'.][^']*)'/gm)) names.add(name);
    // A style takes its icons from a package.
    for (const [, name = ''] of text.matchAll(/url\("([a-z][^"]*)"\)/g)) names.add(name);
  }
  const packages = [...names].map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  const own = packages.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  return [...new Set(own)].sort();
}

test('Packages: a clone depends on what the service imports, and apart from that on what the console is built with', async () => {
  deepEqual(await imported('src/**/*.ts'), Object.keys(manifest.dependencies).sort());
  const built = await imported('console/**/*.{ts,tsx,js,css}');
  deepEqual(built, Object.keys(ofConsole.dependencies).sort());
  deepEqual(manifest.workspaces, ['console']);
});

test('Package: every dependency has an exact version', () => {
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  const all = { ...dependencies, ...optionalDependencies, ...devDependencies, ...ofConsole.dependencies };
  for (const [name, version] of Object.entries<string>(all)) ok(/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version), name);
});

test('Package: nothing publishes it but the release workflow, with provenance', async () => {
  equal(manifest.private, true);
  const build = await read('package/build.js');
  ok(build.includes("publishConfig: { access: 'public', provenance: true }"));
  const { on, jobs } = parse(await read('.github/workflows/release.yml'));
  deepEqual(Object.keys(on), ['push']);
  deepEqual(Object.keys(on.push), ['tags']);
  equal(jobs.publish.permissions['id-token'], 'write');
  const runs: string[] = jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  const scripts = runs.flatMap((run) => /^npm run ([\w:]+)/.exec(run)?.[1] ?? []);
  for (const name of scripts) ok(name in manifest.scripts, name);
  deepEqual(runs.slice(-2), ['npm run package', 'npm publish ./dist/package']);
});
