import assert from 'node:assert/strict';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { openapi, type Place, toolTest } from './support/tool-test.ts';
import { call, home, node } from './support/tools.ts';

/*
 * Clients that generators make of the descriptions alone. Each compiles and walks: credentials, token, a policy that is
 * created, read, listed, changed and cancelled, and a claim on it. The programs that use them are in programs/.
 */

const walk = {
  created: 'active',
  read: 'WK-1234',
  listed: 1,
  updated: 'Grace Example',
  claim: 'REGISTERED',
  cancelled: 'cancelled',
  refused: 'The policy can’t be changed any more',
};

function walked({ stdout }: { stdout: string }): void {
  assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), walk);
}

/** Copies a program into the folder of a test, and returns its path there. */
async function program({ folder }: Place, name: string, as = name): Promise<string> {
  const path = join(folder, as);
  await copyFile(join(import.meta.dirname, 'programs', name), path);
  return path;
}

/** What `tsc --strict` compiles and Node.js runs. */
async function typescript(place: Place, name: string, options: object = {}): Promise<void> {
  const { folder, origin } = place;
  const path = await program(place, name);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(home('node'), 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ target: 'es2024', lib: ['es2024', 'dom'], module: 'nodenext', types: ['node'] },
    ...{ outDir: 'compiled', rewriteRelativeImportExtensions: true },
    ...options,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [path] }));
  await node('typescript/lib/tsc.js', ['--project', folder]);
  walked(await call(process.execPath, [join(folder, 'compiled', name.replace(/ts$/, 'js')), origin], { cwd: folder }));
}

describe('Descriptions: the client that a generator makes of them compiles, and does a whole walk', () => {
  toolTest(['openapi-typescript', 'openapi-fetch', 'typescript'], 'openapi-fetch', async (place) => {
    for (const system of ['insurer', 'claims'] as const) {
      const description = await place.document(openapi[system], `${system}.yaml`);
      const output = join(place.folder, `${system}.d.ts`);
      await node('openapi-typescript/bin/cli.js', [description, '--output', output]);
    }
    await typescript(place, 'openapi-fetch.ts');
  });
});
