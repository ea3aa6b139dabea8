import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns, type Waiting } from '../src/fair-turns.ts';

/** Whose turns come, of those who always have more to do. */
function take(turns: FairTurns, waiting: readonly Waiting[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const { value } = turns.inTurn(waiting).next();
    return value ? `${value.address} ${value.clientId}` : '';
  });
}

const of = (taken: readonly string[], name: string) => taken.filter((each) => each.startsWith(name)).length;

test('Decisions, shares: turns go by address, then by client, however many clients an address has and however much they have to do', () => {
  const flood = Array.from({ length: 50 }, (_, at) => ({ address: 'flood', clientId: `${at}` }));
  const others = [
    { address: 'class', clientId: 'one' },
    { address: 'class', clientId: 'two' },
    { address: 'home', clientId: 'three' },
  ];
  const taken = take(new FairTurns(), [...flood, ...flood, ...others], 300);
  deepEqual(
    ['flood', 'class', 'home', 'class one', 'class two'].map((name) => of(taken, name)),
    [100, 100, 100, 50, 50],
  );
  ok(flood.every(({ clientId }) => of(taken, `flood ${clientId}`) >= 1));
});

test('Decisions, shares: who was away has a few turns at once, and no more than others in the end', () => {
  const turns = new FairTurns();
  const hogs = ['a', 'b'].map((address) => ({ address, clientId: 'x' }));
  take(turns, hogs, 1000);
  const little = { address: 'little', clientId: 'y' };
  deepEqual(take(turns, [...hogs, little], 2), ['little y', 'little y']);
  ok(of(take(turns, [...hogs, little], 300), 'little') <= 105);
  // The same inside an address.
  const beside = { address: 'a', clientId: 'new' };
  const taken = take(turns, [{ address: 'a', clientId: 'x' }, beside], 10);
  deepEqual(taken.slice(0, 5), Array(5).fill('a new'));
});

test('Decisions, shares: all that waits comes in turn, that of one client in its order', () => {
  const waiting = [
    { address: 'a', clientId: 'one', at: 1 },
    { address: 'a', clientId: 'one', at: 2 },
    { address: 'a', clientId: 'two', at: 3 },
    { address: 'b', clientId: 'three', at: 4 },
  ];
  deepEqual(
    [...new FairTurns().inTurn(waiting)].map(({ at }) => at),
    [1, 4, 3, 2],
  );
  deepEqual([...new FairTurns().inTurn([])], []);
});
