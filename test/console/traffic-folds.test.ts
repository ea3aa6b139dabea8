import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { ExchangeSummary } from '../../console/api/types.ts';
import { folded } from '../../console/model/traffic-folds.ts';

const call = (id: string, status = 200) => ({ id, status }) as ExchangeSummary;
const attempt = (id: string, subscriptionId: string, status: number) =>
  ({ id, status, delivery: { subscriptionId } }) as ExchangeSummary;

test('Console, traffic: attempts of one webhook that fail one after the other are one row, up to one that succeeds', () => {
  const all = [
    attempt('5', 'a', 0),
    call('other', 409),
    attempt('4', 'a', 503),
    attempt('b1', 'b', 500),
    attempt('3', 'a', 204),
    attempt('2', 'a', 302),
    attempt('1', 'a', 0),
  ];
  deepEqual(
    folded(all).map((fold) => fold.map(({ id }) => id)),
    [['5', '4'], ['other'], ['b1'], ['3'], ['2', '1']],
  );
});
