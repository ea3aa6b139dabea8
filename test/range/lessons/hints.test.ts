import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../../support/lplate.ts';
import { authorizationQuery, letIn, newChallenge, peopleOf, type TestPerson, tokensFor } from '../../support/people.ts';
import { topicPath } from '../../support/topic.ts';
import { unwalkable } from '../../support/walk.ts';
import { type Learner, newLearner, newPlate } from './lesson.ts';

const hints = lessonsOf(topics).flatMap(({ id, hints }) =>
  hints.map((text, at) => ({
    name: `${id} ${at + 1}`,
    code: [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  })),
);

const isCommand = (code: string) => /^(?:curl|printf|for|sleep) |^[A-Z]+=/.test(code);

/** What everybody has who takes hints. */
const always = ['ROOT', 'TOKEN', 'CLIENT_ID', 'CLIENT_SECRET'];

async function insured({ call }: Learner): Promise<{ id: string; location: string }> {
  const { json, headers } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
  return { id: json.id, location: headers.get('location') as string };
}

async function subscribed({ call }: Learner): Promise<string> {
  const { json } = await call('POST', '/claims/v1/subscriptions', { json: { url: 'http://127.0.0.1:9/' } });
  await call('POST', `/claims/v1/subscriptions/${json.id}/test`);
  return json.id;
}

const somebody = async (learner: Learner) => (await peopleOf(learner.lplate, learner))[0] as TestPerson;

const cursor = async ({ call }: Learner): Promise<string> => (await call('GET', topicPath)).json.next;

/** What a hint says of itself that it stands for something, and that. */
const named: Readonly<Record<string, (learner: Learner) => Promise<string>>> = {
  POLICY_ID: async (learner) => (await insured(learner)).id,
  LOCATION: async (learner) => (await insured(learner)).location,
  ID: subscribed,
  NEXT: cursor,
  LAST_ID: cursor,
  WATERMARK: async () => '2026-03-02T10:14:30.123Z',
  LAST_SEEN: async () => '2026-03-02T10:15:30.123Z',
  HMAC_SECRET: async () => testSecrets.hmacSecret,
  SECONDS_TO_WAIT: async () => '1',
  CODE: async (learner) => {
    const person = await somebody(learner);
    return (await letIn(learner.lplate, authorizationQuery(learner.id), person)).get('code') as string;
  },
  REFRESH: async (learner) => (await tokensFor(learner.lplate, learner, await somebody(learner))).refresh_token,
  VERIFIER: async () => newChallenge().verifier,
};

/** As a reader's curl, but for its patience. What drills and limits of time do to a call is no mistake of the command. */
const curl = `curl() {
  command curl -s -m 1 "$@" || case $? in 18|28|52|56) ;; *) echo "curl failed: $*" >&2 ;; esac
}`;

/** Runs the commands of a hint in a shell with these variables alone. */
function run(commands: readonly string[], variables: Record<string, string>, cwd: string) {
  const script = ['set -u', curl, ...commands].join('\n');
  const env = { PATH: process.env.PATH, ...variables };
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile('bash', ['--norc', '-c', script], { cwd, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr: error?.killed ? 'it takes too long' : stderr }),
    );
  });
}

test('Lessons: the code of a hint leaves nothing out, and each variable in it is explained', () => {
  for (const { name, code } of hints) {
    const commands = code.filter(isCommand);
    ok(!code.some((each) => each.includes('…')), name);
    const known = [...always, 'RANDOM', ...code];
    for (const [, variable = ''] of code.join('\n').matchAll(/\$\{?([A-Z_]+)/g)) {
      ok(known.includes(variable) || commands.some((each) => each.includes(`${variable}=`)), `${name}: ${variable}`);
    }
  }
});

onSqlite((engine) => {
  describe('hints', { skip: unwalkable }, () => {
    let lplate: LPlate;
    let directory: string;
    before(async () => {
      lplate = await startLPlate(engine);
      directory = await mkdtemp(join(tmpdir(), 'l-plate-hints-'));
    });
    after(async () => {
      await lplate.close();
      await rm(directory, { recursive: true, force: true });
    });

    test('Lessons: the commands of each hint run as they stand', async () => {
      const left = hints.filter(({ code }) => code.some(isCommand));
      ok(left.length > 30);
      const faults: string[] = [];
      const work = async () => {
        for (let hint = left.shift(); hint; hint = left.shift()) {
          const { name, code } = hint;
          const learner = await newLearner(lplate);
          const { id, secret, token } = learner;
          const variables: Record<string, string> = {
            ROOT: lplate.url,
            TOKEN: token,
            CLIENT_ID: id,
            CLIENT_SECRET: secret,
          };
          for (const each of code) if (named[each]) variables[each] = await named[each](learner);
          const { stdout, stderr } = await run(code.filter(isCommand), variables, directory);
          if (stderr !== '' || /"[^"]*\/not-found"/.test(stdout)) faults.push(name, stderr, stdout);
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      deepEqual(faults, []);
    });

    test('Lessons: a shell tells of a command that does not run', async () => {
      const of = (command: string) => run([command], { ROOT: lplate.url }, directory);
      equal((await of('curl $ROOT/insurer/v1/coverage-options')).stderr, '');
      doesNotMatch((await of('curl $ROOT/insurer/v1/coverage-options')).stdout, /not-found"/);
      for (const wrong of ['curl $BASE/policies', 'curl "$ROOT', 'curl -d', 'DELETE $ROOT/range/v1/me/drills/delay']) {
        ok((await of(wrong)).stderr !== '', wrong);
      }
      ok(/\/not-found"/.test((await of('curl $ROOT/policies')).stdout));
    });
  });
});
