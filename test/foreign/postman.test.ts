import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { openapi, type Place, toolTest } from './support/tool-test.ts';
import { node } from './support/tools.ts';

/*
 * The collections that Postman makes when it imports a description, run from top to bottom with the examples that are in
 * them. A user sets what only they can know: credentials, ids, and the key of signatures.
 */

interface Item {
  readonly name: string;
  readonly item?: Item[];
  readonly request?: {
    auth?: unknown;
    readonly body?: { raw?: string };
    header?: { readonly key: string }[];
    readonly url: { readonly variable?: Variable[]; readonly query?: Variable[] };
  };
}

interface Variable {
  readonly key: string;
  value: string;
}

/** What is learnt from answers: the first id of each kind. */
const learn = `
pm.test(pm.info.requestName, () => pm.expect(pm.response.code, pm.response.text()).to.be.below(400));
const learnt = pm.response.text().startsWith('{') ? pm.response.json() : {};
if (learnt.client_secret) pm.globals.set('client_id', learnt.client_id), pm.globals.set('client_secret', learnt.client_secret);
if (learnt.access_token) pm.globals.set('token', learnt.access_token);
const kinds = { imp: 'importId', era: 'erasureId', stm: 'statementId' };
if (learnt.id) pm.globals.set(kinds[learnt.id.slice(0, 3)] ?? 'policyId', learnt.id);
if (learnt.claimId) pm.globals.set('claimId', learnt.claimId);
`;

const sign = `
if (pm.request.url.getPath().includes('/signed/'))
  pm.variables.set('apiKey', CryptoJS.HmacSHA256(pm.request.body.raw, pm.globals.get('hmacSecret')).toString());
`;

function* requests(items: readonly Item[]): Generator<NonNullable<Item['request']>> {
  for (const { item = [], request } of items) {
    if (request) yield request;
    yield* requests(item);
  }
}

/** Converts a description and sets in it what a user would. */
async function collection(place: Place, system: keyof typeof openapi): Promise<string> {
  const description = await place.document(openapi[system], `${system}.yaml`);
  const path = join(place.folder, `${system}.json`);
  const options = 'parametersResolution=Example,folderStrategy=Tags';
  await node('openapi-to-postmanv2/bin/openapi2postmanv2.js', ['-s', description, '-o', path, '-O', options]);
  const made = JSON.parse(await readFile(path, 'utf8')) as { item: Item[]; event?: unknown };
  for (const request of requests(made.item)) {
    const { auth, body, url } = request;
    // Newman doesn't get tokens by itself.
    if (/oauth2|bearer/.test(JSON.stringify(auth ?? ''))) {
      request.auth = { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] };
    }
    // It fills in a word for the tags and keys that only the caller knows.
    request.header =
      request.header?.filter(({ key }) => !/^(?:If-Match|If-None-Match|If-Range|Range|Idempotency-Key)$/.test(key)) ??
      [];
    if (body?.raw) body.raw = body.raw.replaceAll(/"(client_id|client_secret)": ".*?"/g, '"$1": "{{$1}}"');
    if (body?.raw) body.raw = body.raw.replaceAll(/"policyNumber": ".*?"/g, '"policyNumber": "{{policyId}}"');
    for (const variable of [...(url.variable ?? []), ...(url.query ?? [])]) {
      if (variable.key === 'policyId' || variable.key === 'policyNumber') variable.value = '{{policyId}}';
      if (/^(?:claim|import|erasure|statement)Id$/.test(variable.key)) variable.value = `{{${variable.key}}}`;
    }
  }
  made.event = [
    { listen: 'prerequest', script: { exec: sign.split('\n') } },
    { listen: 'test', script: { exec: learn.split('\n') } },
  ];
  await writeFile(path, JSON.stringify(made));
  return path;
}

/** Runs a collection, or only some of its folders: every request of it succeeds. */
async function run(path: string, globals: Record<string, string>, folders: readonly string[] = []): Promise<void> {
  const { item } = JSON.parse(await readFile(path, 'utf8')) as { item: Item[] };
  const chosen = folders.length > 0 ? item.filter(({ name }) => folders.includes(name)) : item;
  const report = `${path}.report`;
  const { stdout } = await node('newman/bin/newman.js', [
    ...['run', path, '--color', 'off', '--reporters', 'cli,json', '--reporter-json-export', report],
    // A statement is made in the background.
    ...['--delay-request', '100'],
    ...folders.flatMap((folder) => ['--folder', folder]),
    ...Object.entries(globals).flatMap(([name, value]) => ['--global-var', `${name}=${value}`]),
  ]);
  const { stats } = JSON.parse(await readFile(report, 'utf8')).run;
  assert.deepEqual([stats.assertions.total, stats.assertions.failed], [[...requests(chosen)].length, 0], stdout);
}

describe('Descriptions: a collection that is converted from them runs from top to bottom', () => {
  toolTest(['openapi-to-postmanv2', 'newman'], 'Postman’s converter and Newman', async (place) => {
    const { program } = place;
    const { token } = await program.client();
    const { json: policy } = await program.call('POST', '/policies', { token, json: { regNumber: 'WK-1234' } });
    const known = { token, policyId: policy.id, hmacSecret: program.secrets.hmacSecret };
    await run(await collection(place, 'insurer'), known);
    await run(await collection(place, 'vehicle-registry'), known);
    // The others begin with something that must have happened: an event, or a receiver of one's own.
    await run(await collection(place, 'claims'), known, ['Claims', 'Descriptions']);
  });
});
