import { readdir, readFile } from 'node:fs/promises';
import type { Files } from './archive.ts';

/** The client, as it stands in the repository, with the addresses of this origin. `npm install` makes its types. */
const folder = new URL('../../kits/typescript/', import.meta.url);
const origin = 'http://localhost:8080';

export async function typescriptClient(publicUrl: string): Promise<Files> {
  const names = await readdir(folder);
  const read = async (name: string) =>
    [name, (await readFile(new URL(name, folder), 'utf8')).replaceAll(origin, publicUrl)] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}
