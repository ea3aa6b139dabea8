import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { badLine } from '../../../src/range/lessons/capstones/bad-line.ts';
import type { Evidence, Prepared } from '../../../src/range/lessons/capstones/capstone.ts';
import { monthEnd } from '../../../src/range/lessons/capstones/month-end.ts';
import { movingDay } from '../../../src/range/lessons/capstones/moving-day.ts';
import { nightJob } from '../../../src/range/lessons/capstones/night-job.ts';
import { nightShift } from '../../../src/range/lessons/capstones/night-shift.ts';
import { tooEarly } from '../../../src/range/lessons/capstones/run-view.ts';
import type { Run } from '../../../src/range/lessons/capstones/runs.ts';
import { scoreOf } from '../../../src/range/lessons/capstones/score.ts';
import { findVehicle } from '../../../src/vehicle-registry/index.ts';

const plan = { policiesBefore: 0, eventsBefore: 0, clockAtStart: 0 };
const nothing: Evidence = {
  startedAt: 0,
  policies: [],
  changes: [],
  claims: new Map(),
  entries: [],
  secretRenewedAt: undefined,
  consents: [],
  today: '2026-03-02',
  statement: undefined,
};

const entry = (id: string, more: object) =>
  ({
    id,
    at: 0,
    endedAt: 0,
    aheadSeconds: 0,
    events: [],
    sent: { headers: {}, text: '' },
    ...more,
  }) as unknown as Evidence['entries'][number];

const policy = (id: string, more: object = {}) => ({
  ...({ id, regNumber: id, holder: 'Old', coverageOption: 'MTPL-1M', status: 'updated', version: 1 } as const),
  ...{ endDate: '2026-03-31', updatedAt: '2026-03-01T00:00:00.000Z' },
  ...more,
});

const brief = (faults: readonly { kind: string; subject: string; exchanges: readonly string[] }[]) =>
  faults.map(({ kind, subject, exchanges }) => [kind, subject, ...exchanges].join(' '));

test('Capstones: a subject counts once in the score, whatever is wrong with it', () => {
  const fault = (subject: string) => ({ kind: 'lost' as const, subject, detail: '', exchanges: [] });
  equal(scoreOf([], 3), 100);
  equal(scoreOf([fault('a'), fault('a')], 4), 75);
  equal(scoreOf([fault('a'), fault('b')], 3), 33);
  equal(scoreOf([fault('a'), fault('b')], 1), 0);
});

test('Capstones: the night shift looks at the claims of its run, and names a stream that was open', () => {
  const change = (eventId: string, claimId: string, at = 5) =>
    ({ eventId, claimId, previousStatus: 'REGISTERED', newStatus: 'CLOSED', at }) as const;
  const run = { given: { claims: ['C-1'] }, plan };
  const evidence = {
    ...nothing,
    changes: [change('1', 'C-1'), change('2', 'C-2'), change('3', 'C-1', 11)],
    claims: new Map([['C-1', 'CLOSED'] as const]),
    entries: [
      entry('before', { at: 1, endedAt: 4, stream: {} }),
      entry('open', { at: 4, endedAt: 9, stream: {} }),
      entry('call', { at: 4, endedAt: 9 }),
      entry('after', { at: 6, endedAt: 9, stream: {} }),
    ],
  };
  equal(nightShift.parts(run, evidence), 3);
  const faults = nightShift.faults({ claims: { 'C-1': 'CLOSED' }, events: [] }, run, evidence);
  deepEqual(brief(faults), ['lost 1 open', 'lost 3']);
  match(faults[0]?.detail ?? '', /was sent to you/);
  const wrong = nightShift.faults({ claims: { 'C-1': 'APPROVED' }, events: ['3', '1', '3'] }, run, evidence);
  deepEqual(brief(wrong), ['doubled 3', 'out-of-order 3', 'wrong-state C-1'].toSorted());
});

