import { test } from 'node:test';
import { day } from '../../src/time/units.ts';
import { longTimeout } from '../events/listener.ts';
import { forEachEngine } from '../support/engines.ts';
import { goesOn, year } from '../time/clock-steps.ts';

/** By how much the clock is set, with two minutes after each. */
const table: Record<string, number[]> = {
  'a year ahead, and back': [year, -year],
  'a year ahead': [year],
  'a year back, and ahead again': [-year, year],
  'a day back, and ahead again': [-day, day],
  'a day back': [-day],
  'a year and a half ahead, back, and ahead for good': [1.5 * year, -1.5 * year, 1.5 * year],
};

forEachEngine((engine) => {
  for (const [what, steps] of Object.entries(table)) {
    test(
      `Decisions, time: ${what}: all goes on, and what is kept no longer goes in the weeks after`,
      longTimeout,
      (t) => goesOn(t, engine, { steps, aging: true }),
    );
  }
});
