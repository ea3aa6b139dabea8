import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { examine } from '../../src/library.ts';
import { run, toldCommand } from '../support/program.ts';
import { altered, type Passing } from './altered.ts';
import { startExamined } from './examined.ts';

const wrongTerm = (passing: Passing) => {
  passing.body = passing.body.replace('P3M', 'P4M');
};
const stage = '--stage=coverage-options';

test('Examinations: --examine ends with 0, 1 or 2, and reports as text, JSON or JUnit; the library has the same', async (t) => {
  const { url, close } = await startExamined();
  t.after(close);
  const right = await altered(t, url);
  const wrong = await altered(t, url, wrongTerm);
  const passed = await run(t, { args: ['examine', right.url, stage, '--seed', '5'] });
  deepEqual(passed, { code: 0, stdout: '✓ coverage-options: 3 calls\n\n1 of 1 stage passed. Seed 5.\n', stderr: '' });

  const failed = await run(t, { args: ['--examine', wrong.url, stage, '--seed', '5'] });
  equal(failed.code, 1);
  match(failed.stdout, /^✗ coverage-options: 1 call\n/);
  match(failed.stdout, /\n {4}curl -si -g 'http:\/\/127\.0\.0\.1:\d+\/insurer\/v1\/coverage-options' *\n/);
  match(failed.stdout, /\n {2}The member \/options\/1\/term is "P4M"; "P3M" is right\.\n/);
  match(failed.stdout, new RegExp(`: ${toldCommand} --examine ${wrong.url} --stage coverage-options --seed 5\\n$`));

  const json = await run(t, { args: ['--examine', wrong.url, stage, '--seed=5', '--report=json'] });
  deepEqual(JSON.parse(json.stdout), await examine(wrong.url, { stages: ['coverage-options'], seed: 5 }));
  const junit = await run(t, { args: ['--examine', wrong.url, stage, '--report=junit'] });
  match(junit.stdout, /^<\?xml [^>]*>\n<testsuite name="l-plate examine" tests="1" failures="1" skipped="0">\n/);
  match(junit.stdout, /<failure message="The member \/options\/1\/term is &quot;P4M&quot;/);
});

test('Examinations: what can’t be examined is one line and exit code 2, or a rejection', async (t) => {
  const nobody = 'http://127.0.0.1:9/insurer/v1';
  const { code, stderr } = await run(t, { args: ['--examine', nobody] });
  equal(code, 2);
  match(stderr, /^Nothing was examined\. http:\/\/127\.0\.0\.1:9\/insurer\/v1 can’t be reached: [^\n]*\n$/);
  await rejects(examine(nobody), { name: 'LPlateError', message: stderr.trim() });
  for (const args of [
    ['--all'],
    ['--examine'],
    ['--examine', nobody, '--seed=-1'],
    ['--examine', nobody, '--report=xml'],
  ])
    equal((await run(t, { args })).code, 2, args.join(' '));
});
