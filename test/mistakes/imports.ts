import { until } from '../support/until.ts';
import type { Learner, Mistake } from './mistake.ts';

const post = (body: string, type = 'application/x-ndjson') => ({
  send: ({ call }: Learner) => call('POST', '/policy-imports', { body, headers: { 'Content-Type': type } }),
});

/** What the rows say of lines that were accepted. */
const rows = (body: string) => ({
  async send(learner: Learner) {
    const { json } = await post(body).send(learner);
    const path = `/policy-imports/${json.id}`;
    await until(async () => (await learner.call('GET', path)).json.status === 'completed', 'the import is completed');
    return learner.call('GET', `${path}/rows`);
  },
  status: 200,
});

const type = 'Send it as application/x-ndjson.';

/** Imports of policies. */
export const imports: readonly Mistake[] = [
  {
    title: 'an import that is a JSON array, as application/json',
    ...post('[{"regNumber":"IM-1"}]', 'application/json'),
    status: 415,
    says: ['The body was sent as application/json.', type, 'one JSON object a line, without [] around them and commas'],
  },
  { title: 'an import that is CSV', ...post('regNumber\nIM-1\n', 'text/csv'), status: 415, says: [type] },
  {
    title: 'an import without a line',
    ...post(''),
    status: 400,
    says: ['Send one JSON object a line', 'application/x-ndjson', /such as \{.*regNumber/],
  },
  {
    title: 'an import with too many lines',
    ...post('{}\n'.repeat(1001)),
    status: 400,
    says: ['The body has 1001 lines, and the limit is 1000.'],
  },
  { title: 'an import that is a JSON array, as NDJSON', ...rows('[{"regNumber":"IM-2"}]'), says: ['not an array'] },
  {
    title: 'an import with one object over several lines',
    ...rows('{\n"regNumber": "IM-3"\n}'),
    says: [/"line":1,.*malformed-json/, /"line":3,/, 'objects over several lines: write each on one line'],
  },
  {
    title: 'an import with a comma after each line',
    ...rows('{"regNumber":"IM-4"},\n'),
    says: ['The body is not JSON.'],
  },
  {
    title: 'an import whose lines a shell joined',
    ...rows('{"regNumber":"IM-5"}{"regNumber":"IM-6"}'),
    says: ['Line 1, column 21: a second value begins', 'with curl by --data-binary'],
  },
  {
    title: 'an import that curl sent with -d',
    ...post('{"regNumber":"IM-5"}', 'application/x-www-form-urlencoded'),
    status: 415,
    says: [type, '--data-binary'],
  },
  {
    title: 'NDJSON in place of one policy',
    send: ({ call }: Learner) =>
      call('POST', '/policies', { body: '{}\n{}', headers: { 'Content-Type': 'application/x-ndjson' } }),
    status: 415,
    says: ['Send it as application/json.', 'Several at once: POST /policy-imports, one JSON object a line'],
  },
  {
    title: 'several lines as JSON in place of one policy',
    send: ({ call }: Learner) =>
      call('POST', '/policies', { body: '{}\n{}', headers: { 'Content-Type': 'application/json' } }),
    status: 400,
    says: ['a second value begins', 'Several at once: POST /policy-imports'],
  },
  {
    title: 'an array in place of one policy',
    send: ({ call }: Learner) => call('POST', '/policies', { json: [{ regNumber: 'IM-7' }] }),
    status: 400,
    says: ['not an array', 'Several at once: POST /policy-imports'],
  },
  {
    title: 'an import that is gone',
    send: ({ call }) => call('GET', '/policy-imports/imp-none'),
    status: 404,
    says: [/\/problems\/import-not-found/, 'GET /policy-imports lists your imports'],
  },
  {
    title: 'the id of a policy in place of that of an import',
    send: ({ call, policyId }) => call('GET', `/policy-imports/${policyId}`),
    status: 404,
    says: ['It is the id of a policy.'],
  },
];
