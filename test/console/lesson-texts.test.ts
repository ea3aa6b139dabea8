import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ownGoal } from '../../console/model/lesson-path.ts';
import { answerOf, jsonOf, reportDraft } from '../../console/pages/lessons/answers.ts';
import { afterBlock, piecesOf } from '../../console/pages/lessons/inline-code.ts';
import { sectionOf } from '../../console/pages/lessons/sections.ts';
import { settings, variablesIn } from '../../console/pages/lessons/shell-variables.ts';
import { systemRandomness } from '../../src/randomness.ts';
import { capstones } from '../../src/range/lessons/capstones/index.ts';
import { type LessonInTopic, lessonsOf } from '../../src/range/lessons/lesson.ts';
import { viewOf } from '../../src/range/lessons/standing.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';

const lessons = lessonsOf(topics);
const shown = (text: string) => piecesOf(text).map(({ kind, text }) => [kind, text]);

test('Console, lessons: code stands between backticks, and a command is told from a word', () => {
  deepEqual(shown('Send `curl $BASE/policies`. Then `rel="next"` is left.'), [
    ['words', 'Send '],
    ['command', 'curl $BASE/policies'],
    ['words', '. Then '],
    ['code', 'rel="next"'],
    ['words', ' is left.'],
  ]);
  deepEqual(shown('`PLATE=LP-$RANDOM`, `sleep $SECONDS`, `count=3`'), [
    ['command', 'PLATE=LP-$RANDOM'],
    ['words', ', '],
    ['command', 'sleep $SECONDS'],
    ['words', ', '],
    ['code', 'count=3'],
  ]);
  equal(afterBlock('. Then go on'), 'Then go on');
  deepEqual(shown(''), []);
  deepEqual(shown('one ` alone'), [['words', 'one ` alone']]);
});

test('Console, lessons: an endpoint is code without backticks, too, and the point behind it is not of it', () => {
  const codes = (text: string) => piecesOf(text).flatMap(({ kind, text }) => (kind === 'code' ? [text] : []));
  deepEqual(codes('Call the probe, GET /limited/ping, ten times.'), ['GET /limited/ping']);
  deepEqual(codes('Send it to POST /range/v1/me/answers.'), ['POST /range/v1/me/answers']);
  deepEqual(codes('Compare /insurer/v0/openapi.yaml with /insurer/v1/openapi.yaml: both.'), [
    '/insurer/v0/openapi.yaml',
    '/insurer/v1/openapi.yaml',
  ]);
  deepEqual(codes('with his and/or her name, 1 / 2, http://localhost:9000/claims'), []);
});

test('Console, lessons: every text of a lesson comes back whole, and no backtick is left over', () => {
  for (const { id, goal, why, hints, asks } of lessons) {
    for (const text of [goal, why, ...hints, asks?.question ?? '']) {
      const joined = piecesOf(text)
        .map((piece) => piece.text)
        .join('');
      equal(joined, text.replaceAll('`', ''), id);
    }
  }
});

