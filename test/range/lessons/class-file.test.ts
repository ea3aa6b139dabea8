import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { ClassFile, ClassFileRefused, readClassFile } from '../../../src/range/lessons/class-file.ts';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { StartupError } from '../../../src/settings/startup-error.ts';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { newLearner, newPlate, stateOf } from './lesson.ts';

const schemaFile = join(import.meta.dirname, '../../../contracts/lessons.schema.json');

const own = {
  id: 'three-policies',
  title: 'Three policies',
  goal: 'Create three policies, try one of them again, then read one.',
  why: 'Our partners do it so.',
  hints: ['Begin with one.'],
  buildsOn: ['token-by-json'],
  calls: [
    { method: 'POST', path: '/insurer/v1/policies', status: 201, count: 3 },
    { status: '4xx', problem: 'duplicate-policy' },
    { method: 'GET', path: '/insurer/v1/policies/*', status: 200 },
  ],
};

const withoutCertificates = lessonsOf(topics).filter(({ needsCertificate }) => !needsCertificate);

onSqlite((engine) => {
  describe('LESSONS', () => {
    test('Lessons: a file chooses lessons, whole topics and their order, and adds some of its own', async (t) => {
      const lessons = { path: ['three-policies', 'token-by-form', 'token-by-json'], own: [own] };
      const lplate = await startLPlate(engine, { lessons });
      t.after(() => lplate.close());
      const { json } = await lplate.call('GET', '/range/v1/lessons');
      const shown = json.items.map(({ id, topic, buildsOn }: Record<string, unknown>) => [id, topic, buildsOn]);
      deepEqual(shown, [
        ['three-policies', 'Lessons of this class', ['token-by-json']],
        ['token-by-form', 'Credentials and tokens', ['token-by-json']],
        // What it builds on is not in this path.
        ['token-by-json', 'Credentials and tokens', []],
      ]);
      equal((await lplate.call('GET', '/range/v1/lessons/credentials')).status, 404);
    });

    test('Lessons: one of its own is solved by the calls that it names, in their order and number', async (t) => {
      const lplate = await startLPlate(engine, { lessons: { own: [own] } });
      t.after(() => lplate.close());
      const learner = await newLearner(lplate);
      const create = (regNumber: string) => learner.call('POST', '/policies', { json: { regNumber } });
      const solved = async () => (await stateOf(learner, own.id)).state === 'solved';
      const first = await create(newPlate());
      const read = () => learner.call('GET', `/policies/${first.json.id}`);
      await create(newPlate());
      await create(first.json.regNumber);
      await read();
      equal(await solved(), false, 'two policies');
      await create(newPlate());
      await read();
      equal(await solved(), false, 'the refusal came too early');
      await create(first.json.regNumber);
      equal(await solved(), false, 'nothing was read after it');
      await learner.call('GET', '/policies');
      await learner.call('GET', `/policies/${first.json.id}x`);
      equal(await solved(), false, 'something else was read');
      await read();
      equal(await solved(), true);
    });
  });
});

onSqlite((engine) => {
  test('Lessons: the start is refused where a call of its own can never come', async () => {
    const calls = [
      [{ method: 'FETCH' }, /the call 1 of the lesson three-policies has the method FETCH, which no address takes\.$/],
      [
        { path: '/insurer/v1/polices' },
        /the path \/insurer\/v1\/polices, which nobody serves: did you mean GET \/insurer\/v1\/policies\?$/,
      ],
      [
        { method: 'PUT', path: '/insurer/v1/policies' },
        /the method PUT, which \/insurer\/v1\/policies does not take: it takes GET, HEAD, POST\.$/,
      ],
      [
        { problem: 'duplicate-polcy' },
        /the problem duplicate-polcy, which does not exist: did you mean duplicate-policy\?$/,
      ],
    ] as const;
    for (const [call, message] of calls) {
      await rejects(startLPlate(engine, { lessons: { own: [{ ...own, calls: [call] }] } }), message);
    }
  });
});

onSqlite((engine) => {
  test('Lessons: the start tells at once what is wrong with the form, the names and the calls of the file', async () => {
    const lessons = {
      path: ['credential', 7, 'three-policies', 'without-why'],
      own: [
        { ...own, calls: [{ method: 'FETCH' }] },
        { ...own, id: 'without-why', why: undefined, calls: [{ problem: 'duplicate-polcy' }] },
      ],
    };
    const told = [
      '/own/1 (the lesson without-why) must have the member why',
      '/path has the lesson credential, which does not exist: did you mean credentials?',
      '/path/1 must be the id of a lesson, or a topic such as {"topic":"policies"}',
      'the call 1 of the lesson three-policies has the method FETCH',
      'the call 1 of the lesson without-why has the problem duplicate-polcy',
    ];
    await rejects(startLPlate(engine, { lessons }), (error: Error) => {
      for (const each of told) ok(error.message.includes(each), error.message);
      match(error.message, /^LESSONS: \(1\) .*\(5\) /);
      doesNotMatch(error.message, /\(6\)|the lesson without-why, which does not exist/);
      return true;
    });
  });
});

