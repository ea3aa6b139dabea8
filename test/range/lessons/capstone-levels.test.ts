import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../../support/lplate.ts';
import {
  keepCopy,
  kinds,
  moveAll,
  newRunner,
  type Runner,
  report,
  second,
  serveAll,
  standing,
  start,
} from './capstone.ts';

/** Lets the clock go from the start of a run to a second of it. */
async function until(lplate: LPlate, at: number): Promise<void> {
  for (let passed = 0; passed < at; passed += 1) await second(lplate);
}

/** Workers of a client, each with a token of its own. */
async function newWorkers(runner: Runner, count = 2): Promise<Runner[]> {
  const workers: Runner[] = [];
  for (let at = 0; at < count; at += 1) {
    const worker = await newRunner(runner.lplate, runner);
    await worker.renew();
    workers.push(worker);
  }
  return workers;
}

interface Shown {
  readonly levelTwo: { readonly conditions: readonly string[]; readonly reportFromSecond: number };
}

interface Order {
  readonly holder: string;
  readonly coverageOption: string;
}

/** Creates policies until all are there, or there are no calls any more. `life` tells one start of the program from another. */
async function createOrders(worker: Runner, orders: readonly Order[], disk: Map<string, string>, life = '') {
  for (const order of orders) {
    const name = order.holder.replace(/\W/g, '') + life;
    while (!disk.has(order.holder)) {
      const answer = await worker.send('POST', '/insurer/v1/policies', {
        json: { regNumber: `${worker.id.slice(-6)}${name}`, ...order },
        headers: { 'Idempotency-Key': name },
      });
      if (answer?.status === 429) return;
      if (answer?.status === 201) disk.set(order.holder, answer.json.id);
    }
  }
}

/** Updates the policies of a holder. Gives the ids that it updated. */
async function updatePolicies(worker: Runner, { holder, newHolder }: Record<string, string>, share: number) {
  const updated: string[] = [];
  const { json } = await worker.insist('GET', '/insurer/v1/policies?pageSize=500');
  const mine = json.items?.filter((each: { holder: string; status: string }, at: number) => {
    return at % 2 === share && each.holder === holder && ['active', 'updated'].includes(each.status);
  });
  for (const { id } of mine ?? []) {
    for (;;) {
      const read = await worker.insist('GET', `/insurer/v1/policies/${id}`);
      if (read.status !== 200) return updated;
      if (read.json.holder === newHolder) updated.push(id);
      if (read.json.holder !== holder) break;
      const headers = { 'If-Match': read.etag };
      await worker.send('PUT', `/insurer/v1/policies/${id}`, { json: { holder: newHolder }, headers });
    }
  }
  return updated;
}

