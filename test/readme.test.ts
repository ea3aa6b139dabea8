import { equal, ok } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { help } from '../src/config.ts';
import { freePort } from './support/lplate.ts';

const root = join(import.meta.dirname, '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

const missing = ['bash', 'curl', 'openssl', 'sed'].filter((tool) => spawnSync(tool, ['--version']).error);
const skip = missing.length > 0 && `NO ${missing.join(', ')}: the walk of the README is not run`;
if (skip) console.error(skip);

/** A block of commands and what the README says it prints. */
interface Step {
  commands: string;
  output: string;
}

function walk(): Step[] {
  const section = /^## A walk$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const blocks = [...section.matchAll(/```(sh|text)\n(.*?)```/gs)].map(([, kind, text]) => ({
    kind,
    text: text as string,
  }));
  return blocks.flatMap(({ kind, text }, at) => {
    if (kind !== 'sh') return [];
    equal(blocks[at + 1]?.kind, 'text', 'every block of commands has its output');
    return [{ commands: text, output: blocks[at + 1]?.text ?? '' }];
  });
}

/** What differs from one run to the next, made the same. */
function plain(text: string): string {
  return text
    .replace(/http:\/\/localhost:\d+/g, 'ORIGIN')
    .replace(/"client_id":"demo-[0-9a-f]{20}"/g, 'CLIENT')
    .replace(/"client_secret":"[\w-]{43}"/g, 'SECRET')
    .replace(/pol-[0-9a-f-]{36}/g, 'POLICY')
    .replace(/urn:uuid:[0-9a-f-]{36}/g, 'INSTANCE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replace(/\d{4}-\d\d-\d\d/g, 'DATE')
    .replace(/free in \d+ s/g, 'free in N s')
    .replace(/\r/g, '')
    .trim();
}

describe('README', { skip }, () => {
  let directory: string;
  let program: ReturnType<typeof spawn>;
  let origin: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'l-plate-readme-'));
    const port = await freePort();
    origin = `http://localhost:${port}`;
    program = spawn(process.execPath, [join(root, 'bin/lplate.js'), '--port', String(port)], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) =>
      program.stdout?.on('data', (data) => /is ready/.test(String(data)) && resolve()),
    );
  });
  after(async () => {
    program.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  test('the walk prints, command by command, what the README says', () => {
    const steps = walk();
    ok(steps.length >= 10, 'the walk is there');
    const mark = '----8<----';
    const script = steps.map(({ commands }) => `${commands}\necho '${mark}'\n`).join('');
    // As a reader pastes it, in a folder with ./data, but for the address.
    const run = spawnSync('bash', ['-c', script.replaceAll('http://localhost:8080', origin)], {
      cwd: directory,
      encoding: 'utf8',
    });
    const printed = run.stdout.split(`${mark}\n`);
    for (const [at, { commands, output }] of steps.entries()) equal(plain(printed[at] ?? ''), plain(output), commands);
    equal(run.stderr, '');
  });

  test('the walk goes through every stage of the interface', () => {
    const commands = walk()
      .map((step) => step.commands)
      .join('\n');
    for (const path of [
      '/demo-clients',
      '/auth/token',
      '/coverage-options',
      '/policies',
      '/cancel',
      '/limited/ping',
      '/signed/policy-check',
      '$REGISTRY/v1',
      '$REGISTRY/v2/vehicles/',
    ]) {
      ok(commands.includes(path), path);
    }
  });

  test('the settings are those of --help', () => {
    const table = help().slice(help().indexOf('  FLAG'));
    ok(readme.includes(table.trimEnd()));
  });

  test('every link to a file leads somewhere', async () => {
    for (const page of [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      ...(await readdir(join(root, 'docs'))).map((name) => `docs/${name}`),
    ]) {
      const text = await readFile(join(root, page), 'utf8');
      for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(root, page, '..', target as string)).catch(() => ok(false, `${page} links to ${target}`));
      }
    }
  });
});
