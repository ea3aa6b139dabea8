import { makeStatement } from '../support/statement.ts';
import type { Learner, Mistake } from './mistake.ts';

const post = (json: object) => ({ send: ({ call }: Learner) => call('POST', '/statements', { json }), status: 400 });

/** Statements of months, and their files. */
export const statements: readonly Mistake[] = [
  {
    title: 'a statement of a month that has not begun',
    ...post({ month: '2026-04', format: 'csv' }),
    says: ['must be 2026-03 (this month, UTC) or one before it, not 2026-04.'],
  },
  {
    title: 'a day in place of a month',
    ...post({ month: '2026-03-02', format: 'csv' }),
    says: ['YYYY-MM'],
  },
  {
    title: 'a format that there is not',
    ...post({ month: '2026-03', format: 'excel' }),
    says: ['csv', 'csv-1252', 'ndjson'],
  },
  {
    title: 'the period in place of the month',
    ...post({ period: '2026-03', format: 'csv' }),
    says: ['Did you mean month?'],
  },
  {
    title: 'a list of statements',
    send: ({ call }) => call('GET', '/statements'),
    status: 405,
    says: ['Statements are not listed: keep the id'],
  },
  {
    title: 'a month in place of the id of a statement',
    send: ({ call }) => call('GET', '/statements/2026-03'),
    status: 404,
    says: ['It is a month. Send it with POST /statements'],
  },
  {
    title: 'the id of a policy in place of that of a statement',
    send: ({ call, policyId }) => call('GET', `/statements/${policyId}/content`),
    status: 404,
    says: ['It is the id of a policy.', /\/problems\/statement-not-found/],
  },
  {
    title: 'the file of a statement before it is completed',
    async send({ call }) {
      const drill = '/range/v1/me/drills';
      await call('POST', drill, { json: { name: 'late-statement' } });
      const { json } = await call('POST', '/statements', { json: { month: '2026-03', format: 'csv' } });
      await call('DELETE', `${drill}/late-statement`);
      return call('GET', `/statements/${json.id}/content`);
    },
    status: 409,
    says: ['is not completed', 'tells in Retry-After when to ask again'],
  },
  {
    title: 'the rest of a file that one has whole',
    async send({ call, lplate, token }) {
      const id = await makeStatement(lplate, token);
      return call('GET', `/statements/${id}/content`, { headers: { Range: 'bytes=1000000-' } });
    },
    status: 416,
    says: [/content-range: bytes \*\/\d+/, 'If you have as many, you have all of it.'],
  },
  {
    title: 'the file at another name',
    send: ({ call }) => call('GET', '/statements/stm-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f/download'),
    status: 404,
    says: ['Did you mean GET /insurer/v1/statements/{statementId}/content?'],
  },
];
