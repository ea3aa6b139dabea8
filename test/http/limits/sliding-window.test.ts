import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SlidingWindow } from '../../../src/http/limits/sliding-window.ts';
import { bytesInUse } from '../../support/bytes-in-use.ts';

test('Limits, probe rate: five calls are admitted, the sixth within a minute is not', () => {
  const window = new SlidingWindow({ limit: 5 });
  const decisions = [0, 10_000, 20_000, 30_000, 40_000, 50_000].map((time) => window.admit('a', time));
  assert.deepEqual(decisions, [
    { admitted: true, limit: 5, remaining: 4, resetSeconds: 60 },
    { admitted: true, limit: 5, remaining: 3, resetSeconds: 50 },
    { admitted: true, limit: 5, remaining: 2, resetSeconds: 40 },
    { admitted: true, limit: 5, remaining: 1, resetSeconds: 30 },
    { admitted: true, limit: 5, remaining: 0, resetSeconds: 20 },
    { admitted: false, limit: 5, remaining: 0, resetSeconds: 10 },
  ]);
});

test('Limits, general rate: a slot is free exactly one minute after its call, and not before', () => {
  const window = new SlidingWindow({ limit: 1 });
  window.admit('a', 500.25);
  assert.deepEqual(window.admit('a', 60_500.24), { admitted: false, limit: 1, remaining: 0, resetSeconds: 1 });
  assert.deepEqual(window.admit('a', 60_500.25), { admitted: true, limit: 1, remaining: 0, resetSeconds: 60 });
});

test('Limits, general rate: a burst over the turn of a minute gets no second limit', () => {
  const window = new SlidingWindow({ limit: 60 });
  const late = Array.from({ length: 60 }, (_, at) => window.admit('a', 59_000 + at));
  assert(late.every(({ admitted }) => admitted));
  assert.equal(window.admit('a', 61_000).admitted, false);
});

test('Limits, general rate: refused calls do not count', () => {
  const window = new SlidingWindow({ limit: 2 });
  window.admit('a', 0);
  window.admit('a', 0);
  for (let time = 1; time < 60_000; time += 100) assert.equal(window.admit('a', time).admitted, false);
  assert.deepEqual(window.admit('a', 60_000), { admitted: true, limit: 2, remaining: 1, resetSeconds: 60 });
});

test('Limits, general rate: keys do not share a limit', () => {
  const window = new SlidingWindow({ limit: 1 });
  assert.equal(window.admit('a', 0).admitted, true);
  assert.equal(window.admit('b', 0).admitted, true);
  assert.equal(window.admit('a', 1).admitted, false);
});

/** The rule in its plainest form: all admitted calls are kept for ever, and counted anew for each call. */
class Model {
  readonly admitted = new Map<string, number[]>();
  readonly limit: number;
  readonly windowMs: number;
  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }
  admit(key: string, elapsed: number) {
    const times = this.admitted.get(key) ?? [];
    this.admitted.set(key, times);
    const inside = () => times.filter((time) => time + this.windowMs > elapsed);
    const admitted = inside().length < this.limit;
    if (admitted) times.push(elapsed);
    const oldest = Math.min(...inside());
    const resetSeconds = Math.ceil((oldest + this.windowMs - elapsed) / 1000);
    return { admitted, limit: this.limit, remaining: this.limit - inside().length, resetSeconds };
  }
}

// Quarters of a millisecond are exact, so that the model needs no care with rounding.
const pause = fc.oneof(fc.constant(0), fc.nat(8_000), fc.nat(80_000)).map((quarters) => quarters / 4);
const walks = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.constantFrom(1, 250, 1_000, 7_001, 60_000),
  calls: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), pause), { maxLength: 300, size: 'max' }),
});

test('Limits, general rate: the decisions are those of a plain list of times', () => {
  fc.assert(
    fc.property(walks, ({ limit, windowMs, calls }) => {
      const window = new SlidingWindow({ limit, windowMs });
      const model = new Model(limit, windowMs);
      let elapsed = 0;
      for (const [key, gap] of calls) {
        elapsed += gap;
        assert.deepEqual(window.admit(key, elapsed), model.admit(key, elapsed));
      }
      // In other words: from each admitted call on, no window holds more than the limit.
      for (const times of model.admitted.values()) {
        times.forEach((start, at) => {
          assert((times[at + limit] ?? Number.POSITIVE_INFINITY) - start >= windowMs);
        });
      }
    }),
    { numRuns: 500 },
  );
});

test('Limits, general rate: a call made after the announced seconds succeeds, to the last bit of the clock', () => {
  const time = fc.double({ min: 0, max: 200_000, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(time, { maxLength: 20 }), time, (limit, times, last) => {
      const window = new SlidingWindow({ limit });
      for (const at of times.filter((at) => at < last).sort((a, b) => a - b)) window.admit('a', at);
      const decision = window.admit('a', last);
      assert(Number.isInteger(decision.resetSeconds) && decision.resetSeconds >= 1);
      assert(decision.resetSeconds <= 61);
      const again = window.admit('a', last + decision.resetSeconds * 1000);
      assert.equal(again.admitted, true);
    }),
    { numRuns: 1_000 },
  );
});

test('Limits, general rate: a limit of a thousand million works, and costs nothing in advance', () => {
  const before = bytesInUse();
  const window = new SlidingWindow({ limit: 1e9 });
  for (let at = 0; at < 100_000; at += 1) assert.equal(window.admit('a', at).remaining, 1e9 - Math.min(at, 59_999) - 1);
  assert(bytesInUse() - before < 50_000_000);
});

test('Limits, general rate: the number of keys is bounded, and the key silent longest is forgotten first', () => {
  const window = new SlidingWindow({ limit: 1, maxKeys: 3 });
  for (const key of ['a', 'b', 'c']) window.admit(key, 0);
  assert.equal(window.admit('a', 1).admitted, false);
  window.admit('d', 2);
  assert.equal(window.keys, 3);
  assert.equal(window.admit('a', 3).admitted, false);
  assert.equal(window.admit('c', 3).admitted, false);
  assert.equal(window.admit('b', 3).admitted, true);

  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(200), { maxLength: 300 }), (maxKeys, names) => {
      const flooded = new SlidingWindow({ limit: 2, maxKeys });
      names.forEach((name, at) => {
        flooded.admit(`key ${name}`, at * 1_000);
        assert(flooded.keys <= maxKeys);
      });
    }),
  );
});

test('Limits, general rate: keys whose calls have left the window are forgotten, the others are not', () => {
  const window = new SlidingWindow({ limit: 2 });
  for (let at = 0; at < 2_500; at += 1) window.admit(`early ${at}`, at / 100);
  for (let at = 0; at < 100; at += 1) window.admit(`late ${at}`, 30_000);
  // A thousand at a time, so that no call waits for all of them.
  for (const [time, keys] of [
    [60_100, 1_601],
    [61_099, 1_601],
    [61_100, 601],
    [62_100, 101],
    [63_100, 101],
  ] as const) {
    window.admit('last', time);
    assert.equal(window.keys, keys);
  }
  for (let at = 0; at < 100; at += 1) assert.equal(window.admit(`late ${at}`, 64_000).remaining, 0);
});
