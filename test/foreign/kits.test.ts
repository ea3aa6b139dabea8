import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from 'node:test';
import { unzipSync } from 'fflate';
import { told } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { call, home, node, pins } from './support/tools.ts';

/*
 * The kits as they are served on a fresh start, run from top to bottom by the programs of their makers. Nothing is set but
 * the key of signatures, which no kit has. Each is run twice, as by two learners who have the same file.
 */

/** How many requests there are, and how many without the one that needs the key and those of people. */
const requests = 40;
const unsigned = 27;

interface BrunoItem {
  uid: string;
  type: string;
  readonly name: string;
  readonly items?: BrunoItem[];
  readonly request?: Record<'headers' | 'params' | 'assertions', { uid: string }[]> & {
    readonly body: { readonly formUrlEncoded?: { uid: string }[] };
    readonly auth: { readonly oauth2?: Record<string, unknown> };
  };
}

const load = createRequire(join(home('node'), 'package.json'));

/** How a collection for Bruno has a person signed in by the tool itself. */
function signInOf(items: readonly BrunoItem[]): Record<string, unknown> | undefined {
  const requests = items.flatMap(({ items = [] }) => items);
  const { additionalParameters, ...signIn } =
    requests.find(({ name }) => name === 'The same, signed in by this tool')?.request?.auth.oauth2 ?? {};
  return signIn;
}

/** Unpacks a kit into the folder of a test, and returns where it is. */
async function unpacked({ folder, origin }: Place, name: string): Promise<string> {
  const answer = await fetch(`${origin}/kits/${name}.zip`);
  for (const [path, bytes] of Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer())))) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  return join(folder, name);
}

/** What Bruno does when it imports a file: it gives uids, checks the collection by its schema, and writes it as a folder. */
async function importIntoBruno(text: string, folder: string): Promise<void> {
  const { collectionSchema } = load('@usebruno/schema');
  const { createCollectionFromBrunoObject } = load('@usebruno/cli/src/utils/collection');
  const collection = JSON.parse(text);
  let last = 0;
  const uid = () => {
    last += 1;
    return String(last).padStart(21, 'u');
  };
  const prepare = (items: BrunoItem[]) => {
    for (const item of items) {
      item.uid = uid();
      if (item.type === 'http') item.type = 'http-request';
      const { headers = [], params = [], assertions = [], body } = item.request ?? {};
      for (const each of [...headers, ...params, ...assertions, ...(body?.formUrlEncoded ?? [])]) each.uid = uid();
      prepare(item.items ?? []);
    }
  };
  collection.uid = uid();
  prepare(collection.items);
  for (const { variables } of collection.environments) for (const variable of variables) variable.uid = uid();
  await collectionSchema.validate(collection);
  await mkdir(folder);
  await createCollectionFromBrunoObject(collection, folder, { format: 'bru' });
}

/** Runs the collection of a folder: all requests but the one at which a person signs in, and two assertions of each at least. */
async function runBruno(folder: string, hmacSecret: string): Promise<void> {
  const report = join(folder, '../report.json');
  for (const run of [1, 2]) {
    const args = ['run', '-r', '--env', 'L-Plate', '--env-var', `hmac_secret=${hmacSecret}`, '--reporter-json', report];
    const { stdout } = await node('@usebruno/cli/bin/bru.js', args, { cwd: folder });
    const [{ summary }] = JSON.parse(await readFile(report, 'utf8'));
    const { totalRequests, passedRequests, skippedRequests, totalAssertions, passedAssertions } = summary;
    const done = [totalRequests, passedRequests, skippedRequests];
    assert.deepEqual(done, [requests, requests - 1, 1], `run ${run}\n${stdout}`);
    assert.ok(totalAssertions >= 2 * requests && totalAssertions === passedAssertions, stdout);
    assert.deepEqual([summary.totalTests, summary.passedTests], [3, 3], stdout);
  }
}

