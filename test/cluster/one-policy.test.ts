import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administer } from '../support/engines.ts';
import type { TestClient } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, emptyDatabase, type NodeAnswer, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const crowd = 64;
const rounds = 100;

const postgres = await shareServer(startPostgres);

const spellings = [
  (plate: string) => `RN-${plate}`,
  (plate: string) => `rn${plate}`,
  (plate: string) => `r-n-${plate}-`,
  (plate: string) => `Rn-${plate.slice(0, 2)}-${plate.slice(2)}`,
];

const create = (nodes: Nodes, { token }: TestClient, plate: string, at: number): Promise<NodeAnswer> =>
  nodes.call('POST', '/policies', { token, json: { regNumber: spellings[at % spellings.length]?.(plate) } });

/** Per vehicle: how many policies there are, and how many of them are in force. Straight from the database. */
async function held(url: string, plate: string): Promise<{ policies: number; inForce: number }> {
  const rows = await administer<{ status: string }>(
    `select status from policies where upper(replace(reg_number, '-', '')) = 'RN${plate}'`,
    url,
  );
  const inForce = rows.filter(({ status }) => status === 'active' || status === 'updated');
  return { policies: rows.length, inForce: inForce.length };
}

const plateOf = (round: number) => String(1000 + round);

test('Endpoints, rule 1: over three nodes no vehicle is ever insured twice', async (t) => {
  const url = await emptyDatabase(postgres);
  const nodes = await Nodes.start(t, url);
  const clients = await Promise.all(Array.from({ length: crowd }, () => nodes.client()));

  await t.test('of 64 writers who want one vehicle at once one gets it, a hundred times over', async () => {
    const through = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      // Every other round the vehicle of the one before, which was cancelled in between.
      const again = round % 2;
      const plate = plateOf(round - again);
      const answers = await Promise.all(clients.map((client, at) => create(nodes, client, plate, at + round)));
      assert.deepEqual(count(answers), { 201: 1, 409: crowd - 1 }, `round ${round}`);
      for (const { status, json } of answers) if (status === 409) assert.match(json.type, /\/duplicate-policy$/);
      assert.deepEqual(await held(url, plate), { policies: 1 + again, inForce: 1 });

      const won = answers.findIndex(({ status }) => status === 201);
      const { json, node } = answers[won] as NodeAnswer;
      through.add(node);
      const { token } = clients[won] as TestClient;
      if (!again) assert.equal((await nodes.call('POST', `/policies/${json.id}/cancel`, { token })).status, 200);
    }
    assert.equal(through.size, nodes.count, 'every node has won');
  });

  await t.test('while a policy is cancelled through one node and its vehicle wanted through all', async () => {
    const [owner, ...others] = clients.slice(0, 31) as [TestClient, ...TestClient[]];
    let overtaken = 0;
    for (let round = rounds; round < rounds + 20; round += 1) {
      const plate = plateOf(round);
      const first = await create(nodes, owner, plate, 0);
      assert.equal(first.status, 201);
      const wanted = others.map((other, at) => create(nodes, other, plate, at));
      const cancelled = await nodes.call('POST', `/policies/${first.json.id}/cancel`, { token: owner.token });
      assert.equal(cancelled.status, 200);
      const { 201: won = 0, 409: lost = 0 } = count(await Promise.all(wanted));
      assert.equal(won + lost, others.length);
      assert.deepEqual(await held(url, plate), { policies: 1 + won, inForce: won });
      assert.ok(won <= 1, `${won} policies in force`);
      overtaken += won;
    }
    assert.ok(overtaken > 0, 'the vehicle was never had anew, so nothing was raced');
  });
});
