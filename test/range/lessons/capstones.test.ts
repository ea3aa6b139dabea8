import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { alter, stored } from '../../claims/stored.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate, testSecrets } from '../../support/lplate.ts';
import { restartable } from '../../support/restart.ts';
import {
  type Carelessness,
  consume,
  createAll,
  kinds,
  newRunner,
  type Runner,
  report,
  second,
  standing,
  start,
  updateFleet,
} from './capstone.ts';
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
  describe('capstones', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    describe('the night shift', () => {
      test('Capstones: a consumer that survives the night shift gets 100, and it counts as completed', async () => {
        const runner = await newRunner(lplate);
        const { given, number, secondsLeft } = await start(runner, 'night-shift');
        deepEqual([given.claims.length, number, secondsLeft], [8, 1, 120]);
        const { correct, advice, run } = await report(runner, 'night-shift', await consume(runner, given));
        deepEqual([correct, advice, run.faults], [true, null, []]);
        deepEqual([run.state, run.score, run.secondsLeft], ['completed', 100, 0]);
        const { bestScore, completedAt, runs, on } = await standing(runner, 'night-shift');
        deepEqual([bestScore, completedAt, runs, on], [100, run.endedAt, 1, null]);
        const { json } = await runner.lplate.call('GET', '/range/v1/me/certificate', runner);
        deepEqual(json.certificate.capstones, [{ id: 'night-shift', title: 'The night shift', completedAt }]);
      });

      const naive: Record<string, [Carelessness, (counts: Record<string, number>) => void]> = {
        'does not deduplicate': [{ keepsDuplicates: true }, (counts) => deepEqual(counts, { doubled: 20 })],
        'goes on with what comes after a failure': [
          { forgetsItsPlace: true },
          (counts) => {
            ok((counts.lost ?? 0) >= 3, JSON.stringify(counts));
            deepEqual(
              Object.keys(counts).filter((kind) => kind !== 'lost' && kind !== 'wrong-state'),
              [],
            );
          },
        ],
        'stops at the end of its token': [
          { keepsItsToken: true },
          (counts) => deepEqual(counts, { lost: 4, 'wrong-state': 4 }),
        ],
        'processes batches from their end': [
          { backwards: true },
          (counts) => ok((counts['out-of-order'] ?? 0) >= 1 && !counts.lost, JSON.stringify(counts)),
        ],
      };
      for (const [what, [careless, check]] of Object.entries(naive)) {
        test(`Capstones: a consumer that ${what} is told what it did in the night shift`, async () => {
          const runner = await newRunner(lplate);
          const { given } = await start(runner, 'night-shift');
          const sent = await consume(runner, given, careless);
          await runner.renew();
          const { correct, advice, run } = await report(runner, 'night-shift', sent);
          check(kinds(run));
          deepEqual([correct, run.state], [false, 'reported']);
          ok(run.score < 100, String(run.score));
          match(advice, new RegExp(`The score is ${run.score} of 100: \\d+ [a-z-]+`));
        });
      }

      test('Capstones: a fault names the exchanges in which the event was sent', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'night-shift');
        const sent = await consume(runner, given);
        const lost = sent.events.splice(4, 1)[0] as string;
        const { run } = await report(runner, 'night-shift', sent);
        deepEqual([kinds(run), run.faults[0].subject, run.score], [{ lost: 1 }, lost, 96]);
        match(
          run.faults[0].detail,
          /^CLM-\d{4}-\d{6}, [A-Z_]+ to [A-Z_]+: you did not report it, and it was sent to you/,
        );
        const [id] = run.faults[0].exchanges;
        const exchange = await lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token: runner.token });
        ok(exchange.json.response.body.text.includes(lost));
      });

      test('Capstones: a report that comes too early, or has another shape, does not end the run', async () => {
        const runner = await newRunner(lplate);
        await start(runner, 'night-shift');
        const early = await report(runner, 'night-shift', { claims: {}, events: [] });
        deepEqual([early.correct, early.run.state, early.lesson], [false, 'on', null]);
        match(early.advice, /it can be reported in 50 s/);
        for (let at = 0; at < 50; at += 1) await second(lplate);
        await runner.renew();
        for (const answer of [null, [], 'x', 1, { claims: {} }, { events: [] }, { claims: [], events: [] }]) {
          match((await report(runner, 'night-shift', answer)).advice, /members claims/);
        }
        match((await report(runner, 'night-shift', { claims: { a: 1 }, events: [] })).advice, /members claims/);
        match((await report(runner, 'night-shift', { claims: {}, events: [1] })).advice, /members claims/);
        const { run } = await report(runner, 'night-shift', { claims: {}, events: [] });
        deepEqual([run.score, kinds(run)], [0, { lost: 20, 'wrong-state': 8 }]);
        match(run.faults[0].detail, /no call that the log has asked for it/);
      });
    });

    describe('the month end', () => {
      test('Capstones: who updates the fleet with If-Match gets 100, and leaves to a colleague what is the colleague’s', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'month-end');
        let calls = 0;
        const between = async () => {
          calls += 1;
          if (calls <= 9) await second(lplate);
        };
        const sent = await updateFleet(runner, given, { between });
        const { correct, run } = await report(runner, 'month-end', sent);
        deepEqual([correct, run.faults, run.score], [true, [], 100]);
        const { json } = await lplate.call('GET', '/policies?pageSize=500', { token: runner.token });
        const falcons = json.items.filter(({ holder }: { holder: string }) => holder?.startsWith('Falcon'));
        equal(falcons.length, 3);
      });

      test('Capstones: who updates without If-Match is told what was overwritten, and in which calls', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'month-end');
        for (let at = 0; at < 8; at += 1) await second(lplate);
        const { id } = (await runner.insist('GET', '/insurer/v1/policies?pageSize=500')).json.items.findLast(
          ({ holder }: { holder: string }) => holder?.startsWith('Falcon'),
        );
        while (
          (await runner.send('PUT', `/insurer/v1/policies/${id}`, { json: { holder: given.newHolder } }))?.status !==
          200
        );
        const sent = await updateFleet(runner, given, { withoutIfMatch: true });
        const { run } = await report(runner, 'month-end', { updated: [...sent.updated, id] });
        const counts = kinds(run);
        equal(counts.overwritten, 1);
        ok((counts.doubled ?? 0) >= 1 && (counts['without-if-match'] ?? 0) >= 5, JSON.stringify(counts));
        const fault = run.faults.find(({ kind }: { kind: string }) => kind === 'without-if-match');
        const { json } = await lplate.call('GET', `/range/v1/me/exchanges/${fault.exchanges[0]}`, {
          token: runner.token,
        });
        deepEqual([json.method, json.status, json.url.endsWith(fault.subject)], ['PUT', 200, true]);
      });

      test('Capstones: what was to be left alone, what is wrong, and a wrong report at the month end are named', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'month-end');
        const { json } = await runner.insist('GET', '/insurer/v1/policies?pageSize=500');
        const inForce = json.items.filter(({ status }: { status: string }) => ['active', 'updated'].includes(status));
        const other = inForce.find(({ holder }: { holder: string }) => holder !== given.holder).id;
        const mine = inForce.find(({ holder }: { holder: string }) => holder === given.holder).id;
        await runner.insist('PUT', `/insurer/v1/policies/${other}`, {
          json: { holder: 'X' },
          headers: { 'If-Match': '*' },
        });
        await runner.insist('PUT', `/insurer/v1/policies/${mine}`, {
          json: { holder: 'X' },
          headers: { 'If-Match': '*' },
        });
        const { run } = await report(runner, 'month-end', { updated: [other] });
        const { missing, ...counts } = kinds(run);
        deepEqual(counts, { touched: 1, wrong: 1, 'wrong-report': 1 });
        ok((missing as number) >= 8);
        equal(run.score, 0);
      });

      test('Capstones: a report of the month end that has another shape is told so', async () => {
        const runner = await newRunner(lplate);
        await start(runner, 'month-end');
        for (const answer of [null, [], { updated: 'x' }, { updated: [1] }])
          match((await report(runner, 'month-end', answer)).advice, /member updated/);
      });
    });

    describe('the bad line', () => {
      test('Capstones: who creates with an Idempotency-Key gets 100 over a bad line', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'bad-line');
        const { correct, run } = await report(runner, 'bad-line', await createAll(runner, given));
        deepEqual([correct, run.faults, run.score], [true, [], 100]);
      });

      test('Capstones: who creates without a key is told what is there twice, and by which calls', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'bad-line');
        const { run } = await report(runner, 'bad-line', await createAll(runner, given, { withoutKey: true }));
        const { doubled } = kinds(run);
        ok((doubled as number) >= 3 && Object.keys(kinds(run)).length === 1, JSON.stringify(kinds(run)));
        for (const { exchanges } of run.faults) ok(exchanges.length >= 2);
        equal(run.score, Math.floor((100 * (15 - (doubled as number))) / 15));
      });

      test('Capstones: what is missing, wrong, too much or wrongly reported after a bad line is named', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'bad-line');
        const [first, , ...others] = given.orders;
        const option = first.coverageOption === 'MTPL-1M' ? 'MTPL-3M' : 'MTPL-1M';
        const sent = await createAll(runner, {
          orders: [{ ...first, coverageOption: option }, ...others, { holder: 'Nobody', coverageOption: 'MTPL-1M' }],
        });
        const { [others[0].holder]: _, ...reported } = sent.policies;
        const { run } = await report(runner, 'bad-line', { policies: { ...reported, [others[1].holder]: 'pol-x' } });
        deepEqual(kinds(run), { wrong: 1, missing: 1, 'wrong-report': 2, extra: 1 });
        equal(run.score, 66);
        for (const answer of [null, { policies: [] }, { policies: { a: 1 } }]) {
          await start(runner, 'bad-line');
          match((await report(runner, 'bad-line', answer)).advice, /member policies/);
        }
      });

      test('Capstones: what was there before a run is not part of it', async () => {
        const runner = await newRunner(lplate);
        await createAll(runner, { orders: [{ holder: 'Before', coverageOption: 'MTPL-1M' }] });
        for (const number of [1, 2]) {
          const run = await start(runner, 'bad-line');
          equal(run.number, number);
          const { correct } = await report(runner, 'bad-line', await createAll(runner, run.given));
          equal(correct, true);
        }
        deepEqual((await standing(runner, 'bad-line')).runs, 2);
      });
    });

    describe('a run', () => {
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
        equal(
          (await lplate.call('GET', '/range/v1/me/clock', { token: runner.token })).json.aheadSeconds,
          45 * 60 - 30,
        );
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
          await lplate.call('POST', '/policies', { token, json: { regNumber: `${plate}-${at}` } });
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

    test('Capstones: the list shows what each asks for, to anybody', async () => {
      const { json } = await lplate.call('GET', '/range/v1/capstones');
      const ids = json.items.map(({ id }: { id: string }) => id);
      deepEqual(ids, ['bad-line', 'month-end', 'night-shift']);
      // Both are answered at one address.
      const lessons = await lplate.call('GET', '/range/v1/lessons?pageSize=500');
      ok(lessons.json.items.every(({ id }: { id: string }) => !ids.includes(id)));
      for (const { title, goal, why, report, sections } of json.items)
        ok(title && goal && why && report && sections.length > 0);
    });
  });
});
