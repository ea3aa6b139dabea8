import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { FairPool, type Full, type Holder, type Place, type Shares } from '../src/fair-pool.ts';

/** A pool, and who holds places in it, as `address client`. */
function open(shares: Shares) {
  const pool = new FairPool(shares);
  const held: string[] = [];
  function take(holder: Holder, weight = 1, isBusy = false): Place | Full {
    const name = `${holder.address} ${holder.client}`;
    const end = () => void held.splice(held.indexOf(name), 1);
    const place = pool.take(holder, { end, isBusy: () => isBusy }, weight);
    if (typeof place === 'object') held.push(name);
    return place;
  }
  const of = (address: string, client = '') => held.filter((name) => name.startsWith(`${address} ${client}`)).length;
  return { pool, take, of };
}

test('Decisions, shares: an address gets half of a pool, a client what it may have, and whoever leaves makes room', () => {
  const { pool, take } = open({ all: 10, client: 3 });
  const places = [1, 2, 3].map(() => take({ address: 'a', client: 'one' }));
  equal(take({ address: 'a', client: 'one' }), 'client');
  take({ address: 'a', client: 'two' });
  take({ address: 'a', client: 'two' });
  equal(take({ address: 'a', client: 'two' }), 'address');
  (places[0] as Place).leave();
  (places[0] as Place).leave();
  ok(typeof take({ address: 'a', client: 'one' }) === 'object');
  deepEqual([pool.taken, pool.refused, pool.ended], [5, 2, 0]);
});

test('Decisions, shares: the first of a client is always admitted, however many somebody else has, of its address or another', () => {
  const { take, of } = open({ all: 100, client: 10 });
  for (let client = 0; client < 200; client += 1)
    for (let at = 0; at < 10; at += 1) take({ address: client % 2 ? 'a' : 'b', client: `flood-${client}` });
  equal(of('a') + of('b'), 100);
  for (const address of ['a', 'b', 'c', 'd'])
    for (const client of ['one', 'two']) {
      ok(typeof take({ address, client }) === 'object', `${address} ${client}`);
      equal(of(address, client), 1);
    }
  equal(of('a') + of('b') + of('c') + of('d'), 100);
});

test('Decisions, shares: a flood of any number of clients takes no place of who has less, and all get as much in the end', () => {
  const { take, of } = open({ all: 30, address: 30 });
  for (const client of ['one', 'two', 'three']) for (let at = 0; at < 2; at += 1) take({ address: 'class', client });
  for (let client = 0; client < 1000; client += 1) take({ address: 'flood', client: `${client}` });
  equal(of('class'), 6);
  equal(of('flood'), 24);
  for (let at = 0; at < 100; at += 1) take({ address: 'class', client: `${at % 3}` });
  equal(of('class'), 15);
});

test('Decisions, shares: who finds no place takes none from others', () => {
  const { pool, take, of } = open({ all: 1000, address: 300, grain: 1 });
  for (let at = 0; at < 12; at += 1) for (const client of ['x', 'z']) take({ address: 'a', client }, 10);
  const place = take({ address: 'a', client: 'y' }, 50);
  // It would have as much as others before there is room.
  equal(take({ address: 'a', client: 'y' }, 60), 'address');
  deepEqual([of('a', 'x'), of('a', 'z'), pool.taken, pool.ended, pool.refused], [12, 12, 290, 0, 1]);
  ok(typeof take({ address: 'a', client: 'y' }, 20) === 'object');
  deepEqual([of('a', 'x') + of('a', 'z'), pool.taken, pool.ended], [23, 300, 1]);
  (place as Place).leave();
  equal(pool.taken, 250);
});

test('Decisions, shares: what is busy keeps its place, the next one goes', () => {
  const { take, of } = open({ all: 4 });
  take({ address: 'a', client: 'one' }, 1, true);
  take({ address: 'a', client: 'one' });
  ok(typeof take({ address: 'a', client: 'two' }) === 'object');
  deepEqual([of('a', 'one'), of('a', 'two')], [1, 1]);
  const { take: takeBusy } = open({ all: 4, client: 3 });
  for (let at = 0; at < 2; at += 1) takeBusy({ address: 'a' }, 1, true);
  equal(takeBusy({ address: 'a' }, 1, true), 'address');
  ok(typeof takeBusy({ address: 'a', client: 'two' }, 1, true) === 'object', 'a first goes beyond the share');
  ok(typeof takeBusy({ address: 'b' }, 1, true) === 'object');
  equal(takeBusy({ address: 'c' }), 'all');
});

test('Decisions, shares: places that count as several are shared by what they hold', () => {
  const { pool, take, of } = open({ all: 1000, grain: 10 });
  for (let client = 0; client < 50; client += 1) take({ address: 'a', client: `${client}` }, 100);
  ok(pool.taken <= 500);
  for (let client = 0; client < 5; client += 1) take({ address: 'b', client: `${client}` }, 100);
  deepEqual([of('a'), of('b')], [5, 5]);
  ok(typeof take({ address: 'c' }, 300) === 'object');
  ok(pool.taken <= 1000);
});

test('Decisions, shares: however places come and go, no share is exceeded and nothing is left over', () => {
  const pool = new FairPool({ all: 50, address: 20, client: 5 });
  const places: Place[] = [];
  let ended = 0;
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let at = 0; at < 20_000; at += 1) {
    if (random(3) === 0) places.splice(random(places.length || 1), 1)[0]?.leave();
    else {
      const place = pool.take({ address: `${random(6)}`, client: `${random(30)}` }, { end: () => (ended += 1) });
      if (typeof place === 'object') places.push(place);
    }
    ok(pool.taken >= 0 && pool.taken <= 50);
  }
  equal(pool.ended, ended);
  for (const place of places) place.leave();
  equal(pool.taken, 0);
});
