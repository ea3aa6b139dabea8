import { createHash } from 'node:crypto';
import type { Engine } from './engines.ts';
import { startLPlate } from './lplate.ts';

/*
 * The types of the kit for TypeScript, `kits/typescript`, are made of the descriptions of one day and origin, so that they
 * change only when the descriptions do. Each begins with the hash of what it was made of.
 */

const publicUrl = 'http://localhost:8080';

export const describedBy = {
  'insurer.ts': '/insurer/v1/openapi.json',
  'claims.ts': '/claims/v1/openapi.json',
  'vehicle-registry.ts': '/vehicle-registry/v2/openapi.json',
} as const;

/** The descriptions, by the names of the files with their types. */
export async function descriptionsOfTypes(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const lplate = await startLPlate(engine, { publicUrl });
  try {
    const texts = Object.entries(describedBy).map(
      async ([name, path]) => [name, await (await fetch(`${lplate.url}${path}`)).text()] as const,
    );
    return new Map(await Promise.all(texts));
  } finally {
    await lplate.close();
  }
}

export function firstLine(description: string): string {
  const hash = createHash('sha256').update(description).digest('hex');
  return `// Made by openapi-typescript of the description with the SHA-256 ${hash}\n`;
}
