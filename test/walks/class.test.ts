import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { networkAddresses } from '../../src/settings/networks.ts';
import { onSqlite } from '../support/engines.ts';
import { root, startProgram } from '../support/program.ts';
import { stepsOf, unwalkable } from '../support/walk.ts';

const learners = 20;

/** Runs lines as somebody pastes them into a terminal in this folder. Returns what they print. */
async function paste(lines: string, cwd: string): Promise<string> {
  const shell = spawn('bash', ['-s'], {
    cwd,
    env: { ...process.env, no_proxy: '*' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  shell.stdin.end(lines);
  await once(shell, 'close');
  return printed;
}

/** Sends what the Reference shows to a learner as the bodies of a new policy. Returns the statuses. */
async function referenceExamples(origin: string): Promise<Record<string, number>> {
  const call = async (path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const body = json === undefined ? null : JSON.stringify(json);
    const type = { 'Content-Type': 'application/json' };
    const answer = await fetch(origin + path, {
      method: body === null ? 'GET' : 'POST',
      headers: { ...type, ...headers },
      body,
    });
    return { status: answer.status, json: JSON.parse(await answer.text()) };
  };
  const { json: client } = await call('/insurer/v1/demo-clients', {});
  const { json: token } = await call('/insurer/v1/auth/token', client);
  const { json: description } = await call(`/for/${client.client_id}/insurer/v1/openapi.json`);
  const [{ url }] = description.servers;
  const shown: Record<string, { value: object }> =
    description.paths['/policies'].post.requestBody.content['application/json'].examples;
  const statuses: Record<string, number> = {};
  for (const [name, { value }] of Object.entries(shown)) {
    const { status } = await call(`${new URL(url).pathname}/policies`, value, {
      Authorization: `Bearer ${token.access_token}`,
    });
    statuses[name] = status;
  }
  return statuses;
}

const unescaped = (html: string) => html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

onSqlite((engine) => {
  test('Decisions, a class: twenty learners paste the same lines at once, from the front page, then from the tutorial, then the examples of their Reference, and all succeed', {
    skip: unwalkable,
  }, async (t) => {
    const environment = { PORT: '0', RATE_LIMIT_PER_MINUTE: '60' };
    const program = await startProgram(t, await engine.location(), { environment, args: ['--class'] });
    const { port } = new URL(program.url);
    const [address] = networkAddresses();
    const origin = address ? `http://${address.address}:${port}` : program.url;
    if (address) {
      assert.match(program.stdout(), new RegExp(`Learners open ${RegExp.escape(origin)}, or scan:\n\n *[█▀▄]`));
      assert.match(
        program.stdout(),
        new RegExp(`You open ${RegExp.escape(origin)}/#/trainer, with the token \\S+\\.\n`),
      );
      assert.ok(program.stdout().includes(`lets webhooks call ${address.range}`));
      assert.ok(program.stdout().includes(`  Insurer, REST interface v1  ${origin}/insurer/v1\n`));
      assert.ok(program.stdout().includes(`On this machine http://localhost:${port} leads to it, too.\n`));
    }
    const page = await (await fetch(`${origin}/`)).text();
    const quickStart = unescaped(/<pre id="quick-start"[^>]*>([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '');
    assert.ok(quickStart.includes(`${origin}/insurer/v1`));
    const steps = stepsOf(await readFile(join(root, 'docs/tutorial.md'), 'utf8'));
    const last = steps.findIndex(({ commands }) => commands.includes('Idempotency-Key'));
    const tutorial = steps.slice(0, last + 1).map(({ commands }) => commands);
    const folder = await mkdtemp(join(tmpdir(), 'l-plate-class-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const printed = await Promise.all(
      Array.from({ length: learners }, async (_, number) => {
        const own = join(folder, String(number));
        await mkdir(own);
        const quick = await paste(quickStart, own);
        return [quick, await paste(tutorial.join('').replaceAll('http://localhost:8080', origin), own)] as const;
      }),
    );
    for (const [quick, walked] of printed) {
      assert.match(quick, /HTTP\/1\.1 201 Created/);
      const statuses = [...walked.matchAll(/ (\d{3})$/gm)].map(([, status]) => status);
      assert.deepEqual(statuses, ['201', '409', '200', '200', '200', '200', '412', '201', '201']);
    }
    const examples = await Promise.all(Array.from({ length: learners }, () => referenceExamples(origin)));
    assert.deepEqual(examples, Array(learners).fill({ minimal: 201, complete: 201 }));
    const learnersNow = await fetch(`${origin}/range/v1/trainer/learners?pageSize=1`, {
      headers: { Authorization: `Bearer ${program.secrets.trainerToken}` },
    });
    assert.equal(JSON.parse(await learnersNow.text()).totalItems, 3 * learners);
  });
});
