import type { StageCalls } from '../stage.ts';
import { insure, list } from './policy-steps.ts';
import { create, emptyRegister, listPage } from './walk.ts';

/** So many policies, and the list. */
const withPolicies = (count: number, query: string) => [
  ...Array.from({ length: count }, (_, at) => insure('ann', `policy${at + 1}`, `{plate1}-${at + 1}`)),
  list('ann', query),
];

export const listAndPages: StageCalls = {
  reads: 'GET /insurer/v1/policies',
  cases: [
    { title: 'Without policies the list is empty and has no pages.', steps: withPolicies(0, '') },
    { title: 'The list has a policy as it was created.', steps: withPolicies(1, '') },
    { title: 'The oldest is first.', steps: withPolicies(2, '') },
    {
      title: 'The list has nothing of other clients.',
      steps: [insure('ben', 'one'), list('ann')],
    },
    { title: 'The first page has as many as pageSize says.', steps: withPolicies(3, '?page=1&pageSize=2') },
    { title: 'The second page goes on after the first.', steps: withPolicies(3, '?page=2&pageSize=2') },
    { title: 'Link names prev and next of a page between others.', steps: withPolicies(3, '?page=2&pageSize=1') },
    { title: 'A page that is just full is the last.', steps: withPolicies(2, '?pageSize=2') },
    { title: 'A page after the last is empty.', steps: withPolicies(1, '?page=3&pageSize=1') },
    { title: 'page is 1 when it is left out, pageSize stays as it was sent.', steps: withPolicies(1, '?pageSize=7') },
    { title: 'pageSize is 20 when it is left out.', steps: withPolicies(1, '?page=2') },
    { title: 'pageSize can be 500.', steps: withPolicies(0, '?pageSize=500') },
    { title: 'page can be 1000000.', steps: withPolicies(0, '?page=1000000') },
    ...['page=0', 'page=-1', 'page=1000001', 'page=1.5', 'page=two', 'page=', 'page=1&page=2'].map((query) => ({
      title: `${query} is refused.`,
      steps: [list('ann', `?${query}`)],
    })),
    ...['pageSize=0', 'pageSize=501', 'pageSize=all'].map((query) => ({
      title: `${query} is refused.`,
      steps: [list('ann', `?${query}`)],
    })),
    { title: 'The list needs a token.', steps: [{ method: 'GET', path: '/insurer/v1/policies' }] },
    { title: 'A page has 20 policies when pageSize is left out.', steps: withPolicies(21, '') },
  ],
  random: { model: emptyRegister, actions: [create, create, listPage], rows: 8, most: 10 },
};
