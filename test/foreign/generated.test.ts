import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { nodeFolder, programPath, told, typescript } from './support/programs.ts';
import { openapi, type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, classpath, home, jdk, node, pins, python, pythonScripts } from './support/tools.ts';

/*
 * Clients that generators make of the descriptions alone. Each compiles and walks: credentials, token, a policy that is
 * created, read, listed, changed and cancelled, and a claim on it. The programs that use them are in programs/.
 */

const systems = ['insurer', 'claims'] as const;

const walk = {
  created: 'active',
  read: 'WK-1234',
  listed: 1,
  updated: 'Grace Example',
  claim: 'REGISTERED',
  cancelled: 'cancelled',
  refused: 'The policy can’t be changed any more',
};

function walked(called: Called): void {
  assert.deepEqual(told(called), walk);
}

/** Fetches both descriptions: the file of each system, by its name. */
async function described({ document }: Place): Promise<Record<(typeof systems)[number], string>> {
  const [insurer, claims] = await Promise.all(systems.map((system) => document(openapi[system], `${system}.yaml`)));
  return { insurer: insurer as string, claims: claims as string };
}

/** The client of each system, by one start of openapi-generator. */
async function generate(place: Place, name: string, settings: (system: string) => object): Promise<void> {
  const files = await described(place);
  const jar = `openapi-generator-cli-${pins.get('openapi-generator-cli')?.version}.jar`;
  const batch = systems.map(async (system) => {
    const file = join(place.folder, `${system}-generator.json`);
    const inputSpec = files[system];
    const globalProperties = { apiDocs: false, modelDocs: false, apiTests: false, modelTests: false };
    await writeFile(file, JSON.stringify({ generatorName: name, inputSpec, globalProperties, ...settings(system) }));
    return file;
  });
  await call(jdk('java'), ['-jar', join(home('java'), jar), 'batch', ...(await Promise.all(batch))]);
}

/** Copies a program to the client that it uses, and returns its path there. */
async function besideIt(folder: string, name: string, as = name): Promise<string> {
  const path = join(folder, as);
  await copyFile(programPath(name), path);
  return path;
}

describe('Descriptions: the client that a generator makes of them compiles, and does a whole walk', () => {
  toolTest(['openapi-typescript', 'openapi-fetch', 'typescript'], 'openapi-fetch', async (place) => {
    for (const [system, file] of Object.entries(await described(place))) {
      const output = join(place.folder, `${system}.ts`);
      // Else a member with a default would have to be sent.
      const flags = ['--default-non-nullable', 'false'];
      await node('openapi-typescript/bin/cli.js', [file, '--output', output, ...flags]);
    }
    await nodeFolder(place);
    walked(await typescript(place, 'openapi-fetch.ts', [place.origin], { exactOptionalPropertyTypes: true }));
  });

  toolTest(['orval', 'typescript'], 'Orval, fetch', async (place) => {
    const { folder, origin } = place;
    const settings = Object.entries(await described(place)).map(([system, input]) => [
      system,
      { input, output: { target: join(folder, `${system}.ts`), client: 'fetch', baseUrl: `${origin}/${system}/v1` } },
    ]);
    const config = join(folder, 'orval.config.mjs');
    await writeFile(config, `export default ${JSON.stringify(Object.fromEntries(settings))}`);
    await nodeFolder(place);
    await node('orval/dist/bin/orval.mjs', ['--config', config], { cwd: folder });
    walked(await typescript(place, 'orval.ts', []));
  });

  toolTest(['@hey-api/openapi-ts', 'typescript'], 'Hey API, fetch', async (place) => {
    const { folder } = place;
    const settings = Object.entries(await described(place)).map(([system, input]) => ({
      input,
      output: { path: join(folder, system), module: { extension: '.js' } },
    }));
    const config = join(folder, 'openapi-ts.config.mjs');
    await writeFile(config, `export default ${JSON.stringify(settings)}`);
    await nodeFolder(place);
    await node('@hey-api/openapi-ts/bin/run.js', ['--file', config, '--no-log-file'], { cwd: folder });
    walked(await typescript(place, 'hey-api.ts', []));
  });

  toolTest(['openapi-generator-cli', 'typescript'], 'openapi-generator, typescript-fetch', async (place) => {
    const outputDir = (system: string) => join(place.folder, system);
    const additionalProperties = { importFileExtension: '.js' };
    await generate(place, 'typescript-fetch', (system) => ({ outputDir: outputDir(system), additionalProperties }));
    await nodeFolder(place);
    walked(await typescript(place, 'openapi-generator.ts', [place.origin]));
  });

  toolTest(['openapi-generator-cli'], 'openapi-generator, java', async (place) => {
    const { folder, origin } = place;
    await generate(place, 'java', (system) => ({
      ...{ outputDir: folder, library: 'native', additionalProperties: { useJakartaEe: true } },
      ...{ invokerPackage: system, apiPackage: `${system}.api`, modelPackage: `${system}.model` },
    }));
    const sources = join(folder, 'src/main/java');
    const made = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.java'));
    const files = [...made.map((name) => join(sources, name)), await besideIt(folder, 'Walk.java')];
    const path = await classpath(join(folder, 'classes'));
    await call(jdk('javac'), ['-nowarn', '-proc:none', '-d', join(folder, 'classes'), '-cp', path, ...files]);
    walked(await call(jdk('java'), ['-cp', path, 'Walk', origin]));
  });

  toolTest(['openapi-generator-cli'], 'openapi-generator, python', { runtime: 'python' }, async (place) => {
    const { folder, origin } = place;
    await generate(place, 'python', (system) => ({ outputDir: folder, packageName: system }));
    walked(await python([await besideIt(folder, 'openapi-generator.py'), origin]));
  });

  toolTest(['openapi-python-client'], 'openapi-python-client', async (place) => {
    const { folder, origin } = place;
    for (const [system, file] of Object.entries(await described(place))) {
      const flags = ['--path', file, '--meta', 'none', '--output-path', join(folder, system)];
      const environment = { PATH: `${pythonScripts()}:${process.env.PATH}` };
      await python(['-m', 'openapi_python_client', 'generate', ...flags], { environment });
    }
    walked(await python([await besideIt(folder, 'openapi-python-client.py'), origin]));
  });

  toolTest(['github.com/oapi-codegen/oapi-codegen/v2'], 'oapi-codegen', async (place) => {
    const { folder, origin } = place;
    for (const name of ['go.mod', 'go.sum']) await copyFile(join(import.meta.dirname, 'go', name), join(folder, name));
    for (const [system, file] of Object.entries(await described(place))) {
      await mkdir(join(folder, system));
      const flags = ['-package', system, '-generate', 'types,client', '-o', join(folder, system, 'client.go')];
      await call(join(home('go'), 'oapi-codegen'), [...flags, file]);
    }
    await besideIt(folder, 'walk.go', 'main.go');
    walked(await call('go', ['run', '-mod=readonly', '.', origin], { cwd: folder }));
  });
});
