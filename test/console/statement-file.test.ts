import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { differences, parseStatement } from '../../console/pages/policies/statement-file.ts';

const id = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
const csv = `policy_number,reg_number,coverage,start,end,premium,commission,currency\r\n${id},AB-1234,MTPL-12M,2026-03-02,2027-03-01,31.10,3.89,EUR\r\n${id},CD-5678,MTPL-12M,2026-03-02,2027-03-01,0.05,0.01,EUR\r\nTRAILER,2,31.15,3.90\r\n`;
const money = (amount: string) => ({ amount, currency: 'JPY' });
const total = { count: 2, premiums: '31.15', commissions: '3.90' };

test('Console, statements: each format is read to the same figures, and cents are added as whole numbers', () => {
  const read = parseStatement(csv, 'csv');
  deepEqual([read.sums, read.trailer], [total, total]);
  deepEqual(
    read.rows.map(({ regNumber, premium }) => [regNumber, premium]),
    [
      ['AB-1234', '31.10'],
      ['CD-5678', '0.05'],
    ],
  );
  deepEqual(parseStatement(csv.replaceAll(',', ';').replaceAll('.', ','), 'csv-1252'), read);
  const row = { policyNumber: id, regNumber: 'AB-1234', start: '2026-03-02', end: '2027-03-01' };
  const trailer = { count: 1, premiums: money('5053'), commissions: money('632') };
  const lines = [{ ...row, premium: money('5053'), commission: money('632') }, { trailer }];
  const {
    rows,
    sums,
    trailer: told,
  } = parseStatement(lines.map((each) => `${JSON.stringify(each)}\n`).join(''), 'ndjson');
  deepEqual(rows, [{ ...row, premium: '5053', commission: '632' }]);
  deepEqual([sums, told], Array(2).fill({ count: 1, premiums: '5053', commissions: '632' }));
});

test('Console, statements: of a file that ended early the rows that came whole are read, wherever it ended', () => {
  for (let end = 0; end < csv.length; end += 1) {
    const { rows, sums, trailer } = parseStatement(csv.slice(0, end), 'csv');
    deepEqual([rows.length, trailer], [Math.max(0, csv.slice(0, end).split('\n').length - 2), undefined]);
    deepEqual(sums.count, rows.length);
  }
});

test('Console, statements: it is told which figure differs; nothing is nothing in any currency', () => {
  deepEqual(differences(total, total), []);
  deepEqual(differences(total, { ...total, count: 3 }), ['count']);
  deepEqual(differences(total, { ...total, premiums: '31.16' }), ['premiums']);
  const none = { count: 0, premiums: '0', commissions: '0' };
  deepEqual(differences(none, { count: 0, premiums: '0.00', commissions: '0.000' }), []);
});
