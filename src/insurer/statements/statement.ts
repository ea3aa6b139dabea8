/*
 * A statement of a month: what each policy whose cover touches it costs, and the commission on that, as a file. It is
 * `accepted` until its file is made, then `completed` for good: the file never changes.
 */
import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';
import type { Policy } from '../policy.ts';
import { currencyCode, type Money, Money as MoneySchema, money } from './money.ts';

/** Policies of a client that may have statements, and so rows of one, at most. */
export const maxRows = 10_000;

/** Days of the client's clock for which a statement is kept once it is completed. */
export const keptDays = 7;

/** Statements of one client that are kept. */
export const keptPerClient = 20;

const formats = ['csv', 'csv-1252', 'ndjson'] as const;
export type Format = (typeof formats)[number];

const formatName = enumeration('StatementFormat', formats, 'The formats of a statement.');
const statementStatus = enumeration('StatementStatus', ['accepted', 'completed'], 'The states of a statement.');

const aFormat =
  'csv: commas, decimal points, UTF-8 (RFC 4180). csv-1252: semicolons, decimal commas, windows-1252. ndjson: a JSON object a line.';

const draft = {
  month: Type.String({
    pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
    description: 'The month, YYYY-MM: this one (UTC) or one before it.',
    examples: ['2026-03'],
  }),
  format: formatName(aFormat, 'csv'),
};

const aCurrency = 'The currency of all amounts, by fixed rates: 1 EUR is 163 JPY or 0.335 KWD.';

export const StatementDraft = Type.Object(
  { ...draft, currency: Type.Optional(currencyCode(aCurrency, 'EUR', { default: 'EUR' })) },
  { $id: 'StatementDraft', description: 'Which statement is to be made.' },
);

const moment = (description: string) => ({
  format: 'date-time',
  description,
  examples: ['2026-03-02T10:15:30.000Z'],
});

const later = 'Absent until it is completed.';

export const Statement = Type.Object(
  {
    id: Type.String({
      pattern: '^stm-',
      description: 'Identifies the statement; begins with stm-.',
      examples: ['stm-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
    }),
    status: statementStatus('completed is final: the file is there, and never changes.', 'completed'),
    ...draft,
    currency: currencyCode(aCurrency, 'EUR'),
    count: Type.Optional(Type.Integer({ minimum: 0, description: `Policies in the file. ${later}`, examples: [1] })),
    premiums: Type.Optional(MoneySchema),
    commissions: Type.Optional(MoneySchema),
    createdAt: Type.String(moment('When the statement was accepted.')),
    completedAt: Type.Unsafe<string | null>({
      ...moment('When its file was made; null until then.'),
      type: ['string', 'null'],
    }),
  },
  {
    $id: 'Statement',
    description: `A statement of a month. premiums and commissions are the sums of the rows. ${later}`,
  },
);

export const StatementId = Type.Object({
  statementId: Type.String({ description: 'The id of one of your statements; it begins with stm-.' }),
});

export type StatementDraft = Static<typeof StatementDraft>;
export type Statement = Static<typeof Statement>;

/** What is made of one policy. */
interface Row {
  readonly policy: Pick<Policy, 'id' | 'regNumber' | 'coverageOption' | 'startDate' | 'endDate'>;
  /** Both in the smallest unit of the currency. */
  readonly premium: number;
  readonly commission: number;
}

/** The sums are of the rows, in the smallest unit of the currency. */
export interface Totals {
  readonly count: number;
  readonly premiums: number;
  readonly commissions: number;
}

/** Tells whether an id has the form of ours. */
export function isStatementId(id: string): boolean {
  return /^stm-[0-9a-f-]{36}$/.test(id);
}

/** What is wrong with a month on a day: it has not begun. */
export function monthFault(sent: object, today: string): string | undefined {
  const { month } = sent as { month?: unknown };
  const latest = today.slice(0, 7);
  if (typeof month !== 'string' || !/^\d{4}-\d\d$/.test(month) || month <= latest) return undefined;
  return `must be ${latest} (this month, UTC) or one before it, not ${month}.`;
}

/** Tells whether the cover of a policy touches a month (`YYYY-MM`). That of a cancelled one ends on the day when it was. */
export function touches(
  month: string,
  { status, startDate, endDate, updatedAt }: Pick<Policy, 'status' | 'startDate' | 'endDate' | 'updatedAt'>,
): boolean {
  const cancelled = updatedAt.slice(0, 10);
  const last = status === 'cancelled' && cancelled < endDate ? cancelled : endDate;
  return startDate <= last && startDate.slice(0, 7) <= month && month <= last.slice(0, 7);
}

interface Layout {
  readonly type: string;
  readonly extension: string;
  readonly header: string;
  row(row: Row, currency: Money['currency']): string;
  trailer(totals: Totals, currency: Money['currency']): string;
  /** The coverage and the premium of a row, as decimal text with a point. */
  premium(line: string): readonly [coverage: string, amount: string];
}

const columns = ['policy_number', 'reg_number', 'coverage', 'start', 'end', 'premium', 'commission', 'currency'];

/** No field has a separator, a quote or a line end in it, so none needs quotes. */
function csv(charset: string, separator: string, decimal: string): Layout {
  const line = (fields: readonly (string | number)[]) => `${fields.join(separator)}\r\n`;
  const amount = (units: number, currency: Money['currency']) => money(units, currency).amount.replace('.', decimal);
  return {
    type: `text/csv; charset=${charset}`,
    extension: 'csv',
    header: line(columns),
    row({ policy: { id, regNumber, coverageOption, startDate, endDate }, premium, commission }, currency) {
      const amounts = [amount(premium, currency), amount(commission, currency), currency];
      return line([id, regNumber, coverageOption, startDate, endDate, ...amounts]);
    },
    trailer: ({ count, premiums, commissions }, currency) =>
      line(['TRAILER', count, amount(premiums, currency), amount(commissions, currency)]),
    premium(text) {
      const fields = text.split(separator);
      const of = (column: string) => fields[columns.indexOf(column)] ?? '';
      return [of('coverage'), of('premium').replace(decimal, '.')];
    },
  };
}

/** All that stands in a file is ASCII, whose bytes are the same in UTF-8 and windows-1252. */
export const layouts: Readonly<Record<Format, Layout>> = {
  csv: csv('utf-8', ',', '.'),
  'csv-1252': csv('windows-1252', ';', ','),
  ndjson: {
    type: 'application/x-ndjson',
    extension: 'ndjson',
    header: '',
    row({ policy, premium, commission }, currency) {
      const { id: policyNumber, regNumber, coverageOption: coverage, startDate: start, endDate: end } = policy;
      const amounts = { premium: money(premium, currency), commission: money(commission, currency) };
      return `${JSON.stringify({ policyNumber, regNumber, coverage, start, end, ...amounts })}\n`;
    },
    trailer({ count, premiums, commissions }, currency) {
      const sums = { premiums: money(premiums, currency), commissions: money(commissions, currency) };
      return `${JSON.stringify({ trailer: { count, ...sums } })}\n`;
    },
    premium(text) {
      const { coverage, premium }: { coverage: string; premium: Money } = JSON.parse(text);
      return [coverage, premium.amount];
    },
  },
};
