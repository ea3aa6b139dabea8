import { deepEqual, equal, match, notDeepEqual, ok, rejects } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Running } from '../../src/app.ts';
import { Descriptions, describedBases, membersOf, type Named, partOf } from '../../src/examine/descriptions.ts';
import { examine } from '../../src/examine/examine.ts';
import { manners } from '../../src/examine/members.ts';
import { stageText } from '../../src/examine/report.ts';
import { stages } from '../../src/examine/stages/index.ts';
import { root } from '../support/program.ts';
import { altered } from './altered.ts';
import { startExamined } from './examined.ts';

test('Examinations: the same seed gives the same calls and the same verdict, another seed others', async (t) => {
  const runs = [];
  for (const seed of [1, 1, 2]) {
    const { url, calls } = await altered(t, (await started(t)).url, (passing) => {
      if (passing.path.endsWith('/policies') && passing.body.includes('MTPL-6M')) passing.status = 200;
    });
    const { results } = await examine(url, { stages: ['read', 'create'], all: true, seed });
    runs.push({ calls: calls.map(withoutIds), results: results.map(stageText).map(withoutIds) });
  }
  deepEqual(runs[0], runs[1]);
  notDeepEqual(runs[0]?.calls, runs[2]?.calls);
});

test('Examinations: 429 is told once, and waited for as long as Retry-After says', async (t) => {
  const { url } = await started(t);
  let refusals = 0;
  const told: string[] = [];
  const service = await altered(t, url, (passing) => {
    refusals += 1;
    if (refusals > 2) return;
    Object.assign(passing, { status: 429, headers: { 'retry-after': '0' }, body: '' });
  });
  const { results } = await examine(
    service.url,
    { stages: ['coverage-options'] },
    { notice: (text) => told.push(text) },
  );
  deepEqual(
    results.map(({ outcome }) => outcome),
    ['passed'],
  );
  equal(told.length, 1);
  match(told[0] ?? '', /limits how often it is called \(429\)/);
});

test('Examinations: the order of scopes does not count, in the answer and in the token', async (t) => {
  const { url } = await started(t);
  const service = await altered(t, url, (passing) => {
    if (!passing.path.endsWith('/auth/token')) return;
    const body = JSON.parse(passing.body);
    const turned = (scope: string) => scope.split(' ').reverse().join('  ');
    const [head, claims = '', signature] = body.access_token.split('.');
    const { scope, ...others } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const turnedClaims = Buffer.from(JSON.stringify({ ...others, scope: turned(scope) })).toString('base64url');
    passing.body = JSON.stringify({
      ...body,
      scope: turned(body.scope),
      access_token: `${head}.${turnedClaims}.${signature}`,
    });
  });
  const { results } = await examine(service.url, { stages: ['token'] });
  deepEqual(
    results.map(({ outcome }) => outcome),
    ['passed'],
  );
});

test('Examinations: Link and ETag are compared from the stages on that are about them', async (t) => {
  const { url } = await started(t);
  const service = await altered(t, url, ({ headers }) => {
    delete headers.link;
    delete headers.etag;
  });
  const names = ['scopes', 'create', 'list-and-pages', 'preconditions'];
  const { results } = await examine(service.url, { stages: names, all: true });
  deepEqual(
    results.map(({ stage, failure }) => [stage.name, failure?.difference.place]),
    [
      ['scopes', undefined],
      ['create', undefined],
      ['list-and-pages', 'header:Link'],
      ['preconditions', 'header:ETag'],
    ],
  );
});

test('Examinations: what differs while a day ends, or after 20 seconds, is looked at once more', async (t) => {
  const { url } = await started(t);
  const outcomes: unknown[] = [];
  for (const late of [
    { days: 0, seconds: 0 },
    { days: 0, seconds: 21 },
    { days: 1, seconds: 0 },
  ]) {
    const time = { days: 0, seconds: 0 };
    let answers = 0;
    const service = await altered(t, url, (passing) => {
      answers += 1;
      if (answers > 1) return;
      passing.status = 201;
      Object.assign(time, late);
    });
    const clock = {
      now: () => Date.now() + time.days * 86_400_000,
      elapsed: () => performance.now() + time.seconds * 1000,
    };
    const { results } = await examine(service.url, { stages: ['coverage-options'] }, {}, clock);
    outcomes.push([results[0]?.outcome, results[0]?.calls]);
  }
  deepEqual(outcomes, [
    ['failed', 1],
    ['passed', 4],
    ['passed', 4],
  ]);
});

