import type { StageCalls, Step } from '../stage.ts';
import { cancel, insure, list, update } from './policy-steps.ts';
import { createKeyed, emptyRegister, listPage } from './walk.ts';

/** A policy that is created with a key. */
const keyed = (as: string, key: string, json: unknown, keep?: Step['keep']): Step => ({
  as,
  method: 'POST',
  path: '/insurer/v1/policies',
  headers: { 'Idempotency-Key': key },
  json,
  ...(keep && { keep }),
});

const key = '"my-key"';
const car = { regNumber: '{plate1}', holder: 'Ada Example' };
const other = { regNumber: '{plate2}' };
const first = keyed('ann', key, car, { one: '/id' });

export const idempotency: StageCalls = {
  reads: 'POST /insurer/v1/policies',
  cases: [
    { title: 'The first request with a key creates a policy.', steps: [first] },
    { title: 'The same request again gets the same answer, with Idempotency-Replayed.', steps: [first, first] },
    {
      title: 'It created one policy.',
      steps: [keyed('ann', key, car), keyed('ann', key, car), list('ann')],
    },
    {
      title: 'A key with quotes and without is the same.',
      steps: [first, keyed('ann', 'my-key', car)],
    },
    {
      title: 'The order of the members makes no difference.',
      steps: [first, keyed('ann', key, { holder: car.holder, regNumber: car.regNumber })],
    },
    {
      title: 'The key with another vehicle is refused with idempotency-key-reused.',
      steps: [first, keyed('ann', key, other)],
    },
    {
      title: 'The key with another holder is refused too.',
      steps: [first, keyed('ann', key, { ...car, holder: 'Ben Example' })],
    },
    {
      title: 'A key that was refused for another body still gives its answer.',
      steps: [first, keyed('ann', key, other), first],
    },
    { title: 'Another key is another request.', steps: [first, keyed('ann', '"other-key"', car)] },
    { title: 'A key in capitals is another key.', steps: [first, keyed('ann', '"MY-KEY"', other)] },
    { title: 'The key of another client is another key.', steps: [first, keyed('ben', key, other)] },
    {
      title: 'The answer is that of the creation, also when the policy has changed.',
      steps: [first, update('ann', 'one', { holder: 'Ben Example' }), first],
    },
    {
      title: 'The answer is given again when the policy was cancelled, and nothing is created.',
      steps: [first, cancel('ann', 'one'), first, insure('ann', 'two')],
    },
    {
      title: 'A refusal is not kept: a body that is put right is carried out.',
      steps: [keyed('ann', key, { regNumber: 'AB {plate1}' }), first],
    },
    {
      title: 'A refusal for the vehicle is not kept: it can be insured once it is free.',
      steps: [insure('ann', 'before'), keyed('ann', key, car), cancel('ann', 'before'), keyed('ann', key, car)],
    },
    { title: 'A key can have 255 characters.', steps: [keyed('ann', 'k'.repeat(255), car)] },
    { title: 'A key in quotes can have blanks and commas.', steps: [keyed('ann', '"my, key"', car)] },
    ...[
      ['An empty key', '""'],
      ['A key of 256 characters', 'k'.repeat(256)],
      ['A key with a blank and no quotes', 'my key'],
      ['A key with one quote', '"key'],
    ].map(([what, wrong]) => ({ title: `${what} is refused.`, steps: [keyed('ann', wrong as string, car)] })),
    {
      title: 'What was refused for its key created nothing.',
      steps: [keyed('ann', 'my key', car), insure('ann', 'one')],
    },
  ],
  random: { model: emptyRegister, actions: [createKeyed, createKeyed, listPage], rows: 8, most: 8 },
};
