import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { toast, toasts } from '../../console/state/toasts.ts';

test('Console, toasts: lessons that are solved within seconds are one toast, which stays as long as the last of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shown = () => toasts.value.map(({ title, messages }) => [title, ...messages.map(({ text }) => text)]);
  toast('Solved', 'One', '#/lessons/one');
  t.mock.timers.tick(5000);
  toast('Solved', 'Two', '#/lessons/two');
  toast('Not saved', 'No disk');
  toast('Not saved', 'No disk');
  deepEqual(shown(), [
    ['Solved', 'One', 'Two'],
    ['Not saved', 'No disk'],
  ]);
  t.mock.timers.tick(5000);
  deepEqual(shown()[0], ['Solved', 'One', 'Two']);
  t.mock.timers.tick(5000);
  deepEqual(shown(), []);
});
