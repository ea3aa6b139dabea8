import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './tool-test.ts';
import { type Called, call, home, node } from './tools.ts';

/** Where a program of the folder programs/ lies. */
export function programPath(name: string): string {
  return join(import.meta.dirname, '../programs', name);
}

/** Makes the folder of a test one in which Node.js finds the installed packages. */
export async function nodeFolder({ folder }: Place): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(home('node'), 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/** The types of libraries are their own matter, and take four times as long as those of a program. */
export const ownTypesAlone = { skipLibCheck: true };

/** Compiles a program in TypeScript with strict rules and those of `stricter`, and runs it. */
export async function typescript(
  place: Place,
  name: string,
  args: readonly string[],
  stricter: object = {},
): Promise<Called> {
  const [path = ''] = await compiled(place, [name], stricter);
  return call(process.execPath, [path, ...args], { cwd: place.folder });
}

/** Compiles programs in TypeScript, and files of the folder programs/ that they import. Returns where each is then. */
export async function compiled({ folder }: Place, names: readonly string[], stricter: object = {}): Promise<string[]> {
  for (const each of names) await copyFile(programPath(each), join(folder, each));
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, ...stricter },
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
    ...{ outDir: 'compiled', rootDir: '.', rewriteRelativeImportExtensions: true },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
  await node('typescript/lib/tsc.js', ['--project', folder]);
  return names.map((name) => join(folder, 'compiled', name.replace(/ts$/, 'js')));
}

/** The last line that a program wrote, as JSON. */
export function told({ stdout }: Called): unknown {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
