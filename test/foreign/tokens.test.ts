import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { root } from '../support/program.ts';
import { nodeFolder } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, type CallOptions, call, classpath, jdk, python } from './support/tools.ts';

/* What docs/clients.md shows about tokens, run as it is there. */

const page = await readFile(join(root, 'docs/clients.md'), 'utf8');

/** Saves the page's block of a language as a file in the folder of a test. */
async function block({ folder, origin }: Place, language: string, name: string): Promise<string> {
  const text = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1];
  assert.ok(text, `no block of ${language}`);
  const path = join(folder, name);
  await writeFile(path, text.replaceAll('http://localhost:8080', origin));
  return path;
}

/** A token is accepted, and one of another server is refused. */
async function verifies({ program, origin, t }: Place, run: (options: CallOptions) => Promise<Called>): Promise<void> {
  const { id, secret } = await program.client();
  // Its issuer is the address by which it was got.
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ client_id: id, client_secret: secret });
  const answer = await fetch(`${origin}/insurer/v1/auth/token`, { method: 'POST', headers, body });
  const token: string = JSON.parse(await answer.text()).access_token;
  const { stdout } = await run({ environment: { TOKEN: token } });
  assert.equal(stdout.trim(), id);
  const [header, payload, signature = ''] = token.split('.');
  const changed = [header, payload, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.');
  await assert.rejects(run({ environment: { TOKEN: changed } }), /ended with 1:/);
  t.diagnostic('a changed token was refused');
}

describe('Authentication: a service can verify a token by the published keys', () => {
  toolTest(['jose'], 'jose', async (place) => {
    await nodeFolder(place);
    const path = await block(place, 'js', 'validate.js');
    await verifies(place, (options) => call(process.execPath, [path], options));
  });

  toolTest(['PyJWT'], 'PyJWT', async (place) => {
    const path = await block(place, 'python', 'validate.py');
    await verifies(place, (options) => python([path], options));
  });

  toolTest(['spring-security-oauth2-jose'], 'Spring Security', async (place) => {
    const path = await block(place, 'java', 'Validate.java');
    const classes = await classpath(place.folder);
    await call(jdk('javac'), ['-proc:none', '-d', place.folder, '-cp', classes, path]);
    await verifies(place, (options) => call(jdk('java'), ['-cp', classes, 'Validate'], options));
  });
});
