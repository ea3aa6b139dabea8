import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { examine } from '../../src/examine/examine.ts';
import { examine as examineByLibrary } from '../../src/library.ts';
import { run } from '../support/program.ts';
import { altered, type Passing } from './altered.ts';
import { startExamined } from './examined.ts';

/* What came of an examination goes to the L-Plate of a class. */

const wrongTerm = (passing: Passing) => {
  if (passing.path.endsWith('/coverage-options')) passing.body = passing.body.replace('P3M', 'P4M');
};

async function classroom(t: TestContext) {
  const { url, close } = await startExamined();
  t.after(close);
  const made = await fetch(`${url}/insurer/v1/demo-clients`, { method: 'POST' });
  const credentials = (await made.json()) as { client_id: string; client_secret: string };
  const body = JSON.stringify(credentials);
  // No lesson counts these calls.
  const own = { 'L-Plate-Console': 'test' };
  const mine = async (path: string) => {
    const headers = { 'Content-Type': 'application/json', ...own };
    const token = await fetch(`${url}/insurer/v1/auth/token`, { method: 'POST', headers, body });
    const { access_token } = (await token.json()) as { access_token: string };
    return fetch(`${url}/range/v1/me/${path}`, { headers: { Authorization: `Bearer ${access_token}`, ...own } });
  };
  const reported = async () => {
    const answer = await mine('examinations');
    const { items } = (await answer.json()) as { items: { stage: string; outcome: string | null; seed: number }[] };
    return items.flatMap(({ stage, outcome, seed }) => (outcome === null ? [] : [[stage, outcome, seed]]));
  };
  const sender = { to: url, clientId: credentials.client_id, clientSecret: credentials.client_secret };
  return { url, insurer: `${url}/insurer/v1`, sender, mine, reported };
}

test('Examinations: the outcome of each stage is sent to the L-Plate that --to names, from the program and from the library', async (t) => {
  const { url, insurer, sender, mine, reported } = await classroom(t);
  const wrong = await altered(t, url, wrongTerm);
  const flags = [`--to=${sender.to}/`, `--client-id=${sender.clientId}`, `--client-secret=${sender.clientSecret}`];
  const failed = await run(t, {
    args: ['examine', wrong.url, '--all', '--stage=coverage-options,unknown-addresses', '--seed=5', ...flags],
  });
  deepEqual([failed.code, failed.stderr], [1, '']);
  deepEqual(await reported(), [
    ['coverage-options', 'failed', 5],
    ['unknown-addresses', 'passed', 5],
  ]);
  const again = await examineByLibrary(insurer, { stages: ['coverage-options'], seed: 6, ...sender });
  deepEqual(again, { seed: 6, stages: [{ stage: 'coverage-options', outcome: 'passed', calls: 3 }] });
  deepEqual(await reported(), [
    ['coverage-options', 'passed', 6],
    ['unknown-addresses', 'passed', 5],
  ]);
  const { items } = (await (await mine('lessons')).json()) as { items: { id: string; state: string }[] };
  equal(items.find(({ id }) => id === 'token-by-json')?.state, 'open', 'what is sent counts for no lesson');
});

test('Examinations: what can’t be sent is told in one line, and changes neither the outcome nor the exit code', async (t) => {
  const { url, insurer, sender, reported } = await classroom(t);
  const stages = ['coverage-options', 'demo-clients'];
  const told = async (changed: object) => {
    const lines: string[] = [];
    const examined = await examine(
      insurer,
      { stages, seed: 5, ...sender, ...changed },
      { notice: (text) => lines.push(text) },
    );
    equal(
      examined.results.every(({ outcome }) => outcome === 'passed'),
      true,
    );
    deepEqual(lines, [examined.notSent]);
    return lines.join();
  };
  const page = await altered(t, url, (passing) => Object.assign(passing, { status: 200, body: '<!doctype html>' }));
  const older = await altered(t, url, (passing) => {
    if (!passing.path.endsWith('/examinations/coverage-options')) return;
    const problem = {
      type: `${url}/problems/stage-not-found`,
      detail: `There is no such stage\u001b[31m\n${'.'.repeat(9999)}`,
    };
    Object.assign(passing, { status: 404, body: JSON.stringify(problem) });
  });
  const notSent = /^What came of the stages was not sent to http:\/\/[\w.]+:\d+\/, which [^\n]{1,350}$/;
  for (const [changed, says] of [
    [{ to: 'http://127.0.0.1:9' }, /can’t be reached: nothing listens at its address\.$/],
    [{ clientSecret: 'wrong' }, /answered 401: /],
    [{ to: new URL(page.url).origin }, /answered 200, and not as an L-Plate with its range does\.$/],
  ] as const) {
    const line = await told(changed);
    match(line, notSent);
    match(line, says);
  }
  deepEqual(await reported(), []);
  const line = await told({ to: new URL(older.url).origin });
  match(line, notSent);
  match(line, /answered 404: There is no such stage\ufffd\[31m \.+$/);
  deepEqual((await reported()).at(-1), ['demo-clients', 'passed', 5]);

  const args = [
    '--examine',
    insurer,
    '--stage=coverage-options',
    '--report=json',
    '--seed=5',
    '--to=http://127.0.0.1:9',
  ];
  const environment = { CLIENT_ID: sender.clientId, CLIENT_SECRET: sender.clientSecret };
  const { code, stdout, stderr } = await run(t, { args, environment });
  equal(code, 0);
  match(stderr, /^What came of the stages was not sent to http:\/\/127\.0\.0\.1:9\/[^\n]*\n$/);
  deepEqual(JSON.parse(stdout).notSent, stderr.trim());
});

test('Examinations: nothing is examined without a client to send as, or for an address that is none', async () => {
  const url = 'http://127.0.0.1:9/insurer/v1';
  const sender = { to: 'http://127.0.0.1:9', clientId: 'demo-1', clientSecret: 'secret' };
  for (const wrong of [{ ...sender, clientSecret: undefined }, { clientId: 'demo-1' }, { ...sender, clientId: '' }])
    await rejects(examine(url, wrong), /--to, --client-id and --client-secret go together/);
  for (const to of ['trainer', 'ftp://trainer', 'http://trainer/?a=b', 'http://a:b@trainer/'])
    await rejects(examine(url, { ...sender, to }), /--to needs the address of an L-Plate/);
});
