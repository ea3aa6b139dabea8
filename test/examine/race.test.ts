import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { raced } from '../../src/examine/race.ts';

const callThatGot = (status: number, body = '') => ({
  sent: { method: 'POST', url: new URL('http://one/insurer/v1/policies'), headers: {}, body: undefined },
  answer: { status, headers: {}, body, from: 0, to: 1 },
});
const created = callThatGot(201);
const refused = callThatGot(409, '{"type":"/problems/duplicate-policy"}');

test('Examinations: what came of calls at once is told the same way, whichever call of either side was first', () => {
  for (const reference of [
    [created, refused],
    [refused, created],
  ]) {
    equal(
      raced({ reference, yours: [created, created] }).found?.says,
      'Of 2 calls at once your service answered 2 with 201; 1 with 201 and 1 with 409 duplicate-policy is right.',
    );
    equal(raced({ reference, yours: [refused, created] }).found, undefined);
  }
});
