import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { CoverageCode } from '../../../src/insurer/coverage-option.ts';
import { money, quotient } from '../../../src/insurer/statements/money.ts';
import { commissionOn, premiumOf } from '../../../src/insurer/statements/premium.ts';
import { touches } from '../../../src/insurer/statements/statement.ts';

test('Decisions, statements: a half is rounded to the even one of its neighbours, all else to the nearest', () => {
  const cases = [
    [0, 0],
    [3, 0],
    [4, 0],
    [5, 1],
    [8, 1],
    [12, 2],
    [20, 2],
    [28, 4],
    [27, 3],
    [29, 4],
    [3100, 388],
    [3092, 386],
  ] as const;
  for (const [premium, commission] of cases) equal(commissionOn(premium), commission, `${premium}`);
  equal(quotient(2 ** 53 - 1, 1), 2 ** 53 - 1);
});

test('Decisions, statements: money has the decimals of its currency, no more and no fewer', () => {
  deepEqual(
    [
      money(0, 'EUR'),
      money(5, 'EUR'),
      money(123_456, 'EUR'),
      money(0, 'JPY'),
      money(7, 'KWD'),
      money(12_345, 'KWD'),
    ].map(({ amount }) => amount),
    ['0.00', '0.05', '1234.56', '0', '0.007', '12.345'],
  );
});

test('Decisions, statements: a premium follows from engine, age and coverage, and is rounded once, in its currency', () => {
  const of = (startDate: string, coverageOption: CoverageCode, vehicle?: [string, number?]) => {
    const facts = vehicle && {
      firstRegDate: vehicle[0],
      ...(vehicle[1] !== undefined && { engineCapacityCcm: vehicle[1] }),
    };
    return (['EUR', 'JPY', 'KWD'] as const).map((each) => premiumOf({ startDate, coverageOption }, facts, each));
  };
  // 28.18 × 1.1 = 30.998; × 163 = 5,052.674; × 335 = 10,384.33
  deepEqual(of('2026-03-02', 'MTPL-12M', ['2022-12-19', 1318]), [3100, 5053, 10_384]);
  // 30.90 × 1.25 = 38.625: a half
  equal(of('2026-03-02', 'MTPL-12M', ['1984-10-19', 1590])[0], 3862);
  deepEqual(of('2026-03-02', 'MTPL-1M', ['2025-01-01']), [3250, 5298, 10_888]);
  deepEqual(of('2026-03-02', 'MTPL-6M'), [3745, 6104, 12_546]);
  const ages = ['2027-01-01', '2024-01-01', '2023-12-31', '2017-01-01', '2016-12-31'];
  deepEqual(
    ages.map((firstRegDate) => of('2026-03-02', 'MTPL-12M', [firstRegDate, 500])[0]),
    [2000, 2000, 2200, 2200, 2500],
  );
  equal(of('2026-03-02', 'MTPL-3M', ['2026-01-01', 500])[0], 2300);
});

test('Decisions, statements: a cover touches the months of its days; one that was cancelled before it began, none', () => {
  const policy = {
    status: 'active',
    startDate: '2026-02-28',
    endDate: '2026-04-01',
    updatedAt: '2026-01-01T00:00:00.000Z',
  } as const;
  const of = (change: object) =>
    ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'].filter((month) => touches(month, { ...policy, ...change }));
  deepEqual(of({}), ['2026-02', '2026-03', '2026-04']);
  deepEqual(of({ status: 'expired' }), ['2026-02', '2026-03', '2026-04']);
  const cancelled = (updatedAt: string) => of({ status: 'cancelled', updatedAt });
  deepEqual(cancelled('2026-02-28T23:59:59.999Z'), ['2026-02']);
  deepEqual(cancelled('2026-03-01T00:00:00.000Z'), ['2026-02', '2026-03']);
  deepEqual(cancelled('2026-02-27T23:59:59.999Z'), []);
  deepEqual(cancelled('2026-06-01T00:00:00.000Z'), ['2026-02', '2026-03', '2026-04']);
});
