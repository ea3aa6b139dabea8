import { equal, match } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

/** A badge that says the same, by a key of somebody else. */
async function copied(badge: string): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { x = '', y = '' } = await exportJWK(publicKey);
  const claims = JSON.parse(Buffer.from(badge.split('.')[1] as string, 'base64url').toString());
  const header = { alg: 'ES256', typ: 'JWT', jwk: { kty: 'EC', crv: 'P-256', x, y } };
  return new SignJWT({
    ...claims,
    issuer: { ...claims.issuer, id: 'https://school.example/' },
    iss: 'https://school.example/',
  })
    .setProtectedHeader(header)
    .sign(privateKey);
}

onSqlite((engine) => {
  let lplate: LPlate;
  let client: TestClient;
  before(async () => {
    lplate = await startLPlate(engine);
    client = await lplate.client();
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  describe('Console, badge', () => {
    test('Console, badge: a learner downloads it with the certificate, and anybody checks the picture', async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'l-plate-badge-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/certificate' });
      const link = page.getByRole('link', { name: 'Add it to your profile at LinkedIn' });
      const fields = new URL((await link.getAttribute('href')) ?? '').searchParams;
      equal(fields.get('certId'), client.id);
      const files: string[] = [];
      for (const form of ['SVG', 'PNG', 'text']) {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: `Download it as ${form}` }).click(),
        ]);
        files.push(join(folder, file.suggestedFilename()));
        await file.saveAs(files.at(-1) as string);
      }
      const other = await visit(t, lplate.url, { path: '/verify' });
      for (const file of files) {
        await other.page.getByLabel('The picture or the file').setInputFiles(file);
        await other.page.getByText('Valid.', { exact: true }).waitFor();
        await other.page.getByText(/Solved \d+ of \d+ lessons/).waitFor();
        await other.page.getByLabel('Or its text').fill('');
        await other.page.getByText('Valid.', { exact: true }).waitFor({ state: 'detached' });
      }
    });

    test('Console, badge: what is wrong with one is named, and with a pinned key only that is taken', async (t) => {
      const { text: badge } = await lplate.call('GET', '/range/v1/me/badge', { token: client.token });
      const { page } = await visit(t, lplate.url, { path: '/verify' });
      const result = page.getByRole('status').filter({ hasText: /valid/i });
      const check = async (text: string) => {
        await page.getByLabel('Or its text').fill('');
        await result.waitFor({ state: 'detached' });
        await page.getByLabel('Or its text').fill(text);
        await result.waitFor();
        return result.innerText();
      };
      const [head, body, signature] = badge.split('.') as [string, string, string];
      const altered = Buffer.from(
        Buffer.from(body, 'base64url')
          .toString()
          .replace(/Solved \d+/, 'Solved 99'),
      );
      match(await check(`${head}.${altered.toString('base64url')}.${signature}`), /Not valid\. The signature is wrong/);
      match(await check('a certificate'), /Not valid\. This is no badge/);
      const byAnother = await copied(badge);
      match(await check(byAnother), /^Valid\./, 'without a pin any key is one');
      match(await check(badge), /^Valid\./);
      await page.getByRole('button', { name: 'Pin this key' }).click();
      match(await check(byAnother), /Not valid\. It was signed by another key than the pinned one/);
      match(await check(badge), /^Valid\./);
      await page.reload();
      match(await check(byAnother), /another key/, 'the browser keeps it');
      await page.getByRole('button', { name: 'Remove the pin' }).click();
      match(await check(byAnother), /^Valid\./);
    });
  });
});