test('Capstones: the month end looks at its fleet alone, and blames no update that was refused', () => {
  const run: Prepared<{ holder: string; newHolder: string }> = {
    given: { holder: 'Old', newHolder: 'New' },
    plan: { ...plan, due: ['p-0', 'p-1', 'p-2'], changed: ['p-2'] },
  };
  const fleet = Array.from({ length: 75 }, (_, at) => policy(`p-${at}`));
  fleet[0] = policy('p-0', { holder: 'New', version: 2 }) as never;
  fleet[1] = policy('p-1', { holder: 'New', version: 2, status: 'cancelled' }) as never;
  fleet[2] = policy('p-2', { holder: 'Falcon', version: 2 }) as never;
  const put = (id: string, path: string, status: number) =>
    entry(id, { call: 'PUT /insurer/v1/policies/:policyId', path: `/insurer/v1/policies/${path}`, status });
  const evidence = {
    ...nothing,
    policies: [...fleet, policy('later', { version: 5 })],
    entries: [
      put('refused', 'p-0', 412),
      entry('read', { call: 'GET /insurer/v1/policies/:policyId', path: '/insurer/v1/policies/p-0', status: 200 }),
    ],
  };
  equal(monthEnd.parts(run, evidence), 4);
  deepEqual(brief(monthEnd.faults({ updated: ['p-0', 'p-1'] }, run, evidence)), ['wrong p-1']);
  const overwritten = { ...evidence, policies: fleet.with(2, policy('p-2', { holder: 'New', version: 3 }) as never) };
  deepEqual(brief(monthEnd.faults({ updated: ['p-0', 'p-1', 'p-2'] }, run, overwritten)), [
    'wrong p-1',
    'overwritten p-2',
  ]);
});

test('Capstones: the bad line counts what is in force, also without a holder, and names the creates of each', () => {
  const run = { given: { orders: [{ holder: 'A', coverageOption: 'MTPL-1M' } as const] }, plan };
  const create = (id: string, text: string) =>
    entry(id, { call: 'POST /insurer/v1/policies', sent: { headers: {}, text } });
  const evidence = {
    ...nothing,
    policies: [
      policy('1', { holder: 'A' }),
      policy('2', { holder: 'A', status: 'cancelled' }),
      policy('3', { holder: null }),
      policy('4', { holder: 'B' }),
    ],
    entries: [create('a', '{"holder":"A"}'), create('b', '{"holder":"B"}'), create('none', '{}'), create('odd', '[1]')],
  };
  deepEqual(brief(badLine.faults({ policies: { A: '1' } }, run, evidence)), ['extra 3 none odd', 'extra 4 b']);
  deepEqual(brief(badLine.faults({ policies: {} }, run, evidence))[0], 'wrong-report A a');
});

test('Capstones: the night shift can be reported when its time has come and all has happened', () => {
  const run = { startedAt: '2026-03-02T10:15:30.000Z', steps: nightShift.schedule.length } as Run;
  const at = (seconds: number) => Date.parse(run.startedAt) + seconds * 1000;
  equal(tooEarly(run, nightShift, at(50)), undefined);
  match(tooEarly(run, nightShift, at(49)) ?? '', /in 1 s, at 2026-03-02T10:16:20\.000Z/);
  match(tooEarly({ ...run, steps: run.steps - 1 }, nightShift, at(60)) ?? '', /it is still on/);
  equal(tooEarly({ ...run, steps: 2 }, monthEnd, at(0)), undefined);
});

test('Capstones: moving day looks at what came in the run, by the clock of the client, and blames nobody for an answer that was cut', () => {
  const hour = 3_600_000;
  const given = { rows: [], codes: {}, claims: [] };
  const run = { given, plan: { ...plan, clockAtStart: hour } };
  const token = (id: string, at: number, more: object) =>
    entry(id, { call: 'POST /insurer/v1/auth/token', status: 200, problem: null, at, ...more });
  const soap = (id: string, at: number, more: object = {}) =>
    entry(id, {
      ...{ call: 'POST /vehicle-registry/v1', path: '/vehicle-registry/v1', status: 410, end: 'answered' },
      ...{ at, endedAt: at + 1, ...more },
    });
  const report = { policies: {}, makes: {}, refused: [], events: [] };
  const found = (secretRenewedAt: number | undefined, ...entries: Evidence['entries']) =>
    brief(movingDay.faults(report, run, { ...nothing, entries, secretRenewedAt }));
  const refused = { status: 401, problem: 'invalid-client' };
  deepEqual(found(hour - 1), ['old-secret secret']);
  deepEqual(found(undefined, token('late', 2 * hour, { secretUsed: 'before' })), ['old-secret secret']);
  deepEqual(
    found(
      hour,
      ...[token('past', hour - 1, refused), token('now', hour, refused)],
      ...[token('early', 2 * hour - 1, { secretUsed: 'before' }), token('new', 2 * hour, { secretUsed: 'new' })],
      token('late', hour + 5, { aheadSeconds: 3600, secretUsed: 'before' }),
    ),
    ['outage secret now', 'old-secret secret late'],
  );
  deepEqual(
    found(
      hour,
      ...[soap('past', 5), soap('cut', hour, { end: 'cut' }), soap('told', hour + 5), soap('beside', hour + 6)],
      ...[soap('again', hour + 7), soap('page', hour + 8, { call: 'GET /vehicle-registry/v1' })],
    ),
    ['after-the-end registry again'],
  );
});

