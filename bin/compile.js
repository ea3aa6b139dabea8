// What `npm pack` does first: makes of the sources what the package has in their place. A clone runs without it.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from '../console/build.js';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
compile('tsconfig.package.json');
await compileLibrary();
await buildConsole({ alone: true });

function compile(project) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [tsc, '--project', project], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** As CommonJS, in one file: some test runners load packages in no other form, and all of them load this one. */
async function compileLibrary() {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/library.ts'],
    outfile: 'dist/library.cjs',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    sourcemap: 'linked',
    define: { 'import.meta.url': 'here' },
    banner: { js: `const here = require('node:url').pathToFileURL(__filename).href;` },
    logLevel: 'warning',
  });
  // Declarations are made of all that it imports. Only two have what it offers.
  compile('tsconfig.library.json');
  for (const [path, name] of [
    ['library', 'library'],
    ['settings/settings', 'settings'],
  ]) {
    const types = readFileSync(`${root}dist/types/${path}.d.ts`, 'utf8');
    writeFileSync(`${root}dist/${name}.d.cts`, types.replaceAll('./settings/settings.ts', './settings.cjs'));
  }
  rmSync(`${root}dist/types`, { recursive: true });
}