test('Examinations: a service that has the policies of an examination before is told to be emptied', async (t) => {
  const { url } = await started(t);
  const twice = [];
  for (let run = 0; run < 2; run += 1)
    twice.push(await examine(`${url}/insurer/v1`, { stages: ['create'], all: true, seed: 1 }));
  equal(twice[0]?.results[0]?.outcome, 'passed');
  match(twice[1]?.results[0]?.failure?.difference.says ?? '', /start it without data, or take another seed\.$/);
});

test('Examinations: every member of every answer of the descriptions has its manner, and no other has one', async (t) => {
  const { url } = await started(t);
  const texts = new Map<string, string>();
  for (const base of describedBases) texts.set(base, await (await fetch(`${url}${base}/openapi.yaml`)).text());
  const found = new Set<string>();
  const visit = (named: Named | undefined): void => {
    if (!named) return;
    visit(partOf(named));
    for (const [member, { of }] of membersOf(named)) {
      const key = `${of.name}.${member}`;
      if (found.has(key)) continue;
      found.add(key);
      const manner = manners[of.name]?.[member];
      ok(manner, `${key} has no manner`);
      if (manner === 'parts') visit(partOf(of, member));
    }
  };
  for (const named of new Descriptions(texts).schemas()) visit(named);
  const listed = Object.entries(manners).flatMap(([name, members]) =>
    Object.keys(members).map((member) => `${name}.${member}`),
  );
  deepEqual(
    listed.filter((key) => !found.has(key)),
    [],
  );
});

test('Examinations: nothing of it is loaded where the service runs', async () => {
  const importing: string[] = [];
  for (const name of await readdir(join(root, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts') || name.startsWith('examine/')) continue;
    const text = await readFile(join(root, 'src', name), 'utf8');
    if (/^import (?!type )[^;]*from '(?:fast-check|[^']*\/examine\/[^']*)'/m.test(text)) importing.push(name);
  }
  deepEqual(importing, []);
});

test('Examinations: what can’t be examined is refused in a sentence: no URL, another scheme, an unknown stage, nobody there', async () => {
  await rejects(examine('localhost'), /is no URL\. Use the address that stands for \/insurer\/v1/);
  await rejects(examine('ftp://localhost/'), /http or https/);
  await rejects(
    examine('http://localhost:9000/', { stages: ['raed'] }),
    /There is no stage "raed"\. The stages: coverage-options/,
  );
  await rejects(examine('http://127.0.0.1:9/insurer/v1'), /nothing listens at its address\. Start your service/);
});

test('Examinations: a stage has a goal, lessons that exist, and at most six steps a case', async (t) => {
  const { url } = await started(t);
  equal(new Set(stages.map(({ name }) => name)).size, stages.length);
  for (const { name, goal, lessons: shown, cases } of stages) {
    match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    match(goal, /^You [^\n]*\.$/);
    for (const lesson of shown) equal((await fetch(`${url}/range/v1/lessons/${lesson}`)).status, 200, lesson);
    // A page has 20 policies by default, which somebody has to create; the sixth ping is refused.
    const most = { 'list-and-pages': 22, limits: 8, 'sixty-a-minute': 63 }[name] ?? 6;
    ok(
      cases.every(({ steps }) => steps.length > 0 && steps.length <= most),
      name,
    );
  }
});

/** Ids, secrets, tokens, instants and addresses are those of a service. */
function withoutIds(text: string): string {
  const own = /pol-[\w-]{36}|demo-\w{20}|"(client_secret|access_token|createdAt|updatedAt)":"[^"]*"|127\.0\.0\.1:\d+/g;
  return text.replaceAll(own, '…');
}

async function started(t: TestContext): Promise<Running> {
  const running = await startExamined();
  t.after(() => running.close());
  return running;
}
