import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startPostgres } from '../support/postgres.ts';
import { type Program, root, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

/** Processes with one database, each of which can be killed and comes back at its address. */
interface Service {
  readonly count: number;
  url(node: number): string;
  kill(node: number): Promise<void>;
  restart(node: number): Promise<void>;
}

const rounds = 2;
const writers = 8;
/** How many calls each of them makes before each pause. */
const calls = 40;

const postgres = await shareServer(startPostgres);

async function threeNodes(t: TestContext): Promise<Service> {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres));
  return {
    count: nodes.count,
    url: (node) => nodes.program(node).url,
    kill: (node) => nodes.kill(node),
    restart: (node) => nodes.restart(node),
  };
}

async function oneProcess(t: TestContext): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-changed-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const environment = { PORT: String(await steadyPort()) };
  const begin = () => startProgram(t, { directory }, { environment });
  let program: Program = await begin();
  return {
    count: 1,
    url: () => program.url,
    kill: () => program.stop('SIGKILL').then(() => {}),
    restart: async () => {
      program = await begin();
    },
  };
}

for (const [where, begin] of [
  ['three nodes on PostgreSQL', threeNodes],
  ['one process on SQLite', oneProcess],
] as const)
  test(`Decisions, changes since: who follows them from ${where} has the same after each pause, over kills and moves of the clock`, async (t) => {
    const service = await begin(t);
    const folder = await mkdtemp(join(tmpdir(), 'l-plate-copy-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const node = () => service.url(Math.floor(Math.random() * service.count));
    const made = await fetch(`${node()}/insurer/v1/demo-clients`, { method: 'POST' });
    const credentials = (await made.json()) as object;
    await writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials));

    /** Undefined where nobody answers: its node was killed. */
    const call = async (method: string, path: string, json?: object, token?: string) => {
      const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
      const body = json ? JSON.stringify(json) : null;
      return fetch(node() + path, { method, headers, body })
        .then(async (response) => ({ status: response.status, json: JSON.parse(await response.text()) }))
        .catch(() => undefined);
    };
    const newToken = async () =>
      (await call('POST', '/insurer/v1/auth/token', credentials))?.json.access_token as string;

    const ids: string[] = [];
    let plates = 0;
    let done = 0;
    async function write(token: string): Promise<void> {
      for (let left = calls; left > 0; left -= 1) {
        const id = ids[Math.floor(Math.random() * ids.length)];
        const choice = Math.random();
        plates += 1;
        const answer =
          id === undefined || choice < 0.5
            ? await call('POST', '/insurer/v1/policies', { regNumber: `SY-${plates}` }, token)
            : choice < 0.9
              ? await call('PUT', `/insurer/v1/policies/${id}`, { holder: `Holder ${plates}` }, token)
              : await call('POST', `/insurer/v1/policies/${id}/cancel`, undefined, token);
        if (answer?.status === 201) ids.push(answer.json.id);
        notEqual(answer?.status, 401);
        done += 1;
      }
    }

    /** One run of the program. Its exit code says whether the counts are the same. */
    const follow = () =>
      new Promise<string>((resolve, reject) =>
        execFile(
          process.execPath,
          [join(root, 'examples/sync-policies.js')],
          { cwd: folder, env: { ...process.env, LPLATE_URL: node() } },
          (error, stdout, stderr) => (error && error.code !== 1 ? reject(new Error(stderr)) : resolve(stdout)),
        ),
      );

    let copied = 0;
    for (let round = 0; round < rounds; round += 1) {
      const token = await newToken();
      done = 0;
      const work = Promise.all(Array.from({ length: writers }, () => write(token)));
      await until(() => done > (writers * calls) / 3, 'a third of the calls has been made');
      const meanwhile = service.count > 1 ? follow() : undefined;
      const killed = round % service.count;
      await service.kill(killed);
      await service.restart(killed);
      await Promise.all([work, meanwhile]);

      // Twice, since a run that was broken off is followed by another.
      await follow();
      const told = await follow();
      const { policies } = JSON.parse(await readFile(join(folder, 'policies.json'), 'utf8'));
      const there: { id: string }[] = [];
      for (let page = 1; ; page += 1) {
        const answer = await call('GET', `/insurer/v1/policies?pageSize=500&page=${page}`, undefined, await newToken());
        there.push(...(answer?.json.items ?? []));
        if (page >= (answer?.json.totalPages ?? 0)) break;
      }
      deepEqual(policies, Object.fromEntries(there.map((policy) => [policy.id, policy])));
      equal(told, `0 changed, ${there.length} here, ${there.length} there\n`);
      equal(there.length > copied, true, 'something was written');
      copied = there.length;
      await call('POST', '/range/v1/me/clock', { advance: round % 2 === 0 ? 'PT2H' : 'P1D' }, await newToken());
    }
    t.diagnostic(`${copied} policies, the same on both sides after ${rounds} pauses`);
  });
