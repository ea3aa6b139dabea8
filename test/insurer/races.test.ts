import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administer, forEachEngine, onPostgres } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { type Answer, startLPlate, startWithClient, type TestClient } from '../support/lplate.ts';
import { type Program, type ProgramAnswer, startProgram } from '../support/program.ts';

const crowd = 64;

type Create = (client: TestClient, regNumber: string) => Promise<Answer | ProgramAnswer>;

/** How often each status was answered. */
function count(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Everybody wants the same vehicle at once; each spells it differently. */
async function wantOneVehicle(create: Create, clients: readonly TestClient[], letters: string): Promise<TestClient> {
  const spellings = [`${letters}-7731`, `${letters}7731`, `${letters.toLowerCase()}-77-31`, `-${letters}77-31-`];
  const answers = await Promise.all(
    clients.map((client, at) => create(client, spellings[at % spellings.length] as string)),
  );
  assert.deepEqual(count(answers), { 201: 1, 409: clients.length - 1 });
  for (const { status, json } of answers) {
    if (status === 409) assert.match(json.type, /\/duplicate-policy$/);
  }
  return clients[answers.findIndex(({ status }) => status === 201)] as TestClient;
}

function all<T>(many: number, make: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: many }, (_, at) => make(at)));
}

forEachEngine((engine) => {
  test('Endpoints, rule 1: of 64 clients that insure one vehicle at once, however they spell it, one succeeds', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients = await all(crowd, () => lplate.client());
    const create: Create = ({ token }, regNumber) => lplate.call('POST', '/policies', { token, json: { regNumber } });
    for (const letters of extent(['RA'], ['RA', 'RB', 'RC'])) {
      const winner = await wantOneVehicle(create, clients, letters);
      const lists = await Promise.all(clients.map(({ token }) => lplate.call('GET', '/policies', { token })));
      const owners = clients.filter((_, at) =>
        lists[at]?.json.items.some(({ regNumber }: { regNumber: string }) => regNumber.toUpperCase().includes(letters)),
      );
      assert.deepEqual(owners, [winner]);
    }
  });

  test('States: while a policy is cancelled and its vehicle insured anew at once, there is never more than one in force', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients = await all(9, () => lplate.client());
    const [owner, ...others] = clients as [TestClient, ...TestClient[]];
    const create: Create = ({ token }, regNumber) => lplate.call('POST', '/policies', { token, json: { regNumber } });
    for (let round = 0; round < extent(1, 8); round++) {
      const regNumber = `RD-${round}`;
      const { id } = (await create(owner, regNumber)).json;
      const cancel = () => lplate.call('POST', `/policies/${id}/cancel`, { token: owner.token });
      const rename = () => lplate.call('PUT', `/policies/${id}`, { token: owner.token, json: { holder: 'Ada' } });
      const [cancelled, again, renamed, ...created] = await Promise.all([
        cancel(),
        cancel(),
        rename(),
        ...others.map((client) => create(client, regNumber)),
      ] as const);
      assert.equal(cancelled.status, 200);
      assert.deepEqual(again.json, cancelled.json);
      assert.ok(renamed.status === 200 || renamed.status === 409);
      const policy = await lplate.call('GET', `/policies/${id}`, { token: owner.token });
      assert.deepEqual(policy.json, cancelled.json);
      const { 201: won = 0, 409: lost = 0 } = count(created);
      assert.ok(won <= 1, `${won} policies in force`);
      assert.equal(won + lost, others.length);
      // The vehicle is free when, and only when, nobody came after the cancellation.
      assert.equal((await create(owner, regNumber)).status, won === 0 ? 201 : 409);
    }
  });

  test('Endpoints, rule 3: 64 policies that one client creates at once have 64 places in its list', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const created = await all(crowd, (at) =>
      lplate.call('POST', '/policies', { token, json: { regNumber: `RE-${at}` } }),
    );
    assert.deepEqual(count(created), { 201: crowd });
    const listed: string[] = [];
    for (let page = 1; page <= 8; page++) {
      const { json } = await lplate.call('GET', `/policies?page=${page}&pageSize=8`, { token });
      assert.equal(json.items.length, 8, `page ${page} has a gap`);
      assert.deepEqual([json.totalItems, json.totalPages], [crowd, 8]);
      listed.push(...json.items.map(({ id }: { id: string }) => id));
    }
    assert.deepEqual(listed.sort(), created.map(({ json }) => json.id).sort());
  });
});

onPostgres((engine) => {
  const shared = { PUBLIC_URL: 'http://lplate.example' };
  const ask = (program: Program | undefined, { token }: TestClient, regNumber: string) =>
    (program as Program).call('POST', '/policies', { token, json: { regNumber } });

  test('Decisions, start-up: two processes that start at once on an empty database share its tables, presets and keys', async (t) => {
    const where = await engine.location();
    assert.ok('url' in where);
    const [one, other] = await Promise.all([
      startProgram(t, where, { environment: shared }),
      startProgram(t, where, { environment: shared }),
    ]);
    const token = await one.token('preset-fleet', one.secrets.fleetClientSecret);
    const { status, json } = await other.call('GET', '/policies?pageSize=500', { token });
    assert.equal(status, 200);
    assert.equal(json.totalItems, 75);
    assert.equal(json.items.length, 75);
    assert.equal(new Set(json.items.map(({ regNumber }: { regNumber: string }) => regNumber)).size, 75);
    const keys = await Promise.all(
      [one, other].map(async ({ url }) => (await fetch(`${url}/.well-known/jwks.json`)).json()),
    );
    assert.deepEqual(keys[0], keys[1]);
    const rows = await administer<{ keys: string; presets: string }>(
      'select (select count(*) from signing_keys) as keys, (select count(*) from clients where preset = 1) as presets',
      where.url,
    );
    assert.deepEqual({ ...rows[0] }, { keys: '2', presets: '2' });
  });

  test('Endpoints, rule 1: of 64 clients that insure one vehicle at once through two processes, one succeeds', async (t) => {
    const where = await engine.location();
    const programs = [
      await startProgram(t, where, { environment: shared }),
      await startProgram(t, where, { environment: shared }),
    ];
    const clients = await all(crowd, (at) => (programs[at % 2] as Program).client());
    const vehicles = extent(['RF'], ['RF', 'RG', 'RH']);
    for (const letters of vehicles) {
      // Half of the clients go through the process that did not create them.
      let calls = 0;
      await wantOneVehicle(
        (client, regNumber) => ask(programs[(calls++ >> 1) % 2], client, regNumber),
        clients,
        letters,
      );
    }
    const lists = await Promise.all(
      clients.map(({ token }, at) => (programs[at % 2] as Program).call('GET', '/policies', { token })),
    );
    assert.equal(
      lists.reduce((total, { json }) => total + json.totalItems, 0),
      vehicles.length,
    );
    for (const program of programs) assert.deepEqual(await program.stop(), { code: 0, signal: null });
  });
});
