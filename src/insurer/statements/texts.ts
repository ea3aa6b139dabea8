import Type from 'typebox';
import { FileConditions, fileHeaders, optionalFileHeaders } from '../../http/answers/served-file.ts';
import type { EndpointText } from '../../http/endpoint.ts';
import { IdempotencyKey } from '../../http/requests/idempotency-key.ts';
import { base } from '../route-texts.ts';
import { keptDays, keptPerClient, layouts, Statement, StatementDraft, StatementId } from './statement.ts';

const tags = ['Statements'];

const itsId = { parameters: { statementId: '$response.body#/id' } };

const noChange = 'A statement never changes. To have another one: POST /statements.';
const instead = {
  PUT: noChange,
  PATCH: noChange,
  POST: noChange,
  DELETE: `A statement goes by itself, after ${keptDays} days.`,
};

const exampleRow = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';

const content = (example: string) => ({
  schema: Type.String({ description: 'The rows, and a trailer at the end.', examples: [example] }),
});

const file = {
  content: {
    [layouts.csv.type]: content(
      `policy_number,reg_number,coverage,start,end,premium,commission,currency\r\n${exampleRow},AB-1234,MTPL-12M,2026-03-02,2027-03-01,31.00,3.88,EUR\r\nTRAILER,1,31.00,3.88\r\n`,
    ),
    [layouts['csv-1252'].type]: content(
      `policy_number;reg_number;coverage;start;end;premium;commission;currency\r\n${exampleRow};AB-1234;MTPL-12M;2026-03-02;2027-03-01;31,00;3,88;EUR\r\nTRAILER;1;31,00;3,88\r\n`,
    ),
    [layouts.ndjson.type]: content(
      `{"policyNumber":"${exampleRow}","regNumber":"AB-1234","coverage":"MTPL-12M","start":"2026-03-02","end":"2027-03-01","premium":{"amount":"31.00","currency":"EUR"},"commission":{"amount":"3.88","currency":"EUR"}}\n{"trailer":{"count":1,"premiums":{"amount":"31.00","currency":"EUR"},"commissions":{"amount":"3.88","currency":"EUR"}}}\n`,
    ),
  },
};

/** The shapes and texts of statements. */
export const texts = {
  makeStatement: {
    schema: {
      operationId: 'makeStatement',
      tags,
      summary: 'Make a statement of a month',
      description: `A file of the premiums and commissions of your policies whose cover touches the month, made in the background. \`Retry-After\` tells in how many seconds it will be completed, at most 60: then ask again. It is kept for ${keptDays} days then, or until there are ${keptPerClient} newer ones. Send an \`Idempotency-Key\` if you may have to repeat the request.`,
      headers: IdempotencyKey,
      body: StatementDraft,
      response: { 202: Statement },
    },
    success: 'The statement was accepted. Look at it again after the number of seconds in `Retry-After`.',
    headers: { Location: `${base}/statements/stm-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f` },
    optionalHeaders: ['Idempotency-Replayed', 'Retry-After'],
    example: { status: 'accepted', count: undefined, premiums: undefined, commissions: undefined, completedAt: null },
    otherNames: { period: 'month', date: 'month', type: 'format', filetype: 'format' },
    links: {
      readStatement: { operationId: 'readStatement', ...itsId, description: 'Whether it is completed can be read.' },
      readStatementContent: { operationId: 'readStatementContent', ...itsId, description: 'Then its file can be.' },
    },
    guesses: ['statement', 'reports', 'monthly-statements', 'commissions', 'premiums'],
    instead: { GET: 'Statements are not listed: keep the id that POST /statements answers.' },
  },
  readStatement: {
    schema: {
      operationId: 'readStatement',
      tags,
      summary: 'Read whether a statement is completed',
      description:
        'Until it is, `Retry-After` tells in how many seconds it will be, at most 60: then ask again. Compare its count and sums with those of the file.',
      params: StatementId,
      response: { 200: Statement },
    },
    success: 'The statement.',
    optionalHeaders: ['Retry-After'],
    guesses: ['statement/:statementId', 'statements/:statementId/status', 'reports/:statementId'],
    instead,
  },
  readStatementContent: {
    schema: {
      operationId: 'readStatementContent',
      tags,
      summary: 'Download the file of a statement',
      description:
        'With `Range` a part of it, so that a download that broke off can go on: send the `ETag` of the first part in `If-Range`. The last line is the trailer: without it the file is not whole. `Content-Digest` is of the bytes of this answer, `Repr-Digest` of the whole file.',
      params: StatementId,
      headers: FileConditions,
      response: { 200: file, 206: file, 304: {} },
    },
    success: 'The file.',
    headers: { ...fileHeaders, 'Content-Disposition': 'attachment; filename="statement-2026-03-EUR.csv"' },
    optionalHeaders: optionalFileHeaders,
    guesses: ['file', 'download', 'csv', 'rows'].map((end) => `statements/:statementId/${end}`),
    instead,
  },
} satisfies Record<string, EndpointText>;
