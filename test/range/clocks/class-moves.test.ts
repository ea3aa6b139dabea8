import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate, type TestClient, testSecrets } from '../../support/lplate.ts';
import { alter, countStored } from '../../support/stored.ts';

const { trainerToken: token } = testSecrets;

forEachEngine((engine) => {
  test('Decisions, the range: moves of all that run at once, beside moves of their own, move each client by their sum, once', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients: TestClient[] = [];
    for (let count = 0; count < 30; count += 1) clients.push(await lplate.client());
    const moveAll = (advance: string) =>
      lplate.call('POST', '/range/v1/trainer/clock', { token, json: { advance } }).then(({ json }) => json);
    const moveOwn = (client: TestClient) =>
      lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT1S' } });

    const moves = ['PT1M', 'PT10M', 'PT20M'];
    const [answers] = await Promise.all([Promise.all(moves.map(moveAll)), ...clients.slice(0, 10).map(moveOwn)]);
    deepEqual(
      answers.map(({ moved, notMoved }) => [moved, notMoved]),
      moves.map(() => [30, 0]),
    );
    const late = await lplate.client();
    const ahead = await Promise.all(
      [...clients, late].map(
        async (client) => (await lplate.call('GET', '/range/v1/me/clock', client)).json.aheadSeconds,
      ),
    );
    deepEqual(ahead, [...Array(10).fill(1861), ...Array(20).fill(1860), 0]);
    equal(await countStored(lplate, 'class_moves'), 0);
  });

  test('Decisions, the range: housekeeping goes on with a move of all that a crash broke off, and moves nobody twice', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients: TestClient[] = [];
    for (let count = 0; count < 25; count += 1) clients.push(await lplate.client());
    const ahead = () =>
      Promise.all(
        clients.map(async (client) => (await lplate.call('GET', '/range/v1/me/clock', client)).json.aheadSeconds),
      );
    const [moved] = clients as [TestClient];
    await alter(
      lplate,
      'update clock_head set moves = moves + 1',
      `insert into class_moves (number, by_ms, begun_at)
        select moves, 60000, (select max(created_at) from clients) from clock_head`,
      // As far as it came: one client took part.
      `update clients set class_move = (select moves from clock_head) where id = '${moved.id}'`,
    );
    await lplate.housekeeping();
    deepEqual(await ahead(), [0, ...Array(24).fill(60)]);
    await lplate.housekeeping();
    deepEqual(await ahead(), [0, ...Array(24).fill(60)]);
    equal(await countStored(lplate, 'class_moves'), 0);
  });
});
