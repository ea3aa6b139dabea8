import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { magicPlates } from '../../src/magic-plates.ts';
import type { TestClient } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { serviceOf } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

/** Calls of one client with one plate, to all nodes at once. */
const atOnce = 12;

/** So often: the clocks of nodes differ by parts of a millisecond. */
const rounds = 20;

/** What one answer shows of each outcome; one that is late looks like any other. */
const shown = { 503: 503, 429: 429, 504: 504, LATE: 200, CUT: 'cut' } as const satisfies Record<
  keyof typeof magicPlates,
  number | string
>;

test('Decisions, drills: over three nodes one of many calls at once meets a magic plate, for each client, also when a node is started again', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres));
  const read = async (node: number, plate: string, { token }: TestClient) => {
    const { call } = serviceOf(nodes.program(node));
    const path = `/vehicle-registry/v2/vehicles/${plate}`;
    return call('GET', path, { token }).then(
      ({ status }) => status,
      () => 'cut' as const,
    );
  };
  const readMany = (plate: string, client: TestClient) =>
    Promise.all(Array.from({ length: atOnce }, (_, at) => read(at % nodes.count, plate, client)));
  const others = Array(atOnce - 1).fill(200);

  const clients = [await nodes.client(), await nodes.client()] as const;
  for (const client of clients) {
    for (const [plate, outcome] of Object.entries(shown)) {
      const answers = await readMany(`QQ-${plate}`, client);
      const [met, ...rest] = answers.toSorted((one, next) => Number(next === outcome) - Number(one === outcome));
      deepEqual([met, ...rest], [outcome, ...others], plate);
    }
    for (let round = 0; round < rounds; round += 1) {
      const answers = await readMany(`QQ-503-${round}A`, client);
      equal(answers.filter((answer) => answer === 503).length, 1, `round ${round}: ${answers}`);
    }
    const told = async () => {
      const { json } = await nodes.call('GET', '/range/v1/me/exchanges?pageSize=500', client);
      const notes: { code: string }[] = json.items.flatMap((each: { notes?: unknown[] }) => each.notes ?? []);
      return notes.filter(({ code }) => code === 'magic-plate').length;
    };
    await until(async () => (await told()) >= rounds + Object.keys(shown).length, 'all are in the log');
    equal(await told(), rounds + Object.keys(shown).length);
  }

  await read(0, 'QQ-503-B', clients[0]);
  await nodes.kill(1);
  await nodes.restart(1);
  deepEqual([await read(1, 'QQ-503-B', clients[0]), await read(1, 'QQ-503-B', clients[1])], [200, 503]);
});
