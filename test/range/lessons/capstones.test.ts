import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { capstones } from '../../../src/range/lessons/capstones/index.ts';
import { faultKinds } from '../../../src/range/lessons/capstones/schemas.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../../support/lplate.ts';
import { peopleOf, type TestPerson, tokensFor } from '../../support/people.ts';
import {
  type AppCarelessness,
  type Carelessness,
  consume,
  createAll,
  keepCopy,
  kinds,
  type MoveCarelessness,
  moveAll,
  type NightCarelessness,
  newRunner,
  report,
  second,
  serveAll,
  standing,
  start,
  updateFleet,
} from './capstone.ts';
import { newPlate } from './lesson.ts';

/** The members of a value, and the types of their values; of a list, those of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

forEachEngineInFull((engine) => {
  describe('capstones', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Capstones: the list shows what each asks for, to anybody', async () => {
      const { json } = await lplate.call('GET', '/range/v1/capstones');
      const ids = json.items.map(({ id }: { id: string }) => id);
      deepEqual(ids, ['bad-line', 'month-end', 'night-shift', 'night-job', 'moving-day', 'brokers-app']);
      // Both are answered at one address.
      const lessons = await lplate.call('GET', '/range/v1/lessons?pageSize=500');
      ok(lessons.json.items.every(({ id }: { id: string }) => !ids.includes(id)));
      for (const { title, goal, why, report, sections } of json.items)
        ok(title && goal && why && report && sections.length > 0);
    });

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
        deepEqual(json.certificate.capstones, [{ id: 'night-shift', title: 'The night shift', level: 1, completedAt }]);
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

    test('Capstones: the example of each has the form of what a run gives, and of a report', async () => {
      const runner = await newRunner(lplate);
      for (const { id, example, shapeFault } of capstones) {
        const { given } = await start(runner, id);
        const shown = (await lplate.call('GET', `/range/v1/me/capstones/${id}`, { token: runner.token })).json;
        deepEqual(shapeOf(shown.givenExample), shapeOf(given), id);
        deepEqual([shapeFault(example.report), shown.reportExample], [undefined, example.report], id);
      }
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
        const ranks = run.faults.map(({ kind }: { kind: (typeof faultKinds)[number] }) => faultKinds.indexOf(kind));
        deepEqual(
          ranks,
          ranks.toSorted((a: number, b: number) => a - b),
          'the worst first',
        );
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

    describe('the night job', () => {
      test('Capstones: a copy that is the same as here after three nights gets 100, with the sums of the whole file', async () => {
        const runner = await newRunner(lplate);
        const { given, secondsLeft } = await start(runner, 'night-job');
        deepEqual([given.policies, given.nights.length, secondsLeft], [2000, 3, 120]);
        const sent = await keepCopy(runner, given);
        equal(Object.keys(sent.policies).length, 2000);
        const { correct, run } = await report(runner, 'night-job', sent);
        deepEqual([correct, run.faults, run.score], [true, [], 100]);
      });

      const careless: Record<string, [NightCarelessness, Record<string, number>, score: number, detail: RegExp]> = {
        'begins at its watermark': [{ withoutOverlap: true }, { 'late-change': 10 }, 88, /This change came late/],
        'believes what it was told last': [{ keepsExpired: true }, { stale: 10 }, 88, /nobody writes/],
        'leaves out a night': [{ skips: 2 }, { 'skipped-night': 1 }, 98, /between second 43 and 51/],
        'stops a night early': [{ stopsAfter: 2 }, { stale: 20, 'late-change': 5, 'skipped-night': 1 }, 70, /late/],
        'takes the half of a file for all of it': [
          { booksShortFile: true },
          { 'wrong-sum': 4 },
          95,
          /Was the file whole/,
        ],
      };
      for (const [what, [how, expected, score, detail]] of Object.entries(careless)) {
        test(`Capstones: a night job that ${what} is told what differs`, async () => {
          const runner = await newRunner(lplate);
          const { given } = await start(runner, 'night-job');
          const { run } = await report(runner, 'night-job', await keepCopy(runner, given, how));
          deepEqual([kinds(run), run.score], [expected, score]);
          match(run.faults[0].detail, detail);
        });
      }

      test('Capstones: a row that is missing after the night job is named, what was there before it is not its matter, nor is the format of the file', async () => {
        const runner = await newRunner(lplate);
        const before = (await runner.insist('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } })).json;
        const { given } = await start(runner, 'night-job');
        const sent = await keepCopy(runner, given);
        const ours = Object.keys(sent.policies).filter((id) => id !== before.id);
        equal(ours.length, 2000);
        const { [before.id]: _, [ours[700] as string]: _lost, ...policies } = sent.policies;
        const json = { ...given.statement, format: 'ndjson' };
        const { id } = (await runner.insist('POST', '/insurer/v1/statements', { json })).json;
        await second(lplate);
        const statement = { ...sent.statement, id };
        const { run } = await report(runner, 'night-job', { policies, statement });
        deepEqual([kinds(run), run.faults[0].subject, run.score], [{ missing: 1 }, ours[700], 98]);
      });

      test('Capstones: a report of the night job that has another shape, or is too large, is told so', async () => {
        const runner = await newRunner(lplate);
        await start(runner, 'night-job');
        for (let at = 0; at < 92; at += 1) await second(lplate);
        await runner.renew();
        const statement = { id: 'stm-x', premiums: {} };
        for (const answer of [
          ...[null, [], {}, { policies: {} }, { statement }],
          ...[
            { policies: { a: 1 }, statement },
            { policies: {}, statement: { ...statement, premiums: [] } },
          ],
          { policies: Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [at, ''])), statement },
        ])
          match((await report(runner, 'night-job', answer)).advice, /members policies/);
        const json = { lesson: 'night-job', answer: 'x'.repeat(512 * 1024) };
        const large = await lplate.call('POST', '/range/v1/me/answers', { token: runner.token, json });
        deepEqual(problem(large), [413, 'payload-too-large']);
        const { run } = await report(runner, 'night-job', { policies: {}, statement });
        deepEqual([run.score, kinds(run)], [0, { missing: 100 }]);
      });
    });

    describe('moving day', () => {
      test('Capstones: who moves with all that happens gets 100, and leaves what is insured already as it is', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'moving-day');
        const sent = await moveAll(runner, given);
        deepEqual([Object.keys(sent.policies).length, sent.refused.length, sent.events.length], [37, 3, 9]);
        const { correct, run } = await report(runner, 'moving-day', sent);
        deepEqual([correct, run.faults, run.score], [true, [], 100]);
      });

      const careless: Record<string, [MoveCarelessness, Record<string, number>, score: number]> = {
        'gets no new secret, and stops at a member more': [
          { secret: 'none', isStrict: true },
          { 'old-secret': 1, lost: 5 },
          88,
        ],
        'goes on with the secret before, and leaves what was refused': [
          { secret: 'unused', leavesRefused: true },
          { 'old-secret': 1, missing: 4 },
          90,
        ],
        'is mistaken in the secret, and asks on for what has ended': [
          { secret: 'mistaken', insistsOnSoap: true },
          { outage: 1, 'after-the-end': 1 },
          96,
        ],
        'makes room for a row, and counts each event twice': [
          { makesRoom: true, keepsDuplicates: true },
          { touched: 1, doubled: 9 },
          80,
        ],
      };
      for (const [what, [how, expected, score]] of Object.entries(careless)) {
        test(`Capstones: who ${what} is told so after moving day`, async () => {
          const runner = await newRunner(lplate);
          const { given } = await start(runner, 'moving-day');
          const sent = await moveAll(runner, given, how);
          const { run } = await report(runner, 'moving-day', sent);
          deepEqual([kinds(run), run.score], [expected, score]);
        });
      }

      test('Capstones: what is extra, wrong or reported wrongly after moving day is named', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'moving-day');
        await runner.insist('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
        const [first, other, third, ...rest] = given.rows;
        const option = first.coverageOption === 'MTPL-1M' ? 'MTPL-3M' : 'MTPL-1M';
        const rows = [{ ...first, coverageOption: option }, other, third, ...rest];
        const sent = await moveAll(runner, { ...given, rows });
        const { [other.regNumber]: _, ...policies } = sent.policies;
        const makes = { ...sent.makes, [third.regNumber]: 'Nothing' };
        const refused = sent.refused.slice(1);
        const { run } = await report(runner, 'moving-day', { ...sent, policies, makes, refused });
        deepEqual([kinds(run), run.score], [{ wrong: 1, extra: 1, 'wrong-report': 3 }, 90]);
        for (const { kind, exchanges } of run.faults) ok(kind === 'extra' || exchanges.length >= 2, kind);
      });

      test('Capstones: a report of moving day that has another shape is told so', async () => {
        const runner = await newRunner(lplate);
        await start(runner, 'moving-day');
        for (let at = 0; at < 40; at += 1) await second(lplate);
        await runner.renew();
        const whole = { policies: {}, makes: {}, refused: [], events: [] };
        for (const answer of [
          null,
          [],
          {},
          { ...whole, makes: [] },
          { ...whole, refused: {} },
          { ...whole, events: [1] },
        ])
          match((await report(runner, 'moving-day', answer)).advice, /members policies and makes/);
        deepEqual(kinds((await report(runner, 'moving-day', whole)).run), {
          ...{ lost: 9, missing: 37, 'old-secret': 1, 'wrong-report': 3 },
        });
      });
    });

    describe('the broker’s app', () => {
      test('Capstones: an app that serves all who let it in, and only them, gets 100, and its people are gone after it', async () => {
        const runner = await newRunner(lplate);
        const listed = async () =>
          (await lplate.call('GET', '/range/v1/me/people', { token: runner.token })).json.items;
        const { given } = await start(runner, 'brokers-app');
        deepEqual([given.people.length, (await listed()).length], [10, 15]);
        const sent = await serveAll(runner, given);
        deepEqual([Object.keys(sent.policies).length, sent.refused.length], [6, 3]);
        const consents = () => lplate.call('GET', '/range/v1/me/consents', { token: runner.token });
        deepEqual((await consents()).json.items.map(({ endedBy }: { endedBy: string | null }) => endedBy).toSorted(), [
          ...Array(6).fill(null),
          'token-reused',
          'withdrawn',
        ]);
        const { correct, run } = await report(runner, 'brokers-app', sent);
        deepEqual([correct, run.faults, run.score], [true, [], 100]);
        deepEqual([(await listed()).length, (await consents()).json.totalItems], [5, 0]);
      });

      test('Capstones: the people of a run are gone with it and their tokens too, and the client’s own are as ever', async () => {
        const runner = await newRunner(lplate);
        const [ida] = await peopleOf(lplate, runner);
        const { given, number } = await start(runner, 'brokers-app');
        const drills = await lplate.call('GET', '/range/v1/me/drills', { token: runner.token });
        deepEqual(
          drills.json.items.map(({ name, startedBy }: { name: string; startedBy: string }) => [name, startedBy]),
          [['denied', 'capstone']],
        );
        const own = await tokensFor(lplate, runner, ida as TestPerson);
        const ofRun = await tokensFor(lplate, runner, given.people[0]);
        const read = ({ access_token: token }: { access_token: string }) => lplate.call('GET', '/policies', { token });
        deepEqual([(await read(own)).json.totalItems, (await read(ofRun)).json.totalItems], [3, 2]);
        await lplate.call('DELETE', `/range/v1/me/capstones/brokers-app/runs/${number}`, { token: runner.token });
        equal((await read(own)).status, 200);
        match(
          (await read(ofRun)).json.detail,
          /^The consent of this token is gone: .* the run of this person has ended/,
        );
        // The names of the next ten are others, so nobody sees policies of a run before.
        const next = await start(runner, 'brokers-app');
        equal((await read(await tokensFor(lplate, runner, next.given.people[0]))).json.totalItems, 2);
      });

      type Told = [kind: string, userName: string, detail: RegExp];
      const askedInstead = (userName: string): Told => [
        'asked-again',
        userName,
        /had let your app in, and you asked them again while that held/,
      ];
      const unread = (userName: string): Told => [
        'unserved',
        userName,
        /^You did not read the policies of .* after minute 62/,
      ];
      const careless: Record<string, [AppCarelessness, Told[]]> = {
        'leaves out one who refuses': [
          { leavesOut: 'elif' },
          [
            ['unserved', 'elif', /^Elif Yildiz 1 was not asked/],
            ['wrong-report', 'report', /^Who refused and refused of your report differ in 1 people/],
          ],
        ],
        'leaves out one who would let it in': [
          { leavesOut: 'kofi' },
          [['unserved', 'kofi', /^Kofi Mensah 1 would let your app in, and has not/]],
        ],
        'comes too late for what happens': [
          { lateBy: 26 },
          [
            ['unserved', 'dmitri', /^You had no refresh token of Dmitri Volkov 1 by second 25/],
            ['unserved', 'greta', /^Greta Holm 1 had not let your app in by second 20/],
          ],
        ],
        'reads nothing before the end': [
          { readsLate: true },
          [['unserved', 'greta', /^You did not read the policies of Greta Holm 1 while they let you/]],
        ],
        'asks one who refused again': [
          { asksRefuserAgain: 'bruno' },
          [['asked-again', 'bruno', /^Bruno Salgado 1 refused, and you asked them again/]],
        ],
        'asks people again in place of a refresh': [
          { neverRefreshes: true },
          [
            ...['amara', 'chiara', 'dmitri', 'farid', 'greta'].map(askedInstead),
            ['asked-again', 'greta', /^Greta Holm 1 changed their mind, and you asked them again/],
            ...['hiro', 'kofi'].map(askedInstead),
            ['not-dropped', 'greta', /^Greta Holm 1 changed their mind, and your report still has/],
          ],
        ],
        'exchanges a code twice': [
          { usesCodeTwice: 'hiro' },
          [['doubled', 'hiro', /^You exchanged a code of Hiro Tanaka 1 twice/]],
        ],
        'uses a refresh token twice': [
          { refreshesTwice: 'amara' },
          [
            ['unserved', 'amara', /^What Amara Okafor 1 allowed has ended \(token-reused\), and you did not ask/],
            ['doubled', 'amara', /^You used a refresh token of Amara Okafor 1 twice/],
          ],
        ],
        'calls on with the token of one who left': [
          { callsOn: true },
          [['after-the-end', 'greta', /^Greta Holm 1 changed their mind, and you called on with their token/]],
        ],
        'keeps what it has of one who left': [
          { keepsData: true },
          [['not-dropped', 'greta', /^Greta Holm 1 changed their mind, and your report still has their policies/]],
        ],
        'asks one who left again': [
          { asksWhoLeft: true },
          [
            ['asked-again', 'greta', /^Greta Holm 1 changed their mind, and you asked them again/],
            ['not-dropped', 'greta', /^Greta Holm 1 changed their mind, and your report still has their policies/],
          ],
        ],
        'does not ask one anew whose token was stolen': [
          { forgetsRobbed: true },
          [['unserved', 'dmitri', /^A thief used a refresh token of Dmitri Volkov 1/]],
        ],
        'stops when tokens expire': [
          { stopsAtExpiry: true },
          [
            ...['amara', 'chiara', 'dmitri', 'farid', 'hiro', 'kofi'].map(unread),
            ['after-the-end', 'greta', /^Greta Holm 1 changed their mind, and you called on with their token/],
            ['not-dropped', 'greta', /^Greta Holm 1 changed their mind, and your report still has their policies/],
          ],
        ],
      };
      for (const [what, [how, expected]] of Object.entries(careless)) {
        test(`Capstones: a broker’s app that ${what} is told so`, async () => {
          const runner = await newRunner(lplate);
          const { given } = await start(runner, 'brokers-app');
          const { run } = await report(runner, 'brokers-app', await serveAll(runner, given, how));
          const told = run.faults.map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject]);
          deepEqual(
            told,
            expected.map(([kind, subject]) => [kind, subject]),
          );
          for (const [at, [, , detail]] of expected.entries()) match(run.faults[at].detail, detail);
          const wrong = new Set(expected.map(([, subject]) => subject)).size;
          equal(run.score, Math.floor((100 * (11 - wrong)) / 11));
        });
      }

      test('Capstones: a report of the broker’s app that is not what it had, or has another shape, is told so', async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'brokers-app');
        const sent = await serveAll(runner, given);
        for (const answer of [null, [], {}, { ...sent, policies: [] }, { ...sent, policies: { amara: 'x' } }])
          match((await report(runner, 'brokers-app', answer)).advice, /members policies/);
        match((await report(runner, 'brokers-app', { ...sent, refused: [1] })).advice, /members policies/);
        const { amara = [], chiara: _, ...others } = sent.policies;
        const policies = { ...others, amara: amara.slice(1), bruno: ['pol-x'] };
        const { run } = await report(runner, 'brokers-app', { policies, refused: [...sent.refused, 'kofi'] });
        deepEqual(
          run.faults.map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject]),
          [
            ['not-dropped', 'bruno'],
            ['wrong-report', 'amara'],
            ['wrong-report', 'chiara'],
            ['wrong-report', 'report'],
          ],
        );
      });
    });
  });
});
