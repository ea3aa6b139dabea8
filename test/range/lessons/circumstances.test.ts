import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { badgeOf } from '../../../src/range/lessons/badge.ts';
import type { CertifiedFacts } from '../../../src/range/lessons/certificate.ts';
import { circumstancesOf } from '../../../src/range/lessons/circumstances.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startWithClient } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');

const solved = (seconds: number, { calls = 3, shortestWay = 2, hints = 0 } = {}) => ({
  ...{ calls, shortestWay, hints },
  solvedAt: new Date(start + 1000 * seconds).toISOString(),
});

describe('Decisions, certificate: it says how it came about', () => {
  test('time between lessons, the quickest ten, calls, hints, and how many took the shortest way', () => {
    // Eleven, an hour and more apart; the last ten in nine hours.
    const learner = [solved(0, { hints: 2 }), ...Array.from({ length: 10 }, (_, at) => solved(9000 + 3600 * at))];
    deepEqual(circumstancesOf(learner.toReversed()), {
      ...{ calls: 33, hints: 2, medianSeconds: 3600, tenInSeconds: 9 * 3600, compared: 11, byShortestWay: 0 },
      words: [
        'It took 33 calls and 2 hints.',
        'Between a lesson and the next lay 60 minutes (median).',
        'The quickest ten in a row took 9 hours.',
        '0 of 11 took no more calls than the shortest way.',
      ],
    });
  });

  test('a program that solves all of them is seen by the time and the calls', () => {
    const replayed = Array.from({ length: 60 }, (_, at) => solved(2 * at, { calls: 2 }));
    const { medianSeconds, tenInSeconds, byShortestWay } = circumstancesOf(replayed);
    deepEqual([medianSeconds, tenInSeconds, byShortestWay], [2, 18, 60]);
    // One call can solve several.
    const { words } = circumstancesOf(Array.from({ length: 10 }, () => solved(0)));
    equal(words.includes('The quickest ten in a row took less than a second.'), true);
  });

  test('one lesson has no time to another; few calls with several hints are numbers only', () => {
    const { medianSeconds, tenInSeconds, words } = circumstancesOf([solved(0, { calls: 2, hints: 3 })]);
    deepEqual([medianSeconds, tenInSeconds], [null, null]);
    deepEqual(words, ['It took 2 calls and 3 hints.', '1 of 1 took no more calls than the shortest way.']);
  });

  test('of capstones it says that their seeds are the same for everybody', () => {
    const [id, title, completedAt] = ['night-shift', 'The night shift', '2026-03-02T10:00:00.000Z'];
    const learned = { sub: 'demo-1', nickname: null, lessons: [], of: 60, circumstances: circumstancesOf([]) };
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } as const;
    const narrativeWith = (capstones: CertifiedFacts['capstones']) =>
      badgeOf({ ...learned, capstones }, key, { id: '0b3f', issuerName: 'L-Plate', issuedAt: start / 1000 })
        .credentialSubject.narrative;
    equal(narrativeWith([{ id, title, level: 2, completedAt }]).includes('the same for everybody'), true);
    equal(narrativeWith([]).includes('the same for everybody'), false);
  });

  test('what nobody counted is left out', () => {
    deepEqual(circumstancesOf([]).words, []);
    const one = { ...solved(0), calls: null, shortestWay: null };
    deepEqual(circumstancesOf([one]), {
      ...{ calls: 0, hints: 0, medianSeconds: null, tenInSeconds: null, compared: 0, byShortestWay: 0 },
      words: ['It took no hint.'],
    });
  });
});

forEachEngine((engine) => {
  test('Decisions, certificate: certificate, badge and the trainer’s board say the same of how it came about', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    await lplate.call('POST', '/range/v1/me/lessons/token-by-form/hints', { token });
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: client.id });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = `${form}&client_secret=${encodeURIComponent(client.secret)}`;
    await lplate.call('POST', '/auth/token', { headers, body });
    const { certificate } = (await lplate.call('GET', '/range/v1/me/certificate', { token })).json;
    const { circumstances, lessons } = certificate;
    equal(
      lessons.some(({ id }: { id: string }) => id === 'token-by-form'),
      true,
    );
    deepEqual([circumstances.hints, circumstances.calls > 0, circumstances.words.length], [1, true, 3]);
    const board = (await lplate.call('GET', '/range/v1/trainer/lessons', { token: trainerToken })).json;
    const row = board.items.find(({ clientId }: { clientId: string }) => clientId === client.id);
    deepEqual(row.circumstances, circumstances);
    const badge = (await lplate.call('GET', '/range/v1/me/badge', { token })).text;
    const { credentialSubject } = JSON.parse(Buffer.from(badge.split('.')[1] as string, 'base64url').toString());
    equal(credentialSubject.narrative.includes(circumstances.words.join(' ')), true);
    const page = await lplate.call('GET', '/range/v1/me/certificate', { token, headers: { Accept: 'text/html' } });
    equal(page.text.includes(circumstances.words[0]), true);
  });
});
