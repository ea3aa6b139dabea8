import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { nodeFolder, ownTypesAlone, programPath, told, typescript } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, python } from './support/tools.ts';

/* Verifiers of others check badges by the did:key of who gives them, and call nobody. */

const forms = { jwt: 'application/vc+jwt', svg: 'image/svg+xml', png: 'image/png' };

/** Files with a badge of a new client, by their form. */
async function badges({ program, origin, folder }: Place): Promise<Record<keyof typeof forms, string>> {
  const { token } = await program.client();
  const files = { jwt: '', svg: '', png: '' };
  for (const [form, type] of Object.entries(forms)) {
    const headers = { Authorization: `Bearer ${token}`, Accept: type };
    const answer = await fetch(`${origin}/range/v1/me/badge`, { headers });
    assert.equal(answer.headers.get('content-type')?.split(';')[0], type);
    files[form as keyof typeof forms] = await saved(folder, `badge.${form}`, await answer.bytes());
  }
  return files;
}

async function saved(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** What others could make of a badge: one that says more, and one that says the same by a key of theirs. */
async function forgeries({ folder }: Place, badge: string): Promise<string[]> {
  const [head, body = '', signature] = badge.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const better = Buffer.from(JSON.stringify({ ...claims, name: 'Better' })).toString('base64url');
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const header = { alg: 'ES256', typ: 'JWT', jwk: await exportJWK(publicKey) };
  const byAnother = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  return [
    await saved(folder, 'better.jwt', `${head}.${better}.${signature}`),
    await saved(folder, 'by-another.jwt', byAnother),
  ];
}

/** The right ones are taken, the others are refused for their signature. */
async function checks(place: Place, taken: (keyof typeof forms)[], run: (files: string[]) => Promise<Called>) {
  const files = await badges(place);
  const forged = await forgeries(place, await readFile(files.jwt, 'utf8'));
  const outcomes = told(await run([...taken.map((form) => files[form]), ...forged])) as string[];
  assert.deepEqual(
    outcomes.slice(0, taken.length),
    taken.map(() => 'taken'),
  );
  assert.equal(outcomes.length, taken.length + forged.length);
  for (const outcome of outcomes.slice(taken.length)) assert.match(outcome, /^invalid.signature/i);
}

describe('Decisions, badge: verifiers of others take the right one, and refuse what was forged', () => {
  toolTest(['openbadgeslib'], 'openbadgeslib', (place) =>
    checks(place, ['jwt', 'svg', 'png'], (files) => python([programPath('badge.py'), ...files])),
  );

  toolTest(['did-jwt', 'did-resolver', 'key-did-resolver'], 'did-jwt', async (place) => {
    await nodeFolder(place);
    await checks(place, ['jwt'], (files) => typescript(place, 'badge.ts', files, ownTypesAlone));
  });
});