/** What a worker of the night shift knows, and what it has processed. */
interface Shift {
  readonly after: string;
  readonly seen: ReadonlySet<string>;
  readonly claims: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** Reads what there is for a worker, once. */
async function read(worker: Runner, shift: Shift): Promise<Shift> {
  const path = `/claims/v1/topics/claims.status-changed?limit=200&after=${shift.after}`;
  const answer = await worker.send('GET', path);
  if (answer?.status === 401) {
    const { id: client_id, secret: client_secret } = worker;
    const token = await worker.send('POST', '/insurer/v1/auth/token', { json: { client_id, client_secret } });
    worker.token = token?.json.access_token ?? worker.token;
  }
  if (answer?.status !== 200) return shift;
  const [seen, claims, events] = [new Set(shift.seen), { ...shift.claims }, [...shift.events]];
  for (const { eventId, data } of answer.json.events) {
    if (!(data.claimId in claims) || seen.has(eventId)) continue;
    seen.add(eventId);
    events.push(eventId);
    claims[data.claimId] = data.newStatus;
  }
  return { after: answer.json.next, seen, claims, events };
}

/** A night of workers that share the claims. `crash` makes of what each knew what it knows after its new start. */
async function nightOf(
  runner: Runner,
  given: { claims: string[] },
  crash: (shift: Shift) => Shift,
  count = 2,
): Promise<{ claims: object; events: string[] }> {
  const workers = await newWorkers(runner, count);
  let shifts = workers.map((_, share): Shift => {
    const claims = given.claims.filter((__, at) => at % count === share).map((id) => [id, 'REGISTERED']);
    return { after: 'earliest', seen: new Set(), claims: Object.fromEntries(claims), events: [] };
  });
  for (let at = 1; at <= 50; at += 1) {
    await second(runner.lplate);
    if (at === 25) shifts = shifts.map(crash);
    for (const [share, worker] of workers.entries()) shifts[share] = await read(worker, shifts[share] as Shift);
  }
  await runner.renew();
  return {
    claims: Object.assign({}, ...shifts.map(({ claims }) => claims)),
    events: shifts.flatMap(({ events }) => events),
  };
}

const half = (items: readonly Order[], share: number) => items.filter((_, at) => at % 2 === share);

forEachEngineInFull((engine) => {
  describe('level 2 of capstones', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Capstones, level 2: two workers that know after a crash what they had begun get 100 on a bad line', async () => {
      const runner = await newRunner(lplate);
      const { given, level, reportFrom, startedAt } = await start(runner, 'bad-line', 2);
      deepEqual([level, Date.parse(reportFrom) - Date.parse(startedAt)], [2, 12_000]);
      const disk = new Map<string, string>();
      const work = async () => {
        for (const [share, worker] of (await newWorkers(runner)).entries())
          await createOrders(worker, half(given.orders, share), disk);
      };
      await work();
      ok(disk.size > 0 && disk.size < given.orders.length);
      await until(lplate, 10);
      const refused = await lplate.call('GET', '/policies', { token: runner.token });
      deepEqual(problem(refused), [401, 'invalid-token']);
      await until(lplate, 2);
      // What is left, one does.
      const [again] = await newWorkers(runner, 1);
      await createOrders(again as Runner, given.orders, disk);
      await runner.renew();
      const { correct, run } = await report(runner, 'bad-line', { policies: Object.fromEntries(disk) });
      deepEqual([correct, run.faults, run.score, run.level], [true, [], 100, 2]);
      const { bestScore, completedAt, levelTwo, runs } = await standing(runner, 'bad-line');
      deepEqual(
        [bestScore, completedAt, levelTwo.bestScore, levelTwo.completedAt, runs],
        [null, null, 100, run.endedAt, 1],
      );
      const { json } = await lplate.call('GET', '/range/v1/me/certificate', runner);
      const certified = { id: 'bad-line', title: 'The bad line', level: 2, completedAt: run.endedAt };
      deepEqual(json.certificate.capstones, [certified]);
    });

    test('Capstones, level 2: who begins again with new keys is told what is there twice, and that it was before the crash and after it', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'bad-line', 2);
      const before = new Map<string, string>();
      for (const [share, worker] of (await newWorkers(runner)).entries())
        await createOrders(worker, half(given.orders, share).slice(0, 2), before);
      await until(lplate, 12);
      const disk = new Map<string, string>();
      for (const [share, worker] of (await newWorkers(runner)).entries())
        await createOrders(worker, half(given.orders, share), disk, 'again');
      await runner.renew();
      const { run } = await report(runner, 'bad-line', { policies: Object.fromEntries(disk) });
      deepEqual([kinds(run), run.score], [{ doubled: 4 }, 75]);
      match(run.faults[0].detail, /have this holder\. Calls for it came before the crash and after it\.$/);
    });

    test('Capstones, level 2: who does each order in both workers is told so, and what nobody took over', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'bad-line', 2);
      const [first, other, ...rest] = given.orders;
      const disk = new Map<string, string>();
      for (const [at, worker] of (await newWorkers(runner)).entries())
        await createOrders(worker, [first], new Map(), `worker${at}`);
      const [one] = await newWorkers(runner, 1);
      // Its first call may be cut: then it is there, and nobody knows.
      await one?.send('POST', '/insurer/v1/policies', { json: { regNumber: 'no number', ...other } });
      await until(lplate, 12);
      for (const [share, worker] of (await newWorkers(runner)).entries())
        await createOrders(worker, half(rest, share), disk);
      await runner.renew();
      const { run } = await report(runner, 'bad-line', { policies: Object.fromEntries(disk) });
      deepEqual(kinds(run), { missing: 1, doubled: 1 });
      const [missing, doubled] = run.faults;
      match(missing.detail, /has this holder\. Calls for it came before the crash, and nobody took it over\.$/);
      match(doubled.detail, /have this holder\. Calls for it came before the crash, from both workers\.$/);
    });

    test('Capstones, level 2: one worker is told that it was alone, also when its second token only follows the first; after the crash it may be', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'bad-line', 2);
      const disk = new Map<string, string>();
      await createOrders(runner, given.orders.slice(0, 2), disk);
      await lplate.call('POST', '/range/v1/me/clock', { token: runner.token, json: { advance: 'PT61M' } });
      await runner.renew();
      await createOrders(runner, given.orders.slice(0, 3), disk);
      await until(lplate, 12);
      await runner.renew();
      await createOrders(runner, given.orders, disk);
      const { run } = await report(runner, 'bad-line', { policies: Object.fromEntries(disk) });
      deepEqual([kinds(run), run.score], [{ 'one-worker': 1 }, 93]);
      const [{ subject, detail, exchanges }] = run.faults;
      match(detail, /^No two tokens were in use at once before the crash\./);
      deepEqual([subject, exchanges.length], ['workers', 5]);
    });

    test('Capstones, level 2: two workers get 100 at the month end when they look after a crash at what is done', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'month-end', 2);
      const workers = await newWorkers(runner);
      await updatePolicies(workers[0] as Runner, given, 0);
      await updatePolicies(workers[1] as Runner, given, 1);
      await until(lplate, 12);
      const again = await newWorkers(runner);
      for (const [share, worker] of again.entries()) await updatePolicies(worker, given, share);
      const { json } = await (again[0] as Runner).insist('GET', '/insurer/v1/policies?pageSize=500');
      const done = json.items.filter(({ holder }: { holder: string }) => holder === given.newHolder);
      await runner.renew();
      const updated = done.map(({ id }: { id: string }) => id);
      const { run } = await report(runner, 'month-end', { updated });
      deepEqual([run.faults, run.score], [[], 100]);
    });

    test('Capstones, level 2: who reports at the month end only what it did after the crash is told so', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'month-end', 2);
      for (const [share, worker] of (await newWorkers(runner)).entries()) await updatePolicies(worker, given, share);
      await until(lplate, 12);
      const updated: string[] = [];
      for (const [share, worker] of (await newWorkers(runner)).entries())
        updated.push(...(await updatePolicies(worker, given, share)));
      await runner.renew();
      const { run } = await report(runner, 'month-end', { updated });
      deepEqual(kinds(run), { 'wrong-report': 1 });
      ok(run.score < 100);
    });

    const nights: Record<string, [(shift: Shift) => Shift, (counts: Record<string, number>) => void]> = {
      'that go on where they were get 100': [(shift) => shift, (counts) => deepEqual(counts, {})],
      'that begin with the first event again are told what is doubled': [
        (shift) => ({ ...shift, after: 'earliest', seen: new Set() }),
        (counts) => {
          ok((counts.doubled ?? 0) >= 5);
          equal(Object.keys(counts).length, 1);
        },
      ],
      'that go on with what comes are told what is lost': [
        (shift) => ({ ...shift, after: 'latest' }),
        (counts) => {
          ok((counts.lost ?? 0) >= 3, JSON.stringify(counts));
          ok(!counts.doubled && !counts['one-worker']);
        },
      ],
    };
    for (const [what, [crash, check]] of Object.entries(nights)) {
      test(`Capstones, level 2: two workers of the night shift ${what}`, async () => {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'night-shift', 2);
        const { run } = await report(runner, 'night-shift', await nightOf(runner, given, crash));
        check(kinds(run));
        equal(run.score === 100, run.faults.length === 0);
      });
    }

    test('Capstones, level 2: one worker of the night shift is told that it was alone', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'night-shift', 2);
      const { run } = await report(runner, 'night-shift', await nightOf(runner, given, (shift) => shift, 1));
      deepEqual(kinds(run), { 'one-worker': 1 });
    });

    test('Capstones, level 2: two workers of the night job that read the night again after the crash get 100', async () => {
      const runner = await newRunner(lplate);
      const { given } = await start(runner, 'night-job', 2);
      const [copier, adder] = await newWorkers(runner);
      const { run } = await report(
        ...([copier as Runner, 'night-job', await keepCopy(copier as Runner, given, {}, adder)] as const),
      );
      deepEqual([run.faults, run.score], [[], 100]);
    });

    test('Capstones, level 2: on moving day an import that is sent again with its key after the crash gets 100, and one that is begun anew does not', async () => {
      for (const [importsAnew, expected] of [
        [undefined, {}],
        [true, { 'wrong-report': 33 }],
      ] as const) {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'moving-day', 2);
        const [mover, follower] = await newWorkers(runner);
        const sent = await moveAll(mover as Runner, given, { ...(importsAnew && { importsAnew }) }, follower);
        await mover?.renew();
        const { run } = await report(mover as Runner, 'moving-day', sent);
        deepEqual(kinds(run), expected);
        equal(run.score === 100, !importsAnew);
      }
    });

    test('Capstones, level 2: a broker’s app that refreshes after the crash gets 100, and one that asks everybody again does not', async () => {
      for (const [neverRefreshes, expected] of [
        [undefined, {}],
        [true, { 'asked-again': 8, 'not-dropped': 1 }],
      ] as const) {
        const runner = await newRunner(lplate);
        const { given } = await start(runner, 'brokers-app', 2);
        const sent = await serveAll(runner, given, { ...(neverRefreshes && { neverRefreshes }) });
        const { run } = await report(runner, 'brokers-app', sent);
        deepEqual(kinds(run), expected);
        equal(run.score === 100, !neverRefreshes);
      }
    });

    test('Capstones, level 2: a level that is none is refused, and starts nothing', async () => {
      const runner = await newRunner(lplate);
      for (const level of ['0', '3', 'two', '']) {
        const path = `/range/v1/me/capstones/bad-line/runs?level=${level}`;
        const { status, json } = await lplate.call('POST', path, { token: runner.token });
        deepEqual([status, json.errors?.[0]?.parameter], [400, 'level'], level);
      }
      equal((await standing(runner, 'bad-line')).runs, 0);
    });

    test('Capstones, level 2: each capstone says what is harder, and when it can be reported', async () => {
      const { json } = await lplate.call('GET', '/range/v1/capstones');
      const crashes = json.items.map(({ levelTwo: { conditions, reportFromSecond } }: Shown) => {
        match(conditions[0] as string, /^Two workers/);
        return [Number(/At second (\d+) your program crashes/.exec(conditions[1] as string)?.[1]), reportFromSecond];
      });
      deepEqual(crashes, [
        [10, 12],
        [10, 12],
        [25, 50],
        [45, 92],
        [9, 40],
        [12, 35],
      ]);
    });
  });
});
