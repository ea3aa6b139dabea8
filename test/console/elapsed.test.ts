import { equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ago, counted, howLong, timeLeft } from '../../console/model/elapsed.ts';

describe('Console, durations in words', () => {
  test('a duration is told in its two largest units, without seconds', () => {
    equal(howLong(0), 'less than a minute');
    equal(howLong(59.9), 'less than a minute');
    equal(howLong(60), '1 min');
    equal(howLong(12 * 60 + 59), '12 min');
    equal(howLong(3600), '1 h');
    equal(howLong(3600 + 5 * 60), '1 h 5 min');
    equal(howLong(86_400), '1 d');
    equal(howLong(2 * 86_400 + 3 * 3600 + 59), '2 d 3 h');
  });

  test('a time that is past is so long ago, and just now within a minute', () => {
    equal(ago(59), 'just now');
    equal(ago(61), '1 min ago');
  });

  test('what is left is told to the second below an hour, and is never less than nothing', () => {
    equal(timeLeft(-1), '0 s');
    equal(timeLeft(8.2), '9 s');
    equal(timeLeft(60), '1 min');
    equal(timeLeft(252), '4 min 12 s');
    equal(timeLeft(7260), '2 h 1 min');
  });

  test('a number has its noun with it', () => {
    equal(counted(1, 'miss', 'misses'), '1 miss');
    equal(counted(0, 'hint'), '0 hints');
  });
});
