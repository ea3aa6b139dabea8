import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { tellNetworks } from '../../src/process/network-news.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { openTls } from '../../src/tls/tls.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, startLPlate } from '../support/lplate.ts';
import { networksOf } from '../support/networks.ts';

const follows = { class: 'on', host: '0.0.0.0', webhookAllowFollows: true } as const;

forEachEngineInFull((engine) => {
  test('Decisions, a class: webhooks may call the networks that the machine is in at the time, unless WEBHOOK_ALLOW says which', async (t) => {
    const come = networksOf(t);
    come('10.11.12.13');
    const lplate = await startLPlate(t, engine, follows);
    const trainer = { token: lplate.secrets.trainerToken };
    const { token } = await lplate.client();
    const subscribe = (address: string) =>
      lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url: `http://${address}:9/` } });
    const addresses = async () => (await lplate.call('GET', '/range/v1/trainer/class', trainer)).json.addresses;
    equal((await subscribe('10.11.12.99')).status, 201);
    come('192.168.7.8', '172.20.0.1');
    equal((await subscribe('192.168.7.99')).status, 201);
    equal((await subscribe('172.20.0.99')).status, 201);
    deepEqual(problem(await subscribe('10.11.12.99')), [400, 'validation-error']);
    deepEqual(
      await addresses(),
      ['192.168.7.8', '172.20.0.1'].map((each) => `http://${each}:${lplate.config.port}`),
    );
    come();
    deepEqual([(await subscribe('192.168.7.99')).status, await addresses()], [400, []]);
    const own = { ...follows, webhookAllow: ['10.0.0.0/8'], webhookAllowFollows: false };
    const fixed = await startLPlate(t, engine, own);
    const other = await fixed.client();
    const call = { token: other.token, json: { url: 'http://10.11.12.99:9/' } };
    equal((await fixed.call('POST', '/claims/v1/subscriptions', call)).status, 201);
  });
});

test('Operations: the certificate has a new address of the machine within seconds, by the same authority', async (t) => {
  const come = networksOf(t);
  come('10.11.12.13');
  const dataDir = await mkdtemp(join(tmpdir(), 'l-plate-networks-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const lines: string[] = [];
  const config = { ...(readConfig(['--class', '--tls', 'self'], {}) as Config), dataDir };
  const tls = await openTls(config, pino({ base: null }, { write: (line) => void lines.push(line) }));
  ok(tls?.authority);
  t.after(() => tls.close());
  const { fingerprint, files } = tls.authority;
  const has = async (address: string) =>
    new X509Certificate(await readFile(files.certFile)).checkIP(address) !== undefined;
  // Its own timers let the program end.
  const held = setInterval(() => {}, 1000);
  t.after(() => clearInterval(held));
  const taken = new Promise((resolve) => tls.onChange(resolve));
  await tls.keepUp(Date.now());
  equal(await has('192.168.7.8'), false);
  come('192.168.7.8');
  await taken;
  ok(await has('192.168.7.8'));
  equal(tls.authority.fingerprint, fingerprint);
  ok(!lines.join('').includes('new class authority'));
});

test('Decisions, a class: the terminal tells that the networks have changed, once, and where learners go now', async (t) => {
  const come = networksOf(t);
  come('10.11.12.13');
  const printed: string[] = [];
  const config = readConfig(['--class'], {}) as Config;
  const timer = tellNetworks(config, (text) => void printed.push(text), 5);
  t.after(() => clearInterval(timer));
  await pause(30);
  deepEqual(printed, []);
  const told = async (line: RegExp) => {
    while (printed.length === 0) await pause(5);
    await pause(30);
    match(printed.splice(0).join('|'), line);
  };
  come('192.168.7.8', '172.20.0.1');
  await told(
    /^\nThe networks [^|]* Learners open http:\/\/192\.168\.7\.8:8080, or http:\/\/172\.20\.0\.1:8080 from now on\.\n\n$/,
  );
  come();
  await told(/^\nThis machine is in no network now: others can’t reach L-Plate\.\n\n$/);
});
