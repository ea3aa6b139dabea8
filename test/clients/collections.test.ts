import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe } from 'node:test';
import { brunoCollection } from '../../console/model/bruno.ts';
import { postmanCollection } from '../../console/model/postman.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { home, node } from './support/tools.ts';

/*
 * The files that the console makes for Postman and Bruno, run from top to bottom by the programs of their makers. Nothing
 * is set in them but the key of signatures, which the console does not know.
 */

/** How many requests there are. */
const requests = 15;

async function inputs({ program, origin }: Place) {
  const { id: clientId, secret: clientSecret } = await program.client();
  return { origin, clientId, clientSecret };
}

interface BrunoItem {
  uid: string;
  type: string;
  readonly items?: BrunoItem[];
  readonly request?: Record<'headers' | 'params' | 'assertions', { uid: string }[]>;
}

/**
 * What Bruno does when it imports a file: it gives uids, checks the collection by its schema, and writes it as a folder.
 * The key of signatures is filled in as in its table of variables.
 */
async function importIntoBruno(text: string, hmacSecret: string, folder: string): Promise<void> {
  const load = createRequire(join(home('node'), 'package.json'));
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
      const { headers = [], params = [], assertions = [] } = item.request ?? {};
      for (const each of [...headers, ...params, ...assertions]) each.uid = uid();
      prepare(item.items ?? []);
    }
  };
  collection.uid = uid();
  prepare(collection.items);
  await collectionSchema.validate(collection);
  for (const variable of collection.root.request.vars.req)
    if (variable.name === 'hmac_secret') variable.value = hmacSecret;
  await mkdir(folder);
  await createCollectionFromBrunoObject(collection, folder, { format: 'bru' });
}

describe('Console, start: the files run from top to bottom, and that again', () => {
  toolTest(['newman'], 'Postman’s', async (place) => {
    const path = join(place.folder, 'postman.json');
    await writeFile(path, postmanCollection(await inputs(place)));
    const report = join(place.folder, 'report.json');
    const { hmacSecret } = place.program.secrets;
    for (const run of [1, 2]) {
      const { stdout } = await node('newman/bin/newman.js', [
        ...['run', path, '--color', 'off', '--env-var', `hmac_secret=${hmacSecret}`],
        ...['--reporters', 'cli,json', '--reporter-json-export', report],
      ]);
      const { stats, failures } = JSON.parse(await readFile(report, 'utf8')).run;
      assert.deepEqual([stats.assertions.total, failures], [requests, []], `run ${run}\n${stdout}`);
    }
    // Without the key it is said what is missing.
    const { stderr, stdout } = await node('newman/bin/newman.js', [
      ...['run', path, '--color', 'off', '--folder', '5 Signed check', '--suppress-exit-code'],
    ]);
    assert.match(stdout + stderr, /Fill in the variable hmac_secret first/);
  });

  toolTest(['@usebruno/cli'], 'Bruno’s', async (place) => {
    const folder = join(place.folder, 'bruno');
    await importIntoBruno(brunoCollection(await inputs(place)), place.program.secrets.hmacSecret, folder);
    const report = join(place.folder, 'report.json');
    for (const run of [1, 2]) {
      const args = ['run', '-r', '--reporter-json', report];
      const { stdout } = await node('@usebruno/cli/bin/bru.js', args, { cwd: folder });
      const [{ summary }] = JSON.parse(await readFile(report, 'utf8'));
      const { totalRequests, passedRequests, totalAssertions, passedAssertions } = summary;
      const counts = [totalRequests, passedRequests, totalAssertions, passedAssertions];
      assert.deepEqual(counts, [requests, requests, requests, requests], `run ${run}\n${stdout}`);
    }
  });
});
