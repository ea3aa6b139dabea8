/*
 * The file of a statement as it came, perhaps not all of it. Money is decimal text in it; it is added as whole numbers of
 * the smallest unit, so that nothing is lost.
 */
import type { Statement } from '../../api/types.ts';

type Format = Statement['format'];

/** A row, or what a trailer says of all. Amounts have a decimal point, whatever the file has. */
export interface FileRow {
  readonly policyNumber: string;
  readonly regNumber: string;
  readonly start: string;
  readonly end: string;
  readonly premium: string;
  readonly commission: string;
}

export interface FileTotals {
  readonly count: number;
  readonly premiums: string;
  readonly commissions: string;
}

export interface StatementFile {
  readonly rows: readonly FileRow[];
  /** Counted and added up from the rows. */
  readonly sums: FileTotals;
  /** Undefined where the file ends before it. */
  readonly trailer: FileTotals | undefined;
}

/** Reads a file. A last line that lacks its end is left out: nobody knows what it was to be. */
export function parseStatement(text: string, format: Format): StatementFile {
  const lines = text.split(/\r?\n/).slice(0, -1);
  const { rows, trailer } = format === 'ndjson' ? ofJson(lines) : ofCsv(lines, format);
  const premiums = sum(rows.map(({ premium }) => premium));
  const commissions = sum(rows.map(({ commission }) => commission));
  return { rows, trailer, sums: { count: rows.length, premiums, commissions } };
}

type Parsed = Omit<StatementFile, 'sums'>;

function ofCsv([_header, ...lines]: readonly string[], format: Format): Parsed {
  const amount = (field = '') => field.replace(',', '.');
  const records = lines.map((line) => line.split(format === 'csv' ? ',' : ';'));
  const last = records.find(([first]) => first === 'TRAILER');
  return {
    rows: records
      .filter((record) => record !== last)
      .map(([policyNumber = '', regNumber = '', _coverage, start = '', end = '', premium, commission]) => {
        return { policyNumber, regNumber, start, end, premium: amount(premium), commission: amount(commission) };
      }),
    trailer: last && { count: Number(last[1]), premiums: amount(last[2]), commissions: amount(last[3]) },
  };
}

function ofJson(lines: readonly string[]): Parsed {
  const objects = lines.map((line) => JSON.parse(line));
  const last = objects.find(({ trailer }) => trailer !== undefined)?.trailer;
  return {
    rows: objects
      .filter(({ trailer }) => trailer === undefined)
      .map(({ premium, commission, ...row }) => ({ ...row, premium: premium.amount, commission: commission.amount })),
    trailer: last && { ...last, premiums: last.premiums.amount, commissions: last.commissions.amount },
  };
}

/** The sum of amounts that have the same number of decimals. */
function sum(amounts: readonly string[]): string {
  const places = amounts[0]?.split('.')[1]?.length ?? 0;
  const units = amounts.reduce((all, amount) => all + BigInt(amount.replace('.', '')), 0n);
  if (places === 0) return String(units);
  const digits = String(units).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** In which figures others differ from the sums of the rows. Without rows no decimals are known, so amounts count as such. */
export function differences(sums: FileTotals, others: FileTotals): (keyof FileTotals)[] {
  const names = ['count', 'premiums', 'commissions'] as const;
  return names.filter((name) => sums[name] !== others[name] && !(isNothing(sums[name]) && isNothing(others[name])));
}

const isNothing = (figure: string | number) => /^[0.]+$/.test(String(figure));
