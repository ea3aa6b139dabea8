import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate, testSecrets } from '../../support/lplate.ts';
import { restartable } from '../../support/restart.ts';
import { alter, stored } from '../../support/stored.ts';
import { consume, createAll, kinds, newRunner, type Runner, report, second, standing, start } from './capstone.ts';
import { newPlate } from './lesson.ts';

/** Has the removal of a client begin when the next step of another one's run is done. */
async function removeAtStep(lplate: LPlate, { id }: Runner, removed: Runner): Promise<void> {
  const event = 'after update of steps on capstone_runs';
  const removal = `update clients set removed_at = last_used_at where id = '${removed.id}'`;
  if (!lplate.config.databaseUrl) {
    return alter(lplate, `create trigger removal ${event} when new.client_id = '${id}' begin ${removal}; end`);
  }
  await alter(
    lplate,
    `create function remove() returns trigger language plpgsql as $$ begin ${removal}; return new; end $$`,
    `create trigger removal ${event} for each row when (new.client_id = '${id}') execute function remove()`,
  );
}

const runsOf = (capstone: string) => `/range/v1/me/capstones/${capstone}/runs`;

forEachEngineInFull((engine) => {
  describe('runs of capstones', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Capstones: a run has conditions for its client alone, and its end takes them away', async () => {
      const [runner, other] = [await newRunner(lplate), await newRunner(lplate)];
      const drills = async ({ token }: { token: string }) =>
        (await lplate.call('GET', '/range/v1/me/drills', { token })).json.items;
      const { number } = await start(runner, 'bad-line');
      deepEqual(
        (await drills(runner))
          .map(({ name, startedBy }: { name: string; startedBy: string }) => [name, startedBy])
          .sort(),
        [
          ['bad-json', 'capstone'],
          ['cut-connections', 'capstone'],
          ['html-from-a-proxy', 'capstone'],
        ],
      );
      await lplate.call('POST', '/range/v1/me/drills', {
        token: runner.token,
        json: { name: 'delay', parameters: { fromMs: 0 } },
      });
      deepEqual([await drills(other), (await standing(other, 'bad-line')).on], [[], null]);
      const path = `${runsOf('bad-line')}/${number}`;
      equal((await lplate.call('DELETE', path, { token: runner.token })).status, 204);
      equal((await lplate.call('DELETE', path, { token: runner.token })).status, 204);
      deepEqual(
        (await drills(runner)).map(({ name }: { name: string }) => name),
        ['delay'],
      );
      const { json } = await lplate.call('GET', path, { token: runner.token });
      deepEqual([json.state, json.score, json.faults], ['ended', null, []]);
      equal((await lplate.call('GET', path, { token: other.token })).status, 404);
      deepEqual(problem(await lplate.call('DELETE', path, { token: other.token })), [404, 'run-not-found']);
    });

    test('Capstones: one run is on at a time, and its time is over at its end', async () => {
      const runner = await newRunner(lplate);
      const first = await start(runner, 'bad-line');
      const next = await start(runner, 'month-end');
      const { token } = runner;
      equal((await lplate.call('GET', `${runsOf('bad-line')}/${first.number}`, { token })).json.state, 'ended');
      equal((await standing(runner, 'bad-line')).on, null);
      const answer = { lesson: 'bad-line', answer: { policies: {} } };
      deepEqual(problem(await lplate.call('POST', '/range/v1/me/answers', { token, json: answer })), [409, 'no-run']);
      lplate.clock.advance(180_000 - 1);
      equal((await standing(runner, 'month-end')).on.secondsLeft, 1);
      lplate.clock.advance(1);
      const late = { lesson: 'month-end', answer: { updated: [] } };
      deepEqual(problem(await lplate.call('POST', '/range/v1/me/answers', { token, json: late })), [409, 'no-run']);
      await lplate.catchUp();
      const { json } = await lplate.call('GET', `${runsOf('month-end')}/${next.number}`, { token });
      deepEqual([json.state, json.score, kinds(json)], ['over', 0, { 'no-report': 1 }]);
      equal((await standing(runner, 'month-end')).bestScore, 0);
      match(
        await (await fetch(`${lplate.url}/metrics`)).text(),
        /lplate_capstone_runs_total\{capstone="month-end",outcome="over"\} [1-9]/,
      );
    });

    test('Capstones: a run goes on after a restart, with what came due meanwhile', async (t) => {
      const place = await restartable(engine);
      const lplate = await place.start();
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'night-shift');
      let current = lplate;
      const each = async (at: number) => {
        if (at !== 25) return;
        await current.close();
        lplate.clock.advance(3000);
        current = await place.start({}, lplate.clock);
        Object.assign(runner, { lplate: current });
      };
      t.after(() => current.close());
      const { correct, run } = await report(runner, 'night-shift', await consume(runner, given, {}, each));
      deepEqual([correct, run.faults], [true, []]);
      equal(
        run.schedule.every(({ done }: { done: boolean }) => done),
        true,
      );
    });

    test('Capstones: a run whose client is removed in its turn holds up no other', async (t) => {
      const lplate = await startLPlate(engine);
      t.after(() => lplate.close());
      const runners: Runner[] = [];
      for (let at = 0; at < 3; at += 1) {
        const runner = await newRunner(lplate);
        await start(runner, 'bad-line');
        runners.push(runner);
        lplate.clock.advance(1000);
      }
      const [first, removed] = runners as [Runner, Runner];
      await removeAtStep(lplate, first, removed);
      lplate.clock.advance(20_000);
      await lplate.catchUp();
      const rows = await stored(lplate, 'select steps from capstone_runs order by started_at');
      deepEqual(
        rows.map(({ steps }) => steps),
        [4, 3, 4],
      );
      deepEqual(
        lplate.log.filter((line) => line.includes('failed')),
        [],
      );
    });

    test('Capstones: what a break has delayed is done at once, and a drill ends when it was to end', async () => {
      const runner = await newRunner(lplate);
      await start(runner, 'night-shift');
      lplate.clock.advance(30_000);
      await lplate.catchUp();
      const { json } = await lplate.call('GET', '/range/v1/me/drills', { token: runner.token });
      deepEqual(
        json.items.map(({ name, secondsLeft }: { name: string; secondsLeft: number }) => [name, secondsLeft]),
        [['duplicate-events', 90]],
      );
      equal((await lplate.call('GET', '/range/v1/me/clock', { token: runner.token })).json.aheadSeconds, 45 * 60 - 30);
    });

    test('Capstones: the clock of who moves it further than a run does never goes back', async (t) => {
      const place = await restartable(engine);
      const lplate = await place.start();
      const runner = await newRunner(lplate);
      await start(runner, 'night-shift');
      const json = { advance: 'PT2H' };
      equal((await lplate.call('POST', '/range/v1/me/clock', { token: runner.token, json })).status, 200);
      for (let at = 0; at < 10; at += 1) await second(lplate);
      await lplate.close();
      const again = await place.start({}, lplate.clock);
      t.after(() => again.close());
      Object.assign(runner, { lplate: again });
      await runner.renew();
      equal((await again.call('GET', '/range/v1/me/clock', { token: runner.token })).json.aheadSeconds, 7200);
    });

    test('Capstones: a run has 100 faults at the most', async () => {
      const runner = await newRunner(lplate);
      const { token } = runner;
      await start(runner, 'bad-line');
      for (const name of ['bad-json', 'cut-connections', 'html-from-a-proxy'])
        await lplate.call('DELETE', `/range/v1/me/drills/${name}`, { token });
      const plate = newPlate();
      for (let at = 0; at < 90; at += 1)
        await lplate.call('POST', '/policies', { token, json: { regNumber: `${plate}X${at}` } });
      const { advice, run } = await report(runner, 'bad-line', { policies: {} });
      deepEqual([run.faults.length, run.score], [100, 0]);
      match(advice, /15 missing, 90 extra/);
    });

    test('Capstones: a reset ends the run and removes the old ones, and the best score stays', async () => {
      const runner = await newRunner(lplate);
      const { token } = runner;
      const { given } = await start(runner, 'bad-line');
      await report(runner, 'bad-line', await createAll(runner, given));
      await start(runner, 'night-shift');
      equal((await lplate.call('POST', '/range/v1/me/reset', { token })).status, 204);
      deepEqual((await lplate.call('GET', runsOf('bad-line'), { token })).json.totalItems, 0);
      equal((await standing(runner, 'night-shift')).on, null);
      deepEqual((await lplate.call('GET', '/range/v1/me/drills', { token })).json.items, []);
      for (let at = 0; at < 10; at += 1) await second(lplate);
      equal((await lplate.call('GET', '/range/v1/me/clock', { token })).json.aheadSeconds, 0);
      equal((await standing(runner, 'bad-line')).bestScore, 100);
      equal((await start(runner, 'bad-line')).number, 2);
    });

    test('Capstones: ten runs of each are kept', async () => {
      const runner = await newRunner(lplate);
      const { token } = runner;
      for (let number = 1; number <= 12; number += 1) await start(runner, 'bad-line');
      const { json } = await lplate.call('GET', `${runsOf('bad-line')}?pageSize=500`, { token });
      deepEqual(
        json.items.map(({ number }: { number: number }) => number),
        Array.from({ length: 10 }, (_, at) => 12 - at),
      );
    });

    test('Capstones: a run that would be more than a client can own does not begin', async (t) => {
      const small = await startLPlate(engine, { policiesPerClient: 70 });
      t.after(() => small.close());
      const runner = await newRunner(small);
      const refused = await small.call('POST', runsOf('month-end'), { token: runner.token });
      deepEqual(problem(refused), [429, 'quota-exceeded']);
      deepEqual((await standing(runner, 'month-end')).runs, 0);
    });

    test('Capstones: preconfigured clients have no runs', async () => {
      const token = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
      deepEqual(problem(await lplate.call('POST', runsOf('month-end'), { token })), [409, 'preset-client']);
    });
  });
});
