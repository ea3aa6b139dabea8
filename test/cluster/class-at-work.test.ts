import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { extent } from '../support/extent.ts';
import { startPostgres } from '../support/postgres.ts';
import { expectLockWaits } from '../support/server-log.ts';
import { ClassAtWork, type Measured, type Trainers } from './support/class-load.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

/*
 * What a trainer does for all must not hold up those who work. Learners work for some seconds without trainers, then for as
 * many with them, on the same nodes: so the same machine is measured with and without. TEST_EXTENT=full takes a minute for
 * each, has resets of all besides, and judges how long calls took: it wants a machine with nothing beside it.
 */

const seconds = extent(5, 60);
const inFull = extent(false, true);

/** Milliseconds that a call may take, and what a trainer does for all. */
const most = 1000;
const mostOfAll = 3000;

/** How many of the policies that are created without trainers are created with them, at least. */
const share = 0.8;

const move = 'move all clocks';
// One of them moves all the time, however long the others' calls take: many moves meet many learners.
const again: Trainers = { acts: [[move], [move, 'codes for all', 'look']], pauseMs: 500 };
const now: Trainers = { acts: [[move]], pauseMs: 10_000 };
const anew: Trainers = { acts: [[move], ['reset all', 'codes for all', 'look']], pauseMs: 2000 };

interface Scenario {
  readonly nodes: number;
  readonly learners: number;
  readonly trainers: Trainers;
  readonly what: string;
}

const scenarios: readonly Scenario[] = [
  ...extent([3], [1, 3]).flatMap((nodes) => [
    { nodes, learners: 40, trainers: again, what: 'two trainers move all clocks and ask for codes for all' },
    { nodes, learners: 200, trainers: now, what: 'a trainer moves all clocks every ten seconds' },
  ]),
  ...extent([], [{ nodes: 3, learners: 40, trainers: anew, what: 'two trainers reset all besides' }]),
];

const postgres = await shareServer(startPostgres);

for (const { nodes: count, learners, trainers, what } of scenarios) {
  const where = count === 1 ? 'one node' : `${count} nodes`;
  test(`Decisions, the range: on ${where}, ${learners} learners go on working while ${what}`, async (t) => {
    const limits = { RATE_LIMIT_PER_MINUTE: 'off', DEMO_CLIENTS_PER_DAY: '0', LOG_LEVEL: 'warn' };
    const url = await emptyDatabase(postgres);
    // Deadlocks are looked for below; a wait may be that of a machine with too much to do.
    await expectLockWaits(url);
    const nodes = await Nodes.start(t, url, limits, count);
    const work = await ClassAtWork.begin(nodes, postgres, learners);
    t.after(() => work.close());
    // What runs for the first time is slower.
    await work.work(1);
    const quiet = await work.work(seconds);
    t.diagnostic(`without trainers: ${quiet}`);
    const taught = await work.work(seconds, trainers);
    t.diagnostic(`with trainers: ${taught}`);
    for (const measured of [quiet, taught]) assertAnswered(measured);
    deepEqual(taught.deadlocks.slice(0, 1), [], `${taught.deadlocks.length} deadlocks`);
    // Beside other tests the time is theirs, too.
    if (inFull) equal(whatIsLate(taught, quiet), '');
  });
}

/** Each call did what it was for. What a reset of all takes away meanwhile is not there for the next call. */
function assertAnswered({ calls }: Measured): void {
  const refused = calls.filter(({ status }) => ![200, 201, 202, 204, 401, 404].includes(status));
  deepEqual(refused.slice(0, 5), [], `${refused.length} of ${calls.length} calls`);
}

/**
 * Which calls took too long, or that too few policies were created. As long as the machine itself stood still, or as the
 * slowest took without trainers, does not count.
 */
function whatIsLate(taught: Measured, quiet: Measured): string {
  const allowed = (limit: number) => Math.max(limit + taught.stall, 2 * quiet.within(0.999));
  const late = taught.calls.filter(({ what, ms }) => {
    const ofAll = what === move || what === 'reset all' || what === 'codes for all';
    return ms > allowed(ofAll ? mostOfAll : most);
  });
  if (late.length > 0) return `${late.length} of ${taught.calls.length} calls: ${JSON.stringify(late.slice(0, 5))}`;
  if (taught.policiesPerSecond >= share * quiet.policiesPerSecond) return '';
  return `${taught.policiesPerSecond} policies a second, and ${quiet.policiesPerSecond} without trainers`;
}
