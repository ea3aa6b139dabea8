import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Shown, shownNow } from '../../console/model/last-seen.ts';

const kept: Shown = {
  clientId: 'demo-1',
  at: 1_000_000,
  known: {
    nickname: 'Team Blue',
    clock: { now: '2026-03-02T11:00:00.000Z', aheadSeconds: 3600 },
    drills: [
      { name: 'delay', secondsLeft: 60 },
      { name: 'unavailable', secondsLeft: 10 },
    ],
  },
  lessons: { solved: 3, all: 61 },
};
const text = JSON.stringify(kept);

test('Console, every page: what the frame showed goes on, and a drill that is over is left out', () => {
  deepEqual(shownNow(text, 'demo-1', 1_000_000), kept);
  const later = shownNow(text, 'demo-1', 1_030_000);
  deepEqual(later?.known.clock, { now: '2026-03-02T11:00:30.000Z', aheadSeconds: 3600 });
  deepEqual(later?.known.drills, [{ name: 'delay', secondsLeft: 60 }]);
});

test('Console, every page: what another client showed, or what cannot be read, is not shown', () => {
  equal(shownNow(text, 'demo-2', 1_000_000), undefined);
  for (const odd of [null, '', 'null', '{', '[]', '{"clientId":"demo-1"}', text.replace('2026-03', 'x')]) {
    equal(shownNow(odd, 'demo-1', 1_000_000), undefined, String(odd));
  }
});
