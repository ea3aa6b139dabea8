import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codeParts, type Language, languages } from '../../../src/range/lessons/code-parts.ts';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { forEachEngine } from '../../support/engines.ts';
import { problem, startLPlate } from '../../support/lplate.ts';
import { newLearner } from './lesson.ts';

const lessons = lessonsOf(topics);
const ids = lessons.map(({ id }) => id);
const sentences = (text: string) => text.split(/(?<=[.!?]”?)\s/).length;

/** The lessons that a language does not have. */
const lacking: Readonly<Record<Language, readonly string[]>> = {
  JavaScript: [],
  Python: [],
  Java: [],
  // They need a server.
  curl: ids.filter((id) => id.startsWith('webhook-')),
};

describe('what a solved lesson teaches', () => {
  test('Lessons: each has two sentences to remember, and says what goes wrong at work without it', () => {
    const texts = new Set<string>();
    for (const { id, why, remember = '', without = '' } of lessons) {
      equal(sentences(remember), 2, `${id}: ${remember}`);
      ok(sentences(without) <= 2, `${id}: ${without}`);
      for (const text of [remember, without]) ok(text.length <= 200 && /[.”]$/.test(text), `${id}: ${text}`);
      texts.add(remember).add(without).add(why);
    }
    equal(texts.size, 3 * lessons.length);
  });

  test('Lessons: the code is parts of the example programs, and JavaScript has every lesson', async () => {
    const parts = await codeParts();
    deepEqual(
      [...parts.keys()].filter((id) => !ids.includes(id)),
      [],
    );
    for (const language of languages) {
      const missing = ids.filter((id) => !parts.get(id)?.some((part) => part.language === language));
      deepEqual(missing, lacking[language], language);
    }
    for (const { file, text } of [...parts.values()].flat()) {
      const lines = (await readFile(join(import.meta.dirname, '../../..', file), 'utf8')).split('\n');
      const known = new Set(lines.map((line) => line.trim()));
      for (const line of text.split('\n')) ok(known.has(line.trim()), `${file}: ${line}`);
      ok(/^\S/.test(text) && !/(?:\/\/|#) (?:lesson:|end$)/m.test(text), text);
    }
  });
});

forEachEngine((engine) => {
  describe('the solution of a lesson', () => {
    test('Lessons: the solution is shown once the lesson is solved, and not after it was begun again', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      const solution = (id: string) => learner.call('GET', `/range/v1/me/lessons/${id}/solution`);
      const { json, status } = await solution('credentials');
      equal(status, 200);
      deepEqual(Object.keys(json), ['remember', 'without', 'code']);
      equal(json.remember, lessons[0]?.remember);
      const [first] = json.code;
      deepEqual([first.language, first.file], ['JavaScript', 'examples/path/learner.js']);
      match(first.text, /^const .*'POST', '\/insurer\/v1\/demo-clients'\);$/m);

      deepEqual(problem(await solution('create-policy')), [409, 'lesson-not-solved']);
      deepEqual(problem(await solution('none')), [404, 'lesson-not-found']);
      await learner.call('DELETE', '/range/v1/me/lessons/credentials');
      deepEqual(problem(await solution('credentials')), [409, 'lesson-not-solved']);
    });

    test('Lessons: a lesson of the class has no solution but what its learners did', async (t) => {
      const calls = [{ method: 'GET', path: '/insurer/v1/coverage-options' }];
      const own = [{ id: 'ours', title: 'Ours', goal: 'Look.', why: 'It is ours.', calls }];
      const learner = await newLearner(await startLPlate(t, engine, { lessons: { path: ['ours'], own } }));
      await learner.bare('GET', '/insurer/v1/coverage-options');
      const { json } = await learner.call('GET', '/range/v1/me/lessons/ours/solution');
      deepEqual(json, { remember: null, without: null, code: [] });
    });
  });
});
