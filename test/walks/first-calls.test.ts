import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { firstCalls, plateOfTool, type ToolId, tools } from '../../console/pages/start/first-calls.ts';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';

/** What would end a text, or mean something, in one of the languages. */
const hostileSecret = String.raw`it's "x" $HOME \n %PATH% {{y}} ‘z’ ${'`id`'} é`;
const clientId = 'preset-fleet';

interface Runner {
  readonly file: string;
  /** The program, which must be there, and its arguments before the file. */
  readonly command: readonly [string, ...string[]];
}

const runners: Record<ToolId, Runner> = {
  curl: { file: 'first.sh', command: ['bash'] },
  powershell: { file: 'first.ps1', command: ['pwsh', '-NoProfile', '-File'] },
  httpie: { file: 'first.sh', command: ['bash'] },
  javascript: { file: 'first.mjs', command: [process.execPath] },
  python: { file: 'first.py', command: ['python3'] },
  java: { file: 'First.java', command: ['java'] },
};

/** The program that a machine may lack. */
const needed: Record<ToolId, string> = {
  curl: 'curl',
  powershell: 'pwsh',
  httpie: 'http',
  javascript: process.execPath,
  python: 'python3',
  java: 'java',
};

const isThere = (id: ToolId) => spawnSync(needed[id], ['--version']).status === 0;
const lacking = tools.filter(({ id }) => !isThere(id)).map(({ name }) => name);
if (lacking.length > 0)
  console.error(`*** NOT RUN, since this machine lacks them: the first calls with ${lacking.join(', ')} ***`);

onSqlite((engine) => {
  const lplate = sharedLPlate(engine, { fleetClientSecret: hostileSecret });
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'l-plate-first-calls-'));
    // Without a terminal HTTPie would read a body from its input.
    await writeFile(join(folder, 'config.json'), '{"default_options":["--ignore-stdin"]}');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  describe('Console, start: the first calls run as they stand', () => {
    for (const { id, name } of tools) {
      test(`${name} gets a token, creates a policy and lists it, whatever is in the secret`, {
        skip: !isThere(id),
      }, async () => {
        const { file, command } = runners[id];
        const path = join(folder, file);
        await writeFile(path, firstCalls(id, { origin: lplate.url, clientId, clientSecret: hostileSecret }));
        const [program, ...args] = command;
        const { stdout } = await promisify(execFile)(program, [...args, path], {
          env: { ...process.env, NODE_OPTIONS: '', HTTPIE_CONFIG_DIR: folder, PYTHONUTF8: '1' },
          timeout: 60_000,
        });
        const [created = '', listed = ''] = stdout.split(/(?=\{\s*['"]?items)/);
        assert.ok(created.includes(plateOfTool(id, clientId)), created);
        const { json } = await lplate.call('GET', '/policies', { token: await lplate.token(clientId, hostileSecret) });
        assert.equal(Number(/totalItems\W+(\d+)/.exec(listed)?.[1]), json.totalItems);
      });
    }
  });
});
