import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descriptionsOfTypes, firstLine } from '../../support/kit-types.ts';
import { node } from './tools.ts';

/** Makes the types of the kit for TypeScript with the pinned openapi-typescript: their texts, by file. */
export async function makeTypes(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-types-'));
  try {
    const location = async () => ({ directory: join(folder, 'data') });
    const types = new Map<string, string>();
    for (const [name, description] of await descriptionsOfTypes({ name: 'sqlite', location })) {
      const [input, output] = [join(folder, `${name}.json`), join(folder, name)];
      await writeFile(input, description);
      // Else a member with a default would have to be sent.
      const flags = ['--default-non-nullable', 'false'];
      await node('openapi-typescript/bin/cli.js', [input, '--output', output, ...flags]);
      types.set(name, firstLine(description) + (await readFile(output, 'utf8')));
    }
    return types;
  } finally {
    await rm(folder, { recursive: true });
  }
}
