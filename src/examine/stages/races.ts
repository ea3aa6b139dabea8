import type { StageCalls, Step } from '../stage.ts';
import { cancel, insure, insureBy, list, newClient, read, update } from './policy-steps.ts';

/** The same call four times at once. */
const atOnce = (step: Step, open: readonly string[] = []): Step => ({ ...step, open, besides: [step, step, step] });

const car = { regNumber: '{plate1}' };
const ifTag = { 'If-Match': '{tag}' };
const tagged = (step: Step): Step => ({ ...step, keep: { ...step.keep, tag: 'header:ETag' } });
const change = tagged(update('ann', 'one', { holder: 'Ben Example' }, ifTag));
const claim: Step = {
  ...{ as: 'ann', method: 'POST', path: '/claims/v1/claims' },
  json: { policyNumber: '{one}', paceSeconds: 3600 },
};
const imported: Step = {
  ...{ as: 'ann', method: 'POST', path: '/insurer/v1/policy-imports' },
  ...{ headers: { 'Content-Type': 'application/x-ndjson' }, body: '{"regNumber":"AB 1"}\n' },
};

const keyed = (step: Step, key: number): Step => ({
  ...step,
  headers: { ...step.headers, 'Idempotency-Key': `"key-${key}"` },
});

/** What a repetition may be answered: while the first is carried out, or afterwards. */
const open = (status: number) => [`${status} replayed`, '409 request-in-progress'];

/** Only how many there are: in which order they came is not known. */
const count = (path: string): Step => ({ as: 'ann', method: 'GET', path: `${path}?page=50&pageSize=1` });

export const races: StageCalls = {
  reads: 'POST /insurer/v1/policies',
  cases: [
    {
      title: 'Of several policies for one vehicle at once, one is created.',
      steps: [...[1, 2, 3].map((plate) => atOnce(insureBy('ann', { regNumber: `{plate${plate}}` }))), list('ann')],
    },
    {
      title: 'So it is if two clients want to insure it.',
      steps: [
        { ...insureBy('ann', car), besides: ['ben', 'ann', 'ben'].map((as) => insureBy(as, car)) },
        insure('ann', 'two'),
      ],
    },
    {
      title: 'So it is for a vehicle whose policy was cancelled.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), atOnce(insureBy('ann', car))],
    },
    {
      title: 'Policies for several vehicles at once are all created.',
      steps: [
        ...[1, 5].map((first) => {
          const [step, ...besides] = [0, 1, 2, 3].map((at) => insureBy('ann', { regNumber: `{plate${first + at}}` }));
          return { ...(step as Step), besides };
        }),
        count('/insurer/v1/policies'),
      ],
    },
    {
      title: 'The same Idempotency-Key several times at once creates one policy.',
      steps: [
        ...[1, 2].map((plate) => atOnce(keyed(insureBy('ann', { regNumber: `{plate${plate}}` }), plate), open(201))),
        list('ann'),
      ],
    },
    {
      title: 'Of several changes with one ETag at once, one is made, and none is lost.',
      steps: [tagged(insure('ann', 'one')), atOnce(change), atOnce(change), read('ann', 'one')],
    },
    {
      title: 'Cancelling several times at once is the same as once.',
      steps: [insure('ann', 'one'), atOnce(cancel('ann', 'one')), read('ann', 'one')],
    },
    {
      title: 'Of several cancellations with one ETag at once, one is made.',
      steps: [tagged(insure('ann', 'one')), atOnce(cancel('ann', 'one', ifTag)), read('ann', 'one')],
    },
    {
      title: 'Claims at once have numbers of their own, and none is lost.',
      steps: [insure('ann', 'one'), atOnce(claim), count('/claims/v1/claims')],
    },
    {
      title: 'The same Idempotency-Key several times at once registers one claim.',
      steps: [insure('ann', 'one'), atOnce(keyed(claim, 1), open(201)), count('/claims/v1/claims')],
    },
    {
      title: 'The same Idempotency-Key several times at once imports once.',
      steps: [atOnce(keyed(imported, 1), open(202)), count('/insurer/v1/policy-imports')],
    },
    { title: 'Clients at once have credentials of their own.', steps: [atOnce({ ...newClient, keep: {} })] },
  ],
};