describe('Kits: from top to bottom, and that again, each answer is the one that the file expects', () => {
  toolTest(['newman'], 'Postman’s', async (place) => {
    const { hmacSecret } = place.program.secrets;
    const path = await place.document('/kits/l-plate.postman_collection.json', 'postman.json');
    const environment = await place.document('/kits/l-plate.postman_environment.json', 'environment.json');
    const report = join(place.folder, 'report.json');
    for (const more of [[], ['--environment', environment]]) {
      const { stdout } = await node('newman/bin/newman.js', [
        ...['run', path, '--color', 'off', '--env-var', `hmac_secret=${hmacSecret}`, ...more],
        ...['--reporters', 'cli,json', '--reporter-json-export', report],
      ]);
      const { stats, failures } = JSON.parse(await readFile(report, 'utf8')).run;
      assert.deepEqual([stats.requests.total, failures], [requests, []], stdout);
      assert.ok(stats.assertions.total >= 2 * requests, stdout);
    }
    // Without the key it is said what is missing.
    const { stderr, stdout } = await node('newman/bin/newman.js', [
      ...['run', path, '--color', 'off', '--folder', '5 Signed check', '--suppress-exit-code'],
    ]);
    assert.match(stdout + stderr, /Fill in the variable hmac_secret first/);
  });

  toolTest(['newman'], 'Postman’s for own credentials, once they are filled in', async (place) => {
    const { id, secret } = await place.program.client();
    const path = await place.document('/kits/own/l-plate.postman_collection.json', 'postman.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll('YOUR_CLIENT_ID', id).replaceAll('YOUR_CLIENT_SECRET', secret));
    const variable = `hmac_secret=${place.program.secrets.hmacSecret}`;
    for (const _ of [1, 2]) await node('newman/bin/newman.js', ['run', path, '--env-var', variable]);
  });

  toolTest(['@usebruno/cli'], 'Bruno’s folder', async (place) => {
    const folder = await unpacked(place, 'l-plate-bruno');
    await runBruno(folder, place.program.secrets.hmacSecret);
    // Whom the tool signs in is asked in a browser: here its settings are read.
    const text = await readFile(join(folder, '7 People/The same, signed in by this tool.bru'), 'utf8');
    const signIn = load('@usebruno/lang').bruToJsonV2(text).auth.oauth2;
    const path = await place.document('/kits/l-plate.bruno.json', 'bruno.json');
    assert.deepEqual({ ...signIn, ...signInOf(JSON.parse(await readFile(path, 'utf8')).items) }, signIn);
  });

  toolTest(['@usebruno/cli'], 'Postman’s has the same sign-in as Bruno’s, as Bruno imports it', async (place) => {
    const read = async (file: string) => {
      const path = await place.document(`/kits/${file}`, file);
      return JSON.parse(await readFile(path, 'utf8'));
    };
    const { postmanToBruno } = load('@usebruno/converters');
    const { collection } = await postmanToBruno(await read('l-plate.postman_collection.json'));
    const imported = signInOf(collection.items);
    const { credentialsId, refreshTokenUrl, autoFetchToken, autoRefreshToken, ...own } =
      signInOf((await read('l-plate.bruno.json')).items) ?? {};
    assert.deepEqual({ ...imported, ...own }, imported);
  });

  toolTest(['@usebruno/cli'], 'Bruno’s file', async (place) => {
    const path = await place.document('/kits/l-plate.bruno.json', 'bruno.json');
    await importIntoBruno(await readFile(path, 'utf8'), join(place.folder, 'bruno'));
    await runBruno(join(place.folder, 'bruno'), place.program.secrets.hmacSecret);
  });

  toolTest(['httpyac'], 'IntelliJ’s', async (place) => {
    const path = await place.document('/kits/l-plate.http', 'l-plate.http');
    for (const run of [1, 2]) {
      const { stdout } = await node('httpyac/bin/httpyac.js', ['send', path, '--all', '--json', '--output', 'none'], {
        // It reads only what is below the folder where it runs.
        cwd: place.folder,
      });
      const { summary } = JSON.parse(stdout);
      const { totalRequests, successRequests, totalTests, successTests } = summary;
      assert.deepEqual([totalRequests, successRequests], [unsigned, unsigned], `run ${run}\n${stdout}`);
      assert.ok(totalTests >= 2 * unsigned && totalTests === successTests, stdout);
    }
  });

  toolTest(['hurl'], 'Hurl’s', async (place) => {
    const path = await place.document('/kits/l-plate.hurl', 'l-plate.hurl');
    for (const run of [1, 2]) {
      const { stderr } = await call(join(home('rust'), 'bin/hurl'), ['--test', '--color', path]);
      assert.ok(stderr.includes(`${unsigned} request(s)`), `run ${run}\n${stderr}`);
    }
  });

  toolTest(
    ['openapi-typescript', 'openapi-fetch', 'typescript'],
    'the one for TypeScript, under strict',
    async (place) => {
      const folder = await unpacked(place, 'l-plate-typescript');
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const packages = { ...manifest.dependencies, ...manifest.devDependencies };
      for (const name of ['openapi-typescript', 'openapi-fetch', 'typescript'])
        assert.equal(packages[name], pins.get(name)?.version, name);
      const npm = (args: readonly string[], environment = {}) => call('npm', args, { cwd: folder, environment });
      const types = ['claims.ts', 'insurer.ts', 'vehicle-registry.ts'];
      const written = async () => (await readdir(folder)).filter((name) => types.includes(name)).sort();
      const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
      await npm([...install, '--ignore-scripts']);
      assert.deepEqual(await written(), []);
      await npm(['run', 'types']);
      assert.deepEqual(await written(), types);
      for (const name of types) await rm(join(folder, name));
      await npm([...install, '--ignore-scripts=false']);
      assert.deepEqual(await written(), types);
      const { hmacSecret } = place.program.secrets;
      for (const environment of [{}, { HMAC_SECRET: hmacSecret }]) {
        const walked = told(await npm(['start'], environment));
        assert.match((walked as { policy: string }).policy, /^pol-/);
      }
    },
  );
});
