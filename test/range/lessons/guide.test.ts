import { deepEqual, equal } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { bySection, guide, madeGuide, sections, writeGuide } from '../../support/lesson-table.ts';

test('Lessons: the guide lists them as they are', async () => {
  if (process.env.UPDATE) await writeGuide();
  equal(await readFile(guide, 'utf8'), await madeGuide(), 'UPDATE=1 writes it anew');
});

test('Lessons: each section of the specification is practised by one', () => {
  const empty = [...bySection()].filter(([, lessons]) => lessons.length === 0).map(([section]) => section);
  deepEqual(empty, []);
});

test('Lessons: what one practises is a section of the specification, or an RFC', () => {
  for (const lesson of lessonsOf(topics)) {
    const unknown = lesson.sections.filter((each) => !sections.includes(each) && !/^RFC \d+/.test(each));
    deepEqual(unknown, [], lesson.id);
  }
});
