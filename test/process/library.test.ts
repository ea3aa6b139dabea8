import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type LPlate, start } from '../../src/library.ts';
import { launch, root } from '../support/program.ts';

/* What tests of other projects start: `import { start } from 'l-plate'`, here from its source. */

/** A directory for temporary files that nothing else uses, and that the services of a test take. */
async function temporary(t: TestContext): Promise<string> {
  const before = process.env.TMPDIR;
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-library-'));
  process.env.TMPDIR = directory;
  t.after(async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

interface Client {
  readonly id: string;
  readonly token: string;
}

async function clientOf({ url }: LPlate): Promise<Client> {
  const post = (path: string, body?: string) => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(`${url}/insurer/v1${path}`, { method: 'POST', ...(body && { headers, body }) });
  };
  const credentials = await (await post('/demo-clients')).text();
  const { access_token: token } = (await (await post('/auth/token', credentials)).json()) as { access_token: string };
  return { id: JSON.parse(credentials).client_id, token };
}

async function policies({ url }: LPlate, { token }: Client, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  return fetch(`${url}/insurer/v1/policies`, { headers, ...post });
}

test('Library: two in one process have a port, secrets and data each, and leave nothing behind', async (t) => {
  const directory = await temporary(t);
  const [first, second] = await Promise.all([start(), start()]);
  t.after(() => Promise.all([first.close(), second.close()]));
  assert.notEqual(first.url, second.url);
  assert.notEqual(first.secrets.hmacSecret, second.secrets.hmacSecret);
  assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(first.publicUrl, first.url.replace('127.0.0.1', 'localhost'));
  const body = { regNumber: 'AB-1234' };
  assert.equal((await policies(first, await clientOf(first), body)).status, 201);
  assert.equal((await policies(second, await clientOf(second), body)).status, 201);
  await Promise.all([first.close(), second.close()]);
  for (const { url } of [first, second]) await assert.rejects(fetch(url));
  assert.deepEqual(await readdir(directory), []);
});

test('Library: settings are an object, and the variables of the environment count for nothing', async (t) => {
  const dataDir = join(await temporary(t), 'data');
  process.env.TRAINER_TOKEN = 'from-the-environment';
  t.after(() => delete process.env.TRAINER_TOKEN);
  const lplate = await start({
    dataDir,
    rateLimitPerMinute: 1,
    webhookAllow: ['127.0.0.1/32', '::1/128'],
    hmacSecret: 'given',
  });
  t.after(() => lplate.close());
  assert.equal(lplate.secrets.hmacSecret, 'given');
  assert.notEqual(lplate.secrets.trainerToken, 'from-the-environment');
  const call = async () => (await fetch(`${lplate.url}/insurer/v1/coverage-options`)).status;
  assert.deepEqual([await call(), await call()], [200, 429]);
  await lplate.close();
  const kept = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  assert.equal(kept.trainerToken, lplate.secrets.trainerToken, 'a directory that was given stays');
});

test('Library: a setting that can’t be used is refused with its name, and nothing is left behind', async (t) => {
  const directory = await temporary(t);
  const refused = (settings: object, message: RegExp) => assert.rejects(start(settings), { message });
  await Promise.all([
    refused({ prot: 1 }, /^L-Plate can't start\. There is no setting "prot"\. Did you mean port\?$/),
    refused({ rateLimitPerMinute: 0 }, /^L-Plate can't start\. rateLimitPerMinute: "0" is not valid; use .*$/),
    refused({ lessons: {} }, /^L-Plate can't start\. lessons: use a text, a number or a list of texts$/),
  ]);
  assert.deepEqual(await readdir(directory), []);
});

test('Library: the clock moves the time of one client, or of all, and says why it can’t', async (t) => {
  const lplate = await start();
  t.after(() => lplate.close());
  const [ada, grace] = [await clientOf(lplate), await clientOf(lplate)];
  const day = 24 * 60 * 60 * 1000;
  const ahead = async ({ id }: Client) => {
    const [now, own] = [await lplate.clock.now(), await lplate.clock.now(id)];
    return Math.round((own.getTime() - now.getTime()) / day);
  };
  await lplate.clock.advance('P40D', ada.id);
  assert.deepEqual([await ahead(ada), await ahead(grace)], [40, 0]);
  await lplate.clock.advance('P1D');
  assert.deepEqual([await ahead(ada), await ahead(grace)], [41, 1]);
  assert.equal((await policies(lplate, ada)).status, 401, 'the token has expired');
  await assert.rejects(
    lplate.clock.advance('1 day'),
    /^Error: duration: is not a duration\. Send an ISO 8601 duration/,
  );
  await assert.rejects(lplate.clock.now('demo-nobody'), /^Error: There is no client with this id/);
});

test('Library: the service ends with the process that started it, which need not close it', async (t) => {
  const library = pathToFileURL(join(root, 'src/library.ts')).href;
  const tells = `import { start } from '${library}'; console.log((await start()).url);`;
  const forgetful = launch(t, { command: [process.execPath, '--input-type=module', '--eval', tells] });
  assert.deepEqual(await forgetful.exit, { code: 0, signal: null });
  // Its standard error was the service's too: that is closed, so the service has ended.
  await assert.rejects(fetch(forgetful.stdout().trim()));

  const waits = launch(t, {
    command: [process.execPath, '--input-type=module', '--eval', `${tells} setInterval(() => {}, 1000);`],
  });
  await once(waits.child.stdout as NodeJS.ReadableStream, 'data');
  waits.child.kill('SIGKILL');
  await waits.exit;
  await assert.rejects(fetch(waits.stdout().trim()));
});
