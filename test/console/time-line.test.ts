import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { clockLengths } from '../../console/model/clock-lengths.ts';
import { after } from '../../console/model/duration.ts';
import { nearestStep, placeOf, scale, steps } from '../../console/pages/time/time-line.ts';

test('Console, time: each step of the line is a move that the service takes, and further than the one before it', () => {
  for (const now of [Date.UTC(2026, 1, 28), Date.UTC(2028, 1, 29, 23, 59)]) {
    const reached = steps.map(({ duration }) => after(now, duration) ?? Number.NaN);
    deepEqual(
      reached,
      reached.toSorted((a, b) => a - b),
    );
    equal(new Set(reached).size, steps.length);
    ok(!reached.includes(Number.NaN));
  }
});

test('Console, time: the lengths of the buttons are steps of the line, each its own', () => {
  for (const { duration } of clockLengths)
    ok(
      steps.some((step) => step.duration === duration),
      duration,
    );
  deepEqual(
    steps.map(({ seconds }) => nearestStep(seconds)),
    steps.map((_, index) => index),
  );
});

test('Console, time: what comes later lies further on the line, from its beginning to its end', () => {
  const places = [0, 1, 59, 60, 61, 3000, 3659, 86_000, 700_000, 40_000_000, 70_000_000, 1e12].map(placeOf);
  deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  equal(places[0], 0);
  equal(places.at(-1), 1);
  deepEqual(
    scale.map(({ place }) => place),
    scale.map(({ place }) => place).toSorted((a, b) => a - b),
  );
});