test('Capstones: moving day compares vehicles as the register does, and policies of before with what they were', () => {
  const row = (regNumber: string, coverageOption = 'MTPL-1M') => ({ regNumber, holder: 'Old', coverageOption });
  const given = { rows: [row('AA-0001', 'OLD'), row('AA-0002')], codes: { OLD: 'MTPL-1M' }, claims: [] };
  const run = { given, plan: { ...plan, due: ['there'] } };
  const make = findVehicle('AA-0001')?.make as string;
  const report = { policies: { 'AA-0001': 'made' }, makes: { 'AA-0001': make }, refused: ['AA-0002'], events: [] };
  const there = policy('there', { regNumber: 'AA-0002', status: 'active' });
  const faults = (policies: Evidence['policies'], told: object = {}) =>
    brief(movingDay.faults({ ...report, ...told }, run, { ...nothing, policies, secretRenewedAt: 0 }));
  const made = policy('made', { regNumber: 'aa0001' });
  equal(movingDay.parts(run, nothing), 4);
  deepEqual(faults([there, made]), []);
  deepEqual(faults([there, policy('before', { regNumber: 'aa0001', status: 'cancelled' }), made]), []);
  deepEqual(faults([{ ...there, version: 2 }, made]), ['touched AA-0002']);
  deepEqual(faults([{ ...there, status: 'cancelled' }, made]), ['touched AA-0002']);
  deepEqual(faults([there, { ...made, holder: 'New' }]), ['wrong AA-0001']);
  deepEqual(faults([there, made], { refused: ['AA-0001', 'AA-0002'] }), ['wrong-report AA-0001']);
  deepEqual(faults([there, made], { policies: { ...report.policies, 'AA-0002': 'there' } }), ['wrong-report AA-0002']);
});

test('Capstones: the night job takes the statement of its run alone, and blames nobody for a log whose beginning is gone', () => {
  const given = {
    policies: 2000,
    nights: [{ fromSecond: 3, untilSecond: 11 }],
    statement: { month: '2026-03', format: 'csv-1252', currency: 'EUR' } as const,
  };
  const run = { given, plan: { ...plan, clockAtStart: Date.parse('2026-03-02T10:00:00Z') } };
  const premiums = { 'MTPL-1M': '1.00', 'MTPL-3M': '2.00', 'MTPL-6M': '3.00', 'MTPL-12M': '4.00' };
  const statement: NonNullable<Evidence['statement']> = {
    ...({ id: 'stm-1', status: 'completed', month: '2026-03', format: 'ndjson', currency: 'EUR' } as const),
    ...{ createdAt: '2026-03-02T10:00:00.000Z', completedAt: '2026-03-02T10:00:01.000Z' },
    sums: new Map(Object.entries(premiums)),
  };
  const list = (at: number, more: object = {}) =>
    entry('list', {
      ...{ call: 'GET /insurer/v1/policies', status: 200, end: 'answered', at, endedAt: at + 5 },
      ...more,
    });
  const found = (more: Partial<Evidence>, told = premiums) =>
    brief(
      nightJob.faults({ policies: {}, statement: { id: 'stm-1', premiums: told } }, run, {
        ...{ ...nothing, statement, entries: [list(3000)] },
        ...more,
      }),
    );
  const all = Object.keys(premiums).map((code) => `wrong-sum ${code}`);
  deepEqual(found({}), []);
  deepEqual(found({}, { ...premiums, 'MTPL-3M': '2.0' }), ['wrong-sum MTPL-3M']);
  deepEqual(found({ statement: undefined }), all);
  deepEqual(found({ statement: { ...statement, createdAt: '2026-03-02T09:59:59.999Z' } }), all);
  deepEqual(found({ statement: { ...statement, month: '2026-02' } }), all);
  deepEqual(found({ statement: { ...statement, currency: 'JPY' } }), all);
  for (const entries of [[], [list(2990)], [list(11_001)], [list(5000, { end: 'cut' })], [list(5000, { status: 401 })]])
    deepEqual(found({ entries }), ['skipped-night night 1']);
  deepEqual(found({ entries: Array.from({ length: 300 }, () => list(20_000)) }), []);
});
