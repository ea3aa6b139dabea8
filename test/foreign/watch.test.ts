import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { madePackage } from '../support/make-package.ts';
import { type Launched, launch } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { home } from './support/tools.ts';

/*
 * The package in tests that are run again whenever a file changes. Modes that watch give the processes they start variables
 * and channels of their own, which the service must not take for its own.
 */

/** What a test does, and says that it has done. */
const steps = (word: string) => `
  const lplate = await start();
  const client = await lplate.client();
  const headers = { Authorization: \`Bearer \${await client.token()}\` };
  const { status } = await fetch(\`\${lplate.url}/insurer/v1/policies\`, { headers });
  await lplate.close();
  console.log(\`passed \${status} ${word}\`);`;

const script = (word: string) => `import { start } from 'l-plate';${steps(word)}\n`;

const testOf = (word: string, head: string, time = '') =>
  `${head}test('it is served', async () => {${steps(word)}\n}${time});\n`;
const importing = "import { start } from 'l-plate';\n";

interface Watcher {
  readonly tool?: string;
  /** It brings its own, and starts the service with the Node.js that it finds. */
  readonly runtime?: string;
  /** What runs it: a script of the installed tools, or Node.js itself, with flags. */
  readonly command: readonly string[];
  readonly file: string;
  readonly text: (word: string) => string;
  /** Its own page tells it by a WebSocket what to run. */
  readonly isToldByPage?: true;
}

/** Where its package has it, whose script would only put it in another place. */
const bun = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64'}/bin/bun`;

const watchers: Readonly<Record<string, Watcher>> = {
  'node --watch': { command: ['--watch', 'script.mjs'], file: 'script.mjs', text: script },
  'node --test --watch': {
    command: ['--test', '--watch', 'a.test.mjs'],
    file: 'a.test.mjs',
    text: (word) => testOf(word, `${importing}import { test } from 'node:test';\n`),
  },
  'vitest watch': {
    tool: 'vitest',
    command: ['vitest/vitest.mjs', 'watch'],
    file: 'a.test.mjs',
    text: (word) => testOf(word, `${importing}import { test } from 'vitest';\n`, ', 60_000'),
  },
  'jest --watchAll': {
    tool: 'jest',
    command: ['jest/bin/jest.js', '--watchAll', '--rootDir', '.'],
    file: 'a.test.js',
    text: (word) => testOf(word, "const { start } = require('l-plate');\n", ', 60_000'),
  },
  'mocha --watch': {
    tool: 'mocha',
    command: ['mocha/bin/mocha.js', '--watch', '--ui', 'qunit', '--timeout', '60000', 'a.test.cjs'],
    file: 'a.test.cjs',
    text: (word) => testOf(word, "const { start } = require('l-plate');\n"),
  },
  'mocha --watch --parallel': {
    tool: 'mocha',
    command: ['mocha/bin/mocha.js', '--watch', '--parallel', '--ui', 'qunit', '--timeout', '60000', 'a.test.cjs'],
    file: 'a.test.cjs',
    text: (word) => testOf(word, "const { start } = require('l-plate');\n"),
  },
  // What is behind its page: the mode `--ui`, and the extension for VS Code.
  'playwright test --ui': {
    tool: '@playwright/test',
    command: ['@playwright/test/cli.js', 'test-server', '--host', '127.0.0.1', '--port', '0'],
    file: 'a.spec.mjs',
    text: (word) => testOf(word, `${importing}import { test } from '@playwright/test';\n`),
    isToldByPage: true,
  },
  'tsx watch': { tool: 'tsx', command: ['tsx/dist/cli.mjs', 'watch', 'script.mts'], file: 'script.mts', text: script },
  'bun test --watch': {
    tool: 'bun',
    runtime: bun,
    command: ['test', '--watch', './a.test.mjs'],
    file: 'a.test.mjs',
    text: (word) => testOf(word, `${importing}import { test } from 'bun:test';\n`, ', 60_000'),
  },
  'bun --watch': {
    tool: 'bun',
    runtime: bun,
    command: ['--watch', 'script.mjs'],
    file: 'script.mjs',
    text: script,
  },
  nodemon: { tool: 'nodemon', command: ['nodemon/bin/nodemon.js', 'script.mjs'], file: 'script.mjs', text: script },
};

/** Waits until the runner has written it. */
async function says({ child, stdout, stderr, exit }: Launched, wanted: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => {
    const told = stdout() + stderr();
    if (told.includes(wanted)) resolve();
    else if (/can't start|[1-9] fail/.test(told)) reject(new Error(told));
  };
  const outputs = [child.stdout, child.stderr];
  for (const output of outputs) output?.on('data', look);
  exit.then(() => reject(new Error(stdout() + stderr())));
  look();
  await promise.finally(() => outputs.map((output) => output?.off('data', look)));
}

/** Runs all tests as the page of Playwright does, and returns what runs them again. */
async function pageOf(running: Launched): Promise<() => void> {
  await says(running, '/ws');
  const [address = ''] = /ws:\/\/\S+/.exec(running.stdout()) ?? [];
  const socket = new WebSocket(address);
  await once(socket, 'open');
  let id = 0;
  const send = (method: string) => {
    id += 1;
    socket.send(JSON.stringify({ id, method, params: {} }));
  };
  send('initialize');
  send('runTests');
  return () => send('runTests');
}

for (const [name, { tool, runtime, command, file, text, isToldByPage }] of Object.entries(watchers)) {
  const title = `Decisions, the library: under ${name} a test passes, and again when its file is changed, and only then`;
  toolTest(tool ? [tool] : [], title, { runtime: 'node' }, async ({ t }) => {
    const folder = await mkdtemp(join(tmpdir(), 'l-plate-watch-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    for (const [name, place] of [
      ['l-plate', madePackage],
      ...(tool ? [[tool, join(home('node'), 'node_modules', tool)] as const] : []),
    ] as const) {
      await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
      await symlink(place, join(folder, 'node_modules', name));
    }
    await writeFile(join(folder, 'package.json'), '{}');
    await writeFile(join(folder, file), text('first'));
    const [first = '', ...flags] = command;
    const installed = (path: string) => join(home('node'), 'node_modules', path);
    const called = tool && !runtime ? [installed(first), ...flags] : command;
    const program = runtime ? installed(runtime) : process.execPath;
    const path = `PATH='${dirname(process.execPath)}':"$PATH"`;
    const line = `cd '${folder}' && unset NODE_TEST_CONTEXT && ${path} exec '${program}' ${called.join(' ')}`;
    // Some end with their standard input.
    const running = launch(t, { command: ['bash', '-c', `sleep 600 | { ${line}; }`], family: true });
    const runAgain = isToldByPage ? await pageOf(running) : () => {};
    await says(running, 'passed 200 first');
    const change = () => writeFile(join(folder, file), text('second'));
    await change();
    // A watcher that read the file between its truncation and its text may not look again before it is saved again.
    const again = setInterval(change, 20_000);
    runAgain();
    await says(running, 'passed 200 second').finally(() => clearInterval(again));
    assert.equal((running.stdout() + running.stderr()).split('passed 200 first').length - 1, 1);
  });
}
