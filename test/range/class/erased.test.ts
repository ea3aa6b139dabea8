import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hour } from '../../../src/time/units.ts';
import { exampleReceiver } from '../../../src/webhooks/index.ts';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { logOf, trainerToken } from '../range.ts';

/** All that is in the files of the database, its log too. */
async function onDisk({ config }: LPlate): Promise<string> {
  const names = (await readdir(config.dataDir)).filter((name) => name.startsWith('l-plate.db'));
  ok(names.includes('l-plate.db') && names.includes('l-plate.db-wal'), names.join());
  const files = await Promise.all(names.map((name) => readFile(join(config.dataDir, name), 'latin1')));
  return files.join('\n');
}

/** Has a client do something of everything that is kept. Returns the texts that it left. */
async function work(lplate: LPlate, client: TestClient, name: string): Promise<string[]> {
  const { token, id } = client;
  const nickname = `${name}-nickname`;
  const holders = Array.from({ length: 30 }, (_, at) => `${name}-holder-${at}`);
  await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname } });
  for (const [at, holder] of holders.entries()) {
    const headers = { 'Idempotency-Key': `${name}-key-${at}` };
    // Long enough for pages of their own.
    const json = {
      regNumber: `${name.slice(0, 2).toUpperCase()}-${1000 + at}`,
      holder,
      note: `${name}-note-`.repeat(900),
    };
    const made = await lplate.call('POST', '/policies', { token, json, headers });
    equal(made.status, 201, made.text);
    await lplate.call('PUT', `/policies/${made.json.id}`, { token, json: { holder: `${holder}-later` } });
    await lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber: made.json.policyNumber } });
  }
  const json = { url: `${exampleReceiver}/${name}-hooks` };
  await lplate.call('POST', '/claims/v1/subscriptions', { token, json });
  await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
  await lplate.call('PATCH', `/range/v1/trainer/learners/${id}`, {
    token: trainerToken,
    json: { nickname: `${nickname}-2` },
  });
  await lplate.call('GET', `/policies?q=${id}-as-nobody`);
  await logOf(lplate, client);
  return [`${name}-`, id];
}

onSqlite((engine) => {
  test('Decisions, classes: after the end of a class nothing of a client is in the files but published events', async (t) => {
    const lplate = await startLPlate(t, engine);
    const left: string[] = [];
    for (const name of ['aardvark', 'buffalo', 'cormorant'])
      left.push(...(await work(lplate, await lplate.client(), name)));
    const before = await onDisk(lplate);
    for (const text of left) ok(before.includes(text), `${text} was there`);
    equal((await lplate.call('DELETE', '/range/v1/trainer/learners', { token: trainerToken })).status, 200);
    const after = await onDisk(lplate);
    deepEqual(
      left.filter((text) => !text.startsWith('demo-') && after.includes(text)),
      [],
    );
  });

  test('Decisions, classes: of a client that was idle nothing is left, and the others keep what is theirs', async (t) => {
    const { lplate, client: idle } = await startWithClient(t, engine);
    const left = await work(lplate, idle, 'aardvark');
    lplate.clock.advance(23 * hour);
    const other = await lplate.client();
    const kept = await work(lplate, other, 'buffalo');
    lplate.clock.advance(2 * hour);
    await lplate.housekeeping();
    const after = await onDisk(lplate);
    deepEqual(
      [left.slice(0, 1), kept].map((texts) => texts.filter((text) => after.includes(text))),
      [[], kept],
    );
  });

  test('Decisions, classes: who is renamed keeps no old name, in the log of the trainer either', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const path = `/range/v1/trainer/learners/${client.id}`;
    for (const nickname of ['first-name', 'second-name', 'third-name']) {
      equal((await lplate.call('PATCH', path, { token: trainerToken, json: { nickname } })).status, 200);
      await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
    }
    await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname: 'fourth-name' } });
    const calls = (await lplate.call('GET', '/range/v1/trainer/calls?pageSize=500', { token: trainerToken })).json
      .items;
    const kept = await Promise.all(
      calls.map(({ id }: { id: string }) =>
        lplate.call('GET', `/range/v1/trainer/exchanges/${id}`, { token: trainerToken }),
      ),
    );
    for (const { text } of kept) ok(!/(?:first|second|third)-name/.test(text), text);
  });
});
