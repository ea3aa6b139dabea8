import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onSqlite } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import type { TestClient } from '../support/lplate.ts';
import type { ModelPolicy } from '../support/policy-model.ts';
import { launch, type Program, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

const rounds = extent(1, 10);

/** Writes that are acknowledged before each kill at the least: few rounds must not all come too early. */
const least = extent(2, 0);
const clients = 4;
const writersPerClient = 2;

/** What one client must find: by policy id what was acknowledged last, and what no answer came to. */
interface Expected {
  readonly client: TestClient;
  readonly policies: Map<string, ModelPolicy>;
  /** Registration numbers of creates without an answer. */
  readonly maybeCreated: Set<string>;
  /** What a policy would be if a change without an answer took place. */
  readonly maybeChanged: Map<string, Partial<ModelPolicy>>;
}

let plates = 0;
let acknowledged = 0;

/** Writes one after the other until the program is gone. */
async function write(program: Program, expected: Expected): Promise<void> {
  const own: ModelPolicy[] = [];
  for (;;) {
    const kind = Math.random();
    const policy = own[Math.floor(Math.random() * own.length)];
    if (policy && kind < 0.6) {
      const cancel = kind < 0.2;
      const holder = cancel ? undefined : `Holder ${Math.random()}`;
      const change = holder === undefined ? { status: 'cancelled' } : { status: 'updated', holder };
      const path = `/policies/${policy.id}${cancel ? '/cancel' : ''}`;
      expected.maybeChanged.set(policy.id, change);
      const answer = await send(program, cancel ? 'POST' : 'PUT', path, expected, holder && { holder });
      if (!answer) return;
      assert.equal(answer.status, 200, JSON.stringify(answer.json));
      expected.policies.set(policy.id, answer.json);
      expected.maybeChanged.delete(policy.id);
      if (cancel) own.splice(own.indexOf(policy), 1);
    } else {
      const regNumber = `DU-${++plates}`;
      expected.maybeCreated.add(regNumber);
      const answer = await send(program, 'POST', '/policies', expected, { regNumber, holder: `First ${plates}` });
      if (!answer) return;
      assert.equal(answer.status, 201, JSON.stringify(answer.json));
      expected.policies.set(answer.json.id, answer.json);
      expected.maybeCreated.delete(regNumber);
      own.push(answer.json);
    }
    acknowledged++;
  }
}

/** The answer, or undefined when the program died before it came whole. */
async function send(program: Program, method: string, path: string, { client }: Expected, json?: unknown) {
  try {
    return await program.call(method, path, { token: client.token, ...(json !== undefined && { json }) });
  } catch {
    return undefined;
  }
}

async function everyPolicy(program: Program, token: string): Promise<ModelPolicy[]> {
  const found: ModelPolicy[] = [];
  for (let page = 1; ; page++) {
    const { status, json } = await program.call('GET', `/policies?page=${page}&pageSize=500`, { token });
    assert.equal(status, 200);
    found.push(...json.items);
    if (page < json.totalPages) continue;
    assert.equal(found.length, json.totalItems, 'the count and the policies differ');
    return found;
  }
}

/** Compares, and takes over what became of the changes that no answer came to. */
async function check(program: Program, { client, policies, maybeCreated, maybeChanged }: Expected): Promise<string[]> {
  const found = await everyPolicy(program, client.token);
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'a policy is listed twice');
  for (const policy of found) {
    const known = policies.get(policy.id);
    const change = maybeChanged.get(policy.id);
    const changed = known && change && (policy.status !== known.status || policy.holder !== known.holder);
    if (changed) {
      assert.deepEqual(policy, { ...known, ...change, updatedAt: policy.updatedAt });
    } else if (known) {
      assert.deepEqual(policy, known);
    } else {
      assert.ok(maybeCreated.has(policy.regNumber), `${policy.id} was neither acknowledged nor under way`);
      assert.match(policy.id, /^pol-[0-9a-f-]{36}$/);
      assert.equal(policy.status, 'active');
      assert.equal(policy.holder, `First ${policy.regNumber.slice(3)}`);
      assert.ok(policy.startDate < policy.endDate && policy.createdAt === policy.updatedAt);
    }
    policies.set(policy.id, policy);
  }
  assert.deepEqual([...policies.keys()].sort(), found.map(({ id }) => id).sort(), 'an acknowledged policy is missing');
  maybeCreated.clear();
  maybeChanged.clear();
  return found.filter(({ status }) => status === 'active' || status === 'updated').map(({ regNumber }) => regNumber);
}

onSqlite((engine) => {
  test('Durability: whenever the program is killed, all it has acknowledged is there, and whole', async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = { PORT: String(await steadyPort()) };
    let program = await startProgram(t, where, { environment });
    const expected: Expected[] = [];
    for (let n = 0; n < clients; n++) {
      expected.push({
        client: await program.client(),
        policies: new Map(),
        maybeCreated: new Set(),
        maybeChanged: new Map(),
      });
    }
    for (let round = 0; round < rounds; round++) {
      const writers = expected.flatMap((each) => Array.from({ length: writersPerClient }, () => write(program, each)));
      const enough = acknowledged + least;
      await pause(50 + Math.random() * 250);
      while (acknowledged < enough) await pause(10);
      program.child.kill('SIGKILL');
      await program.exit;
      await Promise.all(writers);

      program = await startProgram(t, where, { environment });
      const inForce = (await Promise.all(expected.map((each) => check(program, each)))).flat();
      assert.equal(new Set(inForce).size, inForce.length, 'a vehicle is insured twice');
    }
    t.diagnostic(`${acknowledged} acknowledged writes checked over ${rounds} kills`);
    assert.ok(acknowledged > rounds, 'too little was written to show anything');
  });

  test('Durability: a first start that is killed at any moment leaves nothing in the way of the next', async (t) => {
    for (let round = 0; round < extent(1, 3); round++) {
      const where = await engine.location();
      assert.ok('directory' in where);
      const environment = { DATA_DIR: where.directory };
      const { child, exit } = launch(t, { environment });
      await pause(150 + Math.random() * 500);
      child.kill('SIGKILL');
      await exit;
      const program = await startProgram(t, where);
      const token = await program.token('preset-fleet', program.secrets.fleetClientSecret);
      assert.equal((await everyPolicy(program, token)).length, 75);
      await program.stop();
    }
  });
});
