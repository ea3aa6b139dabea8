import { array, constant, constantFrom } from 'fast-check';
import type { Action, StageCalls, Step } from '../stage.ts';
import { insure, narrowToken, read, withNarrow } from './policy-steps.ts';

const path = '/insurer/v1/policy-imports';
const ndjson = 'application/x-ndjson';

const lines = (...texts: readonly (string | object)[]) =>
  texts.map((text) => `${typeof text === 'string' ? text : JSON.stringify(text)}\n`).join('');

/** An import of these lines, whose id is kept as `job`. */
export const sendLines = (as: string, body: string, headers: Step['headers'] = {}): Step => ({
  ...{ as, method: 'POST', path, headers: { 'Content-Type': ndjson, ...headers }, body },
  keep: { job: '/id' },
});

export const readJob = (as: string): Step => ({ as, method: 'GET', path: `${path}/{job}` });
export const completed: Step = { ...readJob('ann'), wait: { for: 'value', place: '/status', is: 'completed' } };
const rows = (as: string, query = ''): Step => ({ as, method: 'GET', path: `${path}/{job}/rows${query}` });
const list = (as: string, query = ''): Step => ({ as, method: 'GET', path: `${path}${query}` });

const car = { regNumber: '{plate1}', holder: 'Ada Example' };
const other = { regNumber: '{plate2}' };
const bad = { regNumber: 'AB 1' };
const key = { 'Idempotency-Key': '"import"' };

/** Lines that were worked off. */
const worked = (body: string) => [sendLines('ann', body), completed];

/** How far the import of a row is. Before it is completed, its rows depend on when they are looked at. */
interface Model {
  isSent: boolean;
  isCompleted: boolean;
}

const lineOf = constantFrom<string | object>(
  car,
  other,
  bad,
  ' ',
  '{',
  { ...other, holder: '' },
  { ...car, coverageOption: 'MTPL-1M' },
);

const sendSome: Action<Model, (string | object)[]> = {
  given: array(lineOf, { minLength: 1, maxLength: 7 }),
  possible: ({ isSent }, given) => !isSent && given.some((line) => line !== ' '),
  take(model, given) {
    model.isSent = true;
    return sendLines('ann', lines(...given));
  },
};

const wait: Action<Model, null> = {
  given: constant(null),
  possible: ({ isSent, isCompleted }) => isSent && !isCompleted,
  take(model) {
    model.isCompleted = true;
    return completed;
  },
};

const lookAtRows: Action<Model, string> = {
  given: constantFrom('', '?status=created', '?status=refused', '?pageSize=2', '?pageSize=2&page=2'),
  possible: ({ isCompleted }) => isCompleted,
  take: (_model, query) => rows('ann', query),
};

export const imports: StageCalls = {
  reads: 'POST /insurer/v1/policy-imports',
  cases: [
    { title: 'An import is accepted: 202, with the address to ask at.', steps: [sendLines('ann', lines(car, other))] },
    { title: 'It is completed by itself.', steps: worked(lines(car, other)) },
    { title: 'Each line became a policy.', steps: [...worked(lines(car, other)), rows('ann')] },
    {
      title: 'The policy can be read.',
      steps: [...worked(lines(car)), { ...rows('ann'), keep: { one: '/items/0/policyId' } }, read('ann', 'one')],
    },
    {
      title: 'Its vehicle is insured then.',
      steps: [...worked(lines(car)), insure('ann', 'two')],
    },
    {
      title: 'A line that is refused has the problem that POST /policies would answer, and keeps no other from it.',
      steps: [
        ...worked(lines(bad, other, '{"regNumber":', '[]', { ...car, startDate: '{yesterday}' }, car)),
        rows('ann'),
      ],
    },
    { title: 'A vehicle is insured by its first line.', steps: [...worked(lines(car, other, car)), rows('ann')] },
    {
      title: 'A vehicle that is insured is refused.',
      steps: [insure('ben', 'one'), ...worked(lines(car)), rows('ann')],
    },
    {
      title: 'Blank lines are passed over, and count; the last one needs no end.',
      steps: [...worked(`\n${lines(car, ' ', bad)}\r\n${JSON.stringify(other)}`), rows('ann')],
    },
    {
      title: 'status finds the refused lines.',
      steps: [...worked(lines(car, bad, other)), rows('ann', '?status=refused')],
    },
    {
      title: 'Rows have pages.',
      steps: [
        ...worked(lines(car, bad, other)),
        rows('ann', '?page=2&pageSize=1'),
        rows('ann', '?status=created&pageSize=1'),
      ],
    },
    { title: 'status=done is refused.', steps: [sendLines('ann', lines(bad)), rows('ann', '?status=done')] },
    {
      title: 'Imports are listed, the oldest first.',
      steps: [...worked(lines(bad)), ...worked(lines(bad, bad)), list('ann')],
    },
    {
      title: 'An import of another client is not found: import-not-found.',
      steps: [sendLines('ann', lines(bad)), readJob('ben')],
    },
    { title: 'Nor are its rows.', steps: [sendLines('ann', lines(bad)), rows('ben')] },
    { title: 'Nor is it listed.', steps: [sendLines('ann', lines(bad)), list('ben')] },
    {
      title: 'An import that is not there is not found.',
      steps: [{ as: 'ann', method: 'GET', path: `${path}/imp-none` }],
    },
    {
      title: 'The same Idempotency-Key imports once.',
      steps: [sendLines('ann', lines(bad), key), completed, sendLines('ann', lines(bad), key), list('ann')],
    },
    {
      title: 'The key with other lines is refused.',
      steps: [sendLines('ann', lines(bad), key), { ...sendLines('ann', lines(bad, bad), key), keep: {} }],
    },
    {
      title: 'A body in JSON is refused with unsupported-media-type.',
      steps: [{ as: 'ann', method: 'POST', path, json: car }],
    },
    { title: 'A body of blank lines is refused.', steps: [sendLines('ann', '\n \n')] },
    { title: '1,001 lines are refused.', steps: [sendLines('ann', '{}\n'.repeat(1001))] },
    {
      title: 'It needs a token.',
      steps: [{ method: 'POST', path, headers: { 'Content-Type': ndjson }, body: lines(bad) }],
    },
    {
      title: 'It needs the scope policies:write.',
      steps: [
        ...narrowToken('policies:read'),
        { method: 'POST', path, headers: { 'Content-Type': ndjson, ...withNarrow }, body: lines(bad) },
      ],
    },
    {
      title: 'To read it needs the scope policies:read.',
      steps: [...narrowToken('policies:write'), { method: 'GET', path, headers: withNarrow }],
    },
    { title: 'It can’t be stopped.', steps: [sendLines('ann', lines(bad)), { ...readJob('ann'), method: 'DELETE' }] },
  ],
  random: {
    model: () => ({ isSent: false, isCompleted: false }),
    actions: [sendSome, wait, lookAtRows],
    rows: 4,
    most: 6,
  },
};