describe('the file of lessons', () => {
  const refusals: [string, object, RegExp][] = [
    [
      'a member that it does not have',
      { lesson: [] },
      /: \/ must not have the member lesson: it can have \$schema, path, own\.$/,
    ],
    ['a member that is misspelt', { paths: [] }, /must not have the member paths: did you mean path\?$/],
    ['a capstone in its path', { path: ['night-shift'] }, /\/path has night-shift, which is a capstone/],
    [
      'a lesson that is misspelt',
      { path: ['credential'] },
      /the lesson credential, which does not exist: did you mean credentials\?$/,
    ],
    [
      'a lesson of its own without a reason',
      { own: [{ ...own, why: undefined }] },
      /\/own\/0 \(the lesson three-policies\) must have the member why\.$/,
    ],
    [
      'an id of another form',
      { own: [{ ...own, id: 'Mine Lesson' }] },
      /\/own\/0\/id \(the lesson Mine Lesson\) .*: Lower case letters, digits and dashes/,
    ],
    [
      'a lesson of its own that is not in the path',
      { path: ['credentials'], own: [own] },
      /three-policies is not in \/path, so nobody would see it/,
    ],
    [
      'several faults',
      { path: ['x', 'y'], own: [own] },
      /^LESSONS: \(1\) \/path has the lesson x, .*; \(2\) \/path has the lesson y, .*; \(3\) the own lesson/,
    ],
    ['an empty path', { path: [] }, /\/path must NOT have fewer than 1 items/],
    ['a lesson that does not exist', { path: ['nonsense'] }, /\/path has the lesson nonsense, which does not exist/],
    [
      'a topic that does not exist',
      { path: [{ topic: 'x' }] },
      /\/path has the topic x, which does not exist: there are credentials, policies, /,
    ],
    ['a lesson twice', { path: ['credentials', 'credentials'] }, /\/path has the lesson credentials twice/],
    ['an id that another lesson has', { own: [{ ...own, id: 'credentials' }] }, /the id credentials, which another/],
    ['the id of a capstone', { own: [{ ...own, id: 'night-shift' }] }, /the id night-shift, which another/],
    ['an id twice', { own: [own, own] }, /the id three-policies, which another/],
    ['what it builds on', { own: [{ ...own, buildsOn: ['x'] }] }, /three-policies builds on x, which does not exist/],
    [
      'a lesson without calls',
      { own: [{ ...own, calls: [] }] },
      /\/own\/0\/calls \(the lesson three-policies\) must NOT have fewer than 1 items/,
    ],
    [
      'a call that says nothing',
      { own: [{ ...own, calls: [{}] }] },
      /\/own\/0\/calls\/0 \(the lesson three-policies\) must NOT have fewer/,
    ],
    ...['/policies/***', '/policies/*-*-*', '/policies/**'].map((path): [string, object, RegExp] => [
      `the path ${path}`,
      { own: [{ ...own, calls: [{ path }] }] },
      /\/own\/0\/calls\/0\/path .*A segment has one at the most/,
    ]),
    [
      'a lesson that needs client certificates, where there are none',
      { path: ['mutual-tls'] },
      /^LESSONS: \/path has the lesson mutual-tls, which is there only where the service asks for client certificates/,
    ],
    [
      'one that builds on such a lesson',
      { own: [{ ...own, buildsOn: ['mutual-tls'] }] },
      /the lesson three-policies builds on mutual-tls, which is there only where/,
    ],
    ['one with the id of such a lesson', { own: [{ ...own, id: 'mutual-tls' }] }, /the id mutual-tls, which another/],
    ['a status that is none', { own: [{ ...own, calls: [{ status: '44x' }] }] }, /\/own\/0\/calls\/0\/status/],
  ];
  for (const [what, lessons, message] of refusals) {
    test(`Lessons: the start is refused where the file has ${what}`, () => {
      const taken = { capstones: ['night-shift'], lacking: ['mutual-tls'] };
      const { faults } = readClassFile(lessons, withoutCertificates, taken);
      ok(faults.length > 0);
      const error = new ClassFileRefused(faults);
      equal(error instanceof StartupError && error.exitCode, 2);
      match(error.message, /^LESSONS: [^\n]+[.?]$/);
      match(error.message, message);
    });
  }

  test('Lessons: the published schema is that of the file', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...ClassFile };
    if (process.env.UPDATE) writeFileSync(schemaFile, JSON.stringify(schema, null, 2));
    const published = JSON.parse(readFileSync(schemaFile, 'utf8'));
    deepEqual(published, JSON.parse(JSON.stringify(schema)), 'UPDATE=1 writes it anew');
    equal(new Ajv().compile(published)({ path: ['credentials', { topic: 'policies' }], own: [own] }), true);
  });
});
