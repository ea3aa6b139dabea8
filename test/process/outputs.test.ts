import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { onPostgres, onSqlite } from '../support/engines.ts';
import {
  behindShell,
  callOften,
  devicesMissing,
  dropped,
  fullPipe,
  metricNow,
  openFor,
  openPipe,
  stopInTime,
} from '../support/outputs.ts';
import { launcher, run, startProgram } from '../support/program.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { until } from '../support/until.ts';

const ended = { code: 0, signal: null };

const terminalMissing = spawnSync('script', ['--version']).status === 0 ? false : 'NO script: there is no terminal';

describe('Outputs', { skip: devicesMissing, concurrency: 3 }, () => {
  onSqlite((engine) => {
    test('Decisions, the program: outputs: into /dev/full, as both outputs, it starts, answers and stops', async (t) => {
      const full = openFor(t, '/dev/full', 'w');
      const program = await startProgram(t, await engine.location(), { stdout: full, stderr: full });
      await callOften(program, 100);
      assert.deepEqual(await stopInTime(program), ended);
    });

    test('Decisions, the program: outputs: into a pipe that takes nothing, as both outputs, it starts, answers and stops', async (t) => {
      const pipe = fullPipe(t);
      const program = await startProgram(t, await engine.location(), { stdout: pipe, stderr: pipe });
      await callOften(program, 100);
      assert.ok((await metricNow(program, 'lplate_log_waiting_characters')) > 0);
      assert.deepEqual(await stopInTime(program), ended);
    });

    test('Decisions, the program: outputs: a pipe whose reader ends costs lines, and a new reader gets the next ones', async (t) => {
      const pipe = openPipe(t);
      const program = await startProgram(t, await engine.location(), { stdout: pipe.writer });
      await callOften(program, 50);
      await until(() => pipe.read().includes('/healthz'), 'lines come');
      pipe.end();
      await callOften(program, 200);
      await until(async () => (await dropped(program)) > 0, 'the loss is counted');
      assert.match(program.stderr(), /^L-Plate: the log can't be written to standard output \(EPIPE: [^\n]*\n$/);
      pipe.begin();
      await until(() => pipe.read().includes('"dropped":'), 'the loss is told');
      await callOften(program, 50);
      await until(() => pipe.read().lastIndexOf('/healthz') > pipe.read().indexOf('"dropped":'), 'lines come again');
      pipe.end();
      await callOften(program, 50);
      assert.deepEqual(await stopInTime(program), ended);
    });

    test('Decisions, the program: outputs: with closed outputs it starts, answers and stops', async (t) => {
      const command = behindShell('>&- 2>&-');
      // The test needs to know when it is ready: the outputs that the shell closes are given here.
      const stdout = openFor(t, '/dev/null', 'w');
      const program = await startProgram(t, await engine.location(), { command, stdout });
      await callOften(program, 100);
      assert.equal(await dropped(program), 0);
      assert.deepEqual(await stopInTime(program), ended);
    });

    test('Decisions, the program: outputs: on a terminal the banner and each line appear', {
      skip: terminalMissing,
    }, async (t) => {
      const command = `"${process.execPath}" "${launcher}"`;
      const program = await startProgram(t, await engine.location(), {
        command: ['script', '--quiet', '--return', '--command', command, '/dev/null'],
        family: true,
      });
      await callOften(program, 500);
      await until(() => program.stdout().split('"route":"/healthz"').length > 500, 'each line is there');
      program.child.kill('SIGTERM');
      await program.exit;
    });

    /** Has Node.js load a script before the program. */
    async function preloaded(script: string): Promise<{ NODE_OPTIONS: string }> {
      const where = await engine.location();
      assert.ok('directory' in where);
      const path = join(where.directory, 'preloaded.mjs');
      writeFileSync(path, script);
      return { NODE_OPTIONS: `--import=${path}` };
    }

    test('Decisions, the program: outputs: warnings of Node.js and a defect don’t wait for a standard error that is not read', async (t) => {
      const environment = await preloaded(`
        process.on('SIGUSR2', () => process.emitWarning('W'.repeat(9000)));
        process.on('SIGHUP', () => { throw new Error('E'.repeat(9000)); });`);
      const program = await startProgram(t, await engine.location(), { environment, stderr: fullPipe(t) });
      program.child.kill('SIGUSR2');
      await callOften(program, 10);
      assert.deepEqual(await stopInTime(program, 'SIGHUP'), { code: 1, signal: null });
    });

    test('Decisions, the program: outputs: warnings of Node.js and a defect are told on standard error', async (t) => {
      const environment = await preloaded(`
        process.on('SIGUSR2', () => process.emitWarning('a warning', 'OddWarning'));
        process.on('SIGHUP', () => { throw new Error('a defect'); });`);
      const program = await startProgram(t, await engine.location(), { environment });
      program.child.kill('SIGUSR2');
      await until(() => /^\(node:\d+\) OddWarning: a warning\n$/.test(program.stderr()), 'it is told');
      assert.deepEqual(await stopInTime(program, 'SIGHUP'), { code: 1, signal: null });
      assert.match(program.stderr(), /\nError: a defect\n +at .*preloaded\.mjs/);
    });

    test('Decisions, the program: stop: a thread that hangs in a file does not keep the program from ending', async (t) => {
      // Read and write: nobody ends such a write.
      const { path } = openPipe(t);
      const environment = await preloaded(`
        import { openSync, write } from 'node:fs';
        write(openSync(${JSON.stringify(path)}, 'r+'), 'x'.repeat(200000), () => {});`);
      const program = await startProgram(t, await engine.location(), { environment });
      assert.deepEqual(await stopInTime(program), { code: null, signal: 'SIGKILL' });
    });
  });

  test('Decisions, the program: outputs: --help into a full disk says so with code 1; one that reads only a part of it hears nothing', async (t) => {
    const full = openFor(t, '/dev/full', 'w');
    const help = await run(t, { args: ['--help'], stdout: full });
    assert.equal(help.code, 1);
    assert.match(help.stderr, /^L-Plate: standard output can't be written: ENOSPC[^\n]*\n$/);
    const pipe = openPipe(t);
    pipe.end();
    for (const arg of ['--help', '--version']) {
      const cut = await run(t, { args: [arg], stdout: pipe.writer });
      assert.deepEqual([cut.code, cut.stderr], [0, '']);
    }
    const script = `"${process.execPath}" "${launcher}" --help | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    assert.deepEqual([stdout, stderr], ['L-Plate: a synthetic motor insurer to practise API integration on.\n', '']);
  });

  test('Decisions, the program: outputs: a start that is refused ends with its code, whatever becomes of the line that says why', async (t) => {
    const full = openFor(t, '/dev/full', 'w');
    for (const stderr of [full, fullPipe(t)]) {
      const { code } = await run(t, { args: ['--port', 'x'], stderr });
      assert.equal(code, 2);
    }
    const closed = await run(t, { args: ['--port', 'x'], command: behindShell('>&- 2>&-') });
    assert.equal(closed.code, 2);
  });

  onPostgres((engine) => {
    test('Decisions, the program: stop: a database that answers nothing does not keep the program from ending within 10 seconds; the code is 1', async (t) => {
      const where = await engine.location();
      assert.ok('url' in where);
      const url = new URL(where.url);
      const relay = await startTcpRelay(t, { host: url.hostname, port: Number(url.port) });
      url.port = String(relay.port);
      url.hostname = '127.0.0.1';
      const program = await startProgram(t, { url: url.href });
      const { token } = await program.client();
      relay.swallow();
      const call = program.call('GET', '/policies', { token }).catch(() => undefined);
      await until(() => fetch(`${program.url}/healthz`).then(({ ok }) => ok), 'it waits');
      assert.deepEqual(await stopInTime(program), { code: 1, signal: null });
      assert.match(program.stderr(), /^L-Plate did not stop within [\d.]+ seconds[^\n]*\n$/);
      await call;
    });

    test('Decisions, the program: stop: a worker that stands still is killed, and does not keep the program from ending; the code is 1', async (t) => {
      const program = await startProgram(t, await engine.location(), { args: ['--workers', '2'], family: true });
      const list = spawnSync('ps', ['-o', 'pid=', '--ppid', String(program.child.pid)], { encoding: 'utf8' });
      const [worker = 0] = list.stdout.trim().split('\n').map(Number);
      process.kill(worker, 'SIGSTOP');
      assert.deepEqual(await stopInTime(program), { code: 1, signal: null });
      assert.match(program.stderr(), /^L-Plate did not stop cleanly: /);
      assert.throws(() => process.kill(worker, 0), { code: 'ESRCH' });
    });
  });
});
