import { equal, ok } from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { adapted } from '../../console/pages/guides/guide.ts';
import { freePort } from '../support/lplate.ts';
import { banner, launch, root, startProgram } from '../support/program.ts';
import { type Folder, stepsOf, unwalkable, walk } from '../support/walk.ts';

const readme = await readFile(join(root, 'README.md'), 'utf8');
const tutorial = await readFile(join(root, 'docs/tutorial.md'), 'utf8');
const eventsGuide = await readFile(join(root, 'docs/events.md'), 'utf8');
const lessonsGuide = await readFile(join(root, 'docs/lessons.md'), 'utf8');
const peopleGuide = await readFile(join(root, 'docs/people.md'), 'utf8');
const syncGuide = await readFile(join(root, 'docs/sync.md'), 'utf8');
const moneyGuide = await readFile(join(root, 'docs/money.md'), 'utf8');
const filesGuide = await readFile(join(root, 'docs/files.md'), 'utf8');
const badgesGuide = await readFile(join(root, 'docs/badges.md'), 'utf8');
const rangeGuide = await readFile(join(root, 'docs/range.md'), 'utf8');
const examples = await readFile(join(root, 'examples/README.md'), 'utf8');

/** The folder that a reader is in: a clone with the data of a program that runs, all settings its defaults but those given. */
interface Clone extends Folder {
  /** As the program prints it at its start. */
  readonly hmacSecret: string;
}

async function clone(t: TestContext, given: Record<string, string> = {}): Promise<Clone> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-walk-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const name of ['examples', 'node_modules']) await symlink(join(root, name), join(directory, name));
  const settings = { RATE_LIMIT_PER_MINUTE: '60', ...given };
  const program = await startProgram(t, { directory: join(directory, 'data') }, { environment: settings });
  const origin = `http://localhost:${new URL(program.url).port}`;
  const receiver = String(await freePort());
  return {
    directory,
    // The addresses that readers have by default.
    environment: { LPLATE_URL: origin, TRAINER_TOKEN: program.secrets.trainerToken ?? '' },
    local: (commands) => commands.replaceAll('http://localhost:8080', origin).replaceAll('9000', receiver),
    hmacSecret: program.secrets.hmacSecret,
  };
}

describe('Pages', { skip: unwalkable }, () => {
  test('README: a clone starts, and the quick start prints what it says', async (t) => {
    const [, start = ''] = /^## Start$.*?```sh\n(.*?)```/ms.exec(readme) ?? [];
    const [, quickStart = ''] = /^## Quick start$(.*?)^## /ms.exec(readme) ?? [];
    const directory = await mkdtemp(join(tmpdir(), 'l-plate-readme-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const here = start
      .replace(/https:\S+\.git/, root)
      .replace('npm start', () => `cp -r '${root}/node_modules' .\nnpm start`);
    ok(here.includes(`git clone ${root} l-plate`));
    const started = launch(t, { command: ['bash', '-ec', `cd '${directory}'\n${here}`], family: true });
    await banner(started);
    const [origin = ''] = /http:\/\/localhost:\d+/.exec(started.stdout()) ?? [];
    await walk(stepsOf(quickStart), {
      directory: join(directory, 'l-plate'),
      environment: {},
      local: (commands) => commands.replaceAll('http://localhost:8080', origin),
    });
  });

  test('docs/people.md: its commands print what it says', async (t) => {
    await walk(stepsOf(peopleGuide), await clone(t));
  });

  test('docs/tutorial.md: its commands print what it says', async (t) => {
    await walk(stepsOf(tutorial), await clone(t));
  });

  for (const [page, text] of [
    ['docs/tutorial.md', tutorial],
    ['docs/lessons.md', lessonsGuide],
  ] as const) {
    test(`Console, guides: ${page} prints the same with the client and the addresses of its reader`, async (t) => {
      const folder = await clone(t);
      const origin = folder.local('http://localhost:8080');
      const made = await fetch(`${origin}/insurer/v1/demo-clients`, { method: 'POST' });
      const { client_id: clientId, client_secret: clientSecret } = (await made.json()) as Record<string, string>;
      const own = adapted(text, { origin, client: { clientId: `${clientId}`, clientSecret: `${clientSecret}` } });
      ok(own.includes(`${clientSecret}`));
      equal(own.includes(`${origin}/for/${clientId}`), text === tutorial);
      // Readers fill in what was printed.
      await walk(stepsOf(own.replace("HMAC_SECRET='…'", `HMAC_SECRET='${folder.hmacSecret}'`)), folder);
    });
  }

  test('docs/tutorial.md goes through every stage of the interfaces', () => {
    const commands = stepsOf(tutorial)
      .map((step) => step.commands)
      .join('\n');
    for (const path of [
      '/demo-clients',
      '/auth/token',
      '/coverage-options',
      '/policies',
      '/cancel',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      '/policy-imports',
      '/limited/ping',
      '/signed/policy-check',
      '/vehicle-registry/v1',
      '/vehicle-registry/v2/vehicles/',
      '/claims/v1/claims',
      'text/event-stream',
      'Last-Event-ID',
    ]) {
      ok(commands.includes(path), path);
    }
  });

  for (const [page, text] of [
    ['docs/events.md', eventsGuide],
    ['docs/range.md', rangeGuide],
    ['docs/lessons.md', lessonsGuide],
    ['docs/sync.md', syncGuide],
    ['docs/money.md', moneyGuide],
    ['docs/files.md', filesGuide],
    ['docs/badges.md', badgesGuide],
    ['examples/README.md', examples],
  ] as const) {
    test(`${page}: its commands print what it says`, async (t) => {
      // The pages show what is delivered once; one event in ten would come twice.
      await walk(stepsOf(text), await clone(t, { EVENTS_DUPLICATE_RATE: '0' }));
    });
  }
});
