import type { StageCalls } from '../stage.ts';
import { cancel, insure, list, update } from './policy-steps.ts';
import { cancelOne, create, emptyRegister, listFiltered, updateOne } from './walk.ts';

/** One policy that is active, and one that is updated. */
const two = [insure('ann', 'one'), insure('ann', 'two', '{plate2}'), update('ann', 'two', { holder: 'Ben Example' })];

export const filters: StageCalls = {
  reads: 'GET /insurer/v1/policies',
  cases: [
    { title: 'status=active finds what was not changed.', steps: [...two, list('ann', '?status=active')] },
    { title: 'status=updated finds what was changed.', steps: [...two, list('ann', '?status=updated')] },
    {
      title: 'status=cancelled finds what was cancelled.',
      steps: [...two.slice(0, 2), cancel('ann', 'one'), list('ann', '?status=cancelled')],
    },
    {
      title: 'status=active does not find what was cancelled.',
      steps: [...two.slice(0, 2), cancel('ann', 'one'), list('ann', '?status=active')],
    },
    { title: 'status=expired finds nothing here.', steps: [insure('ann', 'one'), list('ann', '?status=expired')] },
    {
      title: 'regNumber finds the policies of a vehicle.',
      steps: [...two.slice(0, 2), list('ann', '?regNumber={plate2}')],
    },
    {
      title: 'Case and dashes of regNumber make no difference.',
      steps: [
        insure('ann', 'one', 'AB-{plate1}'),
        insure('ann', 'two', '{plate2}'),
        list('ann', '?regNumber=ab{plate1}'),
      ],
    },
    {
      title: 'A part of a registration number finds nothing.',
      steps: [insure('ann', 'one'), list('ann', '?regNumber=EX')],
    },
    {
      title: 'regNumber finds the policies of a vehicle in all states.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), insure('ann', 'two'), list('ann', '?regNumber={plate1}')],
    },
    {
      title: 'Both have to fit.',
      steps: [...two, list('ann', '?status=active&regNumber={plate2}')],
    },
    {
      title: 'The vehicle of another client is not found.',
      steps: [insure('ben', 'one'), list('ann', '?regNumber={plate1}')],
    },
    {
      title: 'Pages, totals and links are of what was found.',
      steps: [...two.slice(0, 2), list('ann', '?status=active&pageSize=1')],
    },
    {
      title: 'The second page goes on with what was found.',
      steps: [...two, insure('ann', 'three', '{plate3}'), list('ann', '?status=active&page=2&pageSize=1')],
    },
    ...['status=open', 'status=Active', 'status=', 'status=active&status=updated'].map((query) => ({
      title: `${query} is refused.`,
      steps: [list('ann', `?${query}`)],
    })),
    ...['regNumber=', 'regNumber=EX%201', 'regNumber=--', `regNumber=${'X'.repeat(41)}`].map((query) => ({
      title: `${query} is refused.`,
      steps: [list('ann', `?${query}`)],
    })),
  ],
  random: {
    model: emptyRegister,
    actions: [create, create, updateOne, cancelOne, listFiltered, listFiltered],
    rows: 8,
    most: 12,
  },
};