test('Console, lessons: each command of a hint is marked as one', () => {
  for (const { id, hints } of lessons) {
    for (const { kind, text } of hints.flatMap(piecesOf)) {
      if (kind === 'words') ok(!/\$[A-Z]|curl .*\/|\{"/.test(text), `${id}: ${text}`);
    }
  }
});

test('Console, lessons: every variable of a hint is set here, explained or set by the hint itself, or the shell’s', () => {
  const values = { origin: 'http://h', clientId: 'demo-1', clientSecret: 's' };
  for (const { id, hints } of lessons) {
    const names = variablesIn(hints);
    const set = settings(names, values, 'sh');
    for (const name of names) {
      const isSet = set.includes(`${name}=`);
      const isTold = hints.some((hint) => hint.includes(`${name}=`) || hint.includes(`\`${name}\``));
      ok(isSet || isTold || name === 'RANDOM', `${id}: ${name}`);
    }
  }
});

test('Console, lessons: the settings have the reader’s address, and what a token needs comes before it', () => {
  const values = { origin: 'http://h:1', clientId: 'demo-1', clientSecret: 's' };
  const names = (text: string) => text.split('\n').map((line) => line.match(/^\$?(\w+) ?=/)?.[1]);
  deepEqual(names(settings(['TOKEN'], values, 'sh')), ['ROOT', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN']);
  deepEqual(names(settings(['TOKEN', 'BASE'], values, 'powershell')), [
    'ROOT',
    'BASE',
    'CLIENT_ID',
    'CLIENT_SECRET',
    'TOKEN',
  ]);
  equal(settings(['ROOT'], values, 'sh'), "ROOT='http://h:1'");
  equal(settings(['ROOT'], values, 'powershell'), "$ROOT = 'http://h:1'");
  equal(settings(['NEXT'], values, 'sh'), '');
});

test('Console, lessons: each section that a lesson or capstone practises is explained, and leads somewhere here', () => {
  for (const name of [...lessons, ...capstones].flatMap(({ sections }) => sections)) {
    const { means = '', href = '' } = sectionOf(name) ?? {};
    ok(means !== '', name);
    const place = name.startsWith('RFC') ? /^https:\/\/www\.rfc-editor\.org\// : /^(?:\/docs|\/problems|#\/guides\/)/;
    ok(place.test(href), `${name}: ${href}`);
  }
  equal(sectionOf('The house rules'), undefined);
  equal(sectionOf('constructor'), undefined);
});

test('Console, lessons: a goal that asks for a personal prefix shows that of the client', () => {
  const asking = lessons.map(({ goal }) => goal).filter((goal) => goal.includes('/for/'));
  ok(asking.length > 0);
  for (const goal of asking) match(ownGoal(goal, 'demo-1'), /`\/for\/demo-1(?:\/\.well-known\/jwks\.json)?`/);
  deepEqual(
    asking.map((goal) => ownGoal(goal, undefined)),
    asking,
  );
});

test('Console, lessons: an answer is a text, unless its question asks for a number, a list or an object', () => {
  const type = (id: string) => viewOf(lessons.find((lesson) => lesson.id === id) as LessonInTopic).answerType;
  deepEqual(answerOf(' demo-1 ', type('token-decoded')), { value: 'demo-1' });
  deepEqual(answerOf('3', type('event-twice')), { value: 3 });
  deepEqual(answerOf('3', type('webhook-repeats')), { value: 3 });
  deepEqual(answerOf('three', type('webhook-repeats')), { value: 'three' });
  deepEqual(answerOf('0123', type('no-vin')), { value: '0123' });
  deepEqual(answerOf('["a", "b"]', type('draft-and-version')), { value: ['a', 'b'] });
  deepEqual(answerOf('a, b', type('draft-and-version')), { value: 'a, b' });
  deepEqual(answerOf('{"CLM-1":["REGISTERED"]}', type('events-in-order')), { value: { 'CLM-1': ['REGISTERED'] } });
  deepEqual(answerOf('{"a":1}', type('token-key')), { value: '{"a":1}' });
  ok('fault' in answerOf('["a",', type('draft-and-version')));
  ok('fault' in answerOf('  ', type('token-key')));
});

test('Console, capstones: the report to start from has the form that is asked for, so only its contents are wrong', async () => {
  const now = Date.parse('2026-03-02T10:15:30.000Z');
  for (const capstone of capstones) {
    let made = 0;
    const number = () => {
      made += 1;
      return String(made).padStart(6, '0');
    };
    const { given } = await capstone.prepare({
      ...{ number: 1, now, randomness: systemRandomness },
      givePolicies: async (drafts) => drafts.map((draft) => ({ ...draft, regNumber: number() })),
      freeNumbers: async (count) => Array.from({ length: count }, number),
      registerClaim: async () => ({ claimId: `CLM-2026-${number()}` }) as never,
      makePeople: async (names) =>
        names.map((name) => ({ id: 'per-1', number: 1, name, userName: name, password: '' })),
    });
    const report = jsonOf(reportDraft(given as Record<string, unknown>));
    ok('value' in report && capstone.shapeFault(report.value) === undefined, capstone.id);
  }
  equal(reportDraft({}), '{}');
});
