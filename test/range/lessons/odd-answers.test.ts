import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { answer, newLearner } from './lesson.ts';

onSqlite((engine) => {
  test('Lessons: whatever is sent as an answer to whichever question is answered', async (t) => {
    // Of a class's own, one without calls compares answers at once.
    const only = { id: 'only', title: 'Only a question', goal: 'Answer.', why: 'To ask.' };
    const own = [{ ...only, asks: { question: 'How much?', answers: [42] } }];
    const lplate = await startLPlate(t, engine, { lessons: { own } });
    const learner = await newLearner(lplate);
    const { json } = await learner.call('GET', '/range/v1/me/lessons?pageSize=500');
    const asking = json.items.filter(({ question }: { question: string | null }) => question !== null);
    equal(asking.at(-1).id, 'only');
    for (const { id } of asking)
      for (const odd of [{ toString: 1 }, { valueOf: null, toString: null }, [{ toString: {} }], null, {}, 1e300, ''])
        equal((await answer(learner, id, odd)).correct, false, id);
  });
});
