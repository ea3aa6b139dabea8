import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { onPostgres, onSqlite } from '../support/engines.ts';
import { kept, tellingKept } from '../support/kept.ts';
import {
  callOften,
  countLogLines,
  devicesMissing,
  dropped,
  metricNow,
  openFor,
  openPipe,
  smallDisk,
  stopInTime,
} from '../support/outputs.ts';
import { startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** More lines than the buffer of the log holds and a pipe beside it: some 170 bytes each. */
const many = 9_000;

const ended = { code: 0, signal: null };
const { disk, skip: diskMissing } = smallDisk('2m');

describe('Outputs', { skip: devicesMissing }, () => {
  onSqlite((engine) => {
    test('Decisions, the program: outputs: into /dev/full what is lost is counted, and no more than a megabyte waits', async (t) => {
      const stdout = openFor(t, '/dev/full', 'w');
      const program = await startProgram(t, await engine.location(), { stdout });
      await callOften(program, many);
      assert.ok((await dropped(program)) > 0);
      assert.ok((await metricNow(program, 'lplate_log_waiting_characters')) <= 1_048_576);
      assert.deepEqual(await stopInTime(program), ended);
      assert.match(program.stderr(), /^L-Plate: the log can't be written to standard output \(ENOSPC: [^\n]*\n$/);
    });

    test('Decisions, the program: outputs: when the disk of the log is full answers go on; with room again the loss is told in the log', {
      skip: diskMissing,
    }, async (t) => {
      const [log, ballast] = [join(disk, 'log'), join(disk, 'ballast')];
      const program = await startProgram(t, await engine.location(), { stdout: openFor(t, log, 'a') });
      assert.throws(() => writeFileSync(ballast, Buffer.alloc(3_000_000)), /ENOSPC/);
      await callOften(program, many);
      const lost = await dropped(program);
      assert.ok(lost > 0);
      rmSync(ballast);
      await until(() => readFileSync(log, 'utf8').includes('"dropped":'), 'the loss is told');
      await callOften(program, 1);
      assert.deepEqual(await stopInTime(program), ended);
      const { calls, told } = countLogLines(readFileSync(log, 'utf8'));
      t.diagnostic(`${calls} lines written, ${lost} dropped`);
      assert.equal(told.length, 1);
      // To ask for the figure leaves a line of its own.
      assert.ok(Number(told[0]?.dropped) - lost <= 1);
      assert.equal(told[0]?.level, 40);
      assert.match(String(told[0]?.msg), /log lines were dropped here/);
      assert.ok(calls + lost > many);
      assert.match(program.stderr(), /\(ENOSPC: [^\n]*\n$/);
    });

    test('Decisions, the program: outputs: a pipe whose reader stops costs lines, not answers, and does not keep the program from ending', async (t) => {
      const pipe = openPipe(t);
      const program = await startProgram(t, await engine.location(), { stdout: pipe.writer });
      await callOften(program, many);
      const lost = await dropped(program);
      assert.ok(lost > 0);
      assert.match(
        program.stderr(),
        /^L-Plate: the log can't be written to standard output \(its reader is too slow\)[^\n]*\n$/,
      );
      await until(() => pipe.read().includes('"dropped":'), 'the loss is told');
      await callOften(program, 100);
      // Those that were answered before the first call here are calls as well.
      await until(
        () => countLogLines(pipe.read()).calls + countLogLines(pipe.read()).dropped >= many + 100,
        'it goes on',
      );
      assert.equal(countLogLines(pipe.read()).told.length, 1);
      await callOften(program, many);
      assert.deepEqual(await stopInTime(program), ended);
    });

    test('Decisions, the program: outputs: a socket that is not read costs lines, not answers, and does not keep the program from ending', async (t) => {
      // Node.js gives a socket where others give a pipe.
      const program = await startProgram(t, await engine.location());
      program.child.stdout?.pause();
      await callOften(program, many);
      assert.ok((await dropped(program)) > 0);
      program.child.stdout?.resume();
      await until(() => program.stdout().includes('"dropped":'), 'the loss is told');
      program.child.stdout?.pause();
      await callOften(program, many);
      program.child.kill('SIGTERM');
      await until(() => program.child.exitCode !== null, 'it ends', 10_000);
      assert.equal(program.child.exitCode, 0);
    });

    test('Decisions, the program: outputs: standard error of the same fate changes nothing', async (t) => {
      const full = openFor(t, '/dev/full', 'w');
      const pipe = openPipe(t);
      for (const output of [full, pipe.writer]) {
        const program = await startProgram(t, await engine.location(), { stdout: output, stderr: output });
        await callOften(program, many);
        assert.ok((await dropped(program)) > 0);
        assert.deepEqual(await stopInTime(program), ended);
      }
    });

    test('Decisions, the program: outputs: while nobody reads the log the memory stays flat, and the program ends in time', async (t) => {
      const { writer } = openPipe(t);
      const program = await startProgram(t, await engine.location(), { stdout: writer, command: tellingKept });
      const [rounds, calls] = [10, 10_000];
      const megabytes: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await callOften(program, calls);
        megabytes.push(await kept(program));
      }
      t.diagnostic(`MB after each ${calls} calls: ${megabytes.map(Math.round).join(', ')}`);
      const lost = await dropped(program);
      const began = Date.now();
      assert.deepEqual(await stopInTime(program), ended);
      t.diagnostic(`${lost} lines dropped; it ended ${Date.now() - began} ms after SIGTERM`);
      // The first half warms it up. The second writes 12 MB of lines.
      assert.ok((megabytes.at(-1) ?? 0) - (megabytes[rounds / 2] ?? 0) < 6, `it grew: ${megabytes.join(', ')} MB`);
      assert.ok(lost > (rounds - 1) * calls);
    });
  });

  onPostgres((engine) => {
    test('Decisions, the program: outputs: workers whose output is not read go on answering, lose whole lines only, and stop', async (t) => {
      const pipe = openPipe(t);
      const args = ['--workers', '2'];
      const program = await startProgram(t, await engine.location(), { args, stdout: pipe.writer });
      const calls = 3 * many;
      await callOften(program, calls);
      assert.ok((await dropped(program)) > 0);
      await until(() => {
        const found = countLogLines(pipe.read());
        return found.calls + found.dropped >= calls;
      }, 'each line is there, or told as dropped');
      await callOften(program, calls);
      assert.deepEqual(await stopInTime(program), ended);
    });
  });
});
