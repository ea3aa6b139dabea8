import type { Stage } from '../stage.ts';
import { cancel, insure, list, update } from './steps.ts';
import { cancelOne, create, emptyRegister, listFiltered, updateOne } from './walk.ts';

/** One policy that is active, and one that is updated. */
const two = [
  insure('cara', 'one'),
  insure('cara', 'two', 'plateOther'),
  update('cara', 'two', { holder: 'Ben Example' }),
];

export const filters: Stage = {
  name: 'filters',
  goal: 'You list only the policies with a status or of a vehicle, and pages and links are of what was found.',
  reads: 'GET /insurer/v1/policies',
  lessons: ['find-one'],
  cases: [
    { title: 'status=active finds what was not changed.', steps: [...two, list('cara', '?status=active')] },
    { title: 'status=updated finds what was changed.', steps: [...two, list('cara', '?status=updated')] },
    {
      title: 'status=cancelled finds what was cancelled.',
      steps: [...two.slice(0, 2), cancel('cara', 'one'), list('cara', '?status=cancelled')],
    },
    {
      title: 'status=active does not find what was cancelled.',
      steps: [...two.slice(0, 2), cancel('cara', 'one'), list('cara', '?status=active')],
    },
    { title: 'status=expired finds nothing here.', steps: [insure('cara', 'one'), list('cara', '?status=expired')] },
    {
      title: 'regNumber finds the policies of a vehicle.',
      steps: [...two.slice(0, 2), list('cara', '?regNumber=EX-{plateOther}')],
    },
    {
      title: 'Case and dashes of regNumber make no difference.',
      steps: [...two.slice(0, 2), list('cara', '?regNumber=ex{plate}')],
    },
    {
      title: 'A part of a registration number finds nothing.',
      steps: [insure('cara', 'one'), list('cara', '?regNumber=EX')],
    },
    {
      title: 'regNumber finds the policies of a vehicle in all states.',
      steps: [
        insure('cara', 'one'),
        cancel('cara', 'one'),
        insure('cara', 'two'),
        list('cara', '?regNumber=EX-{plate}'),
      ],
    },
    {
      title: 'Both have to fit.',
      steps: [...two, list('cara', '?status=active&regNumber=EX-{plateOther}')],
    },
    {
      title: 'The vehicle of another client is not found.',
      steps: [insure('ben', 'one'), list('cara', '?regNumber=EX-{plate}')],
    },
    {
      title: 'Pages, totals and links are of what was found.',
      steps: [...two.slice(0, 2), list('cara', '?status=active&pageSize=1')],
    },
    {
      title: 'The second page goes on with what was found.',
      steps: [...two, insure('cara', 'three', 'plateThird'), list('cara', '?status=active&page=2&pageSize=1')],
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
