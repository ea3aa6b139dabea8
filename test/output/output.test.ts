// In a process of its own: it mounts a disk for all its tests.

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { devicesMissing, openFor, openPipe, smallDisk } from '../support/outputs.ts';
import { until } from '../support/until.ts';

const { disk, skip: diskMissing } = smallDisk('2m');

interface Figures {
  dropped: number;
  waiting: number;
  failures: string[];
}

function start(t: TestContext, stdout: number | 'pipe', ...path: [string?]) {
  const child = fork(join(import.meta.dirname, '../support/output-process.ts'), path as string[], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  const write = async (lines: number): Promise<Figures> => {
    child.send(lines);
    const [figures] = await once(child, 'message');
    return figures;
  };
  return {
    child,
    write,
    figures: () => write(0),
    async end(): Promise<number | null> {
      child.disconnect();
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}

/** Checks that each line is there, or told as dropped in its place. Returns how many lines were written so far. */
function checkLines(text: string, tells = 1): number {
  let last = 0;
  let told = 0;
  for (const line of text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)) {
    const dropped = /^(\d+) dropped$/.exec(line)?.[1];
    if (dropped !== undefined) {
      told += 1;
      last += Number(dropped);
      continue;
    }
    assert.equal(line.length, 299);
    assert.equal(Number(line.replace(/^\.+/, '')), last + 1);
    last += 1;
  }
  assert.ok(told <= tells, `told ${told} times`);
  return last;
}

/** 300 characters each: three times what may wait. */
const many = 10_000;

describe('Output', { skip: devicesMissing }, () => {
  test('Decisions, the program: outputs: a pipe that is read gets every line', async (t) => {
    const pipe = openPipe(t);
    const { write, figures, end } = start(t, pipe.writer);
    for (let round = 1; round <= 3; round += 1) {
      await write(1_000);
      await until(() => checkLines(pipe.read(), 0) === round * 1_000, 'all is read');
    }
    assert.deepEqual(await figures(), { dropped: 0, waiting: 0, failures: [] });
    assert.equal(await end(), 0);
  });

  test('Decisions, the program: outputs: while nobody reads at most a megabyte waits; then the loss is told once, in its place', async (t) => {
    const pipe = openPipe(t);
    const { write, end } = start(t, pipe.writer);
    const { dropped, waiting, failures } = await write(many);
    assert.ok(dropped > 6_000 && dropped < 7_000 && waiting <= 1_048_576, `${dropped} dropped, ${waiting} wait`);
    assert.deepEqual(failures, ['its reader is too slow']);
    await until(() => checkLines(pipe.read()) === many, 'all is read');
    assert.deepEqual(await write(10), { dropped, waiting: 3_000, failures });
    await until(() => checkLines(pipe.read()) === many + 10, 'it goes on');
    assert.equal(await end(), 0);
  });

  for (const to of ['standard output', 'the file of a log'])
    test(`Decisions, the program: outputs: on a full disk lines for ${to} wait, then are dropped; with room again the loss is told in its place`, {
      skip: diskMissing,
    }, async (t) => {
      const [file, ballast] = [join(disk, to), join(disk, 'ballast')];
      writeFileSync(file, '');
      t.after(() => rmSync(file));
      const { write, figures, end } =
        to === 'standard output' ? start(t, openFor(t, file, 'a')) : start(t, 'pipe', file);
      await write(100);
      await until(() => checkLines(readFileSync(file, 'utf8')) === 100, 'they are written');
      for (let round = 1; round <= 2; round += 1) {
        assert.throws(() => writeFileSync(ballast, Buffer.alloc(3_000_000)), /ENOSPC/);
        await write(1_000);
        await until(async () => (await figures()).failures.length > 0, 'it fails');
        // A short failure loses nothing.
        if (round === 2) await write(many);
        const { dropped, failures } = await figures();
        assert.equal(dropped > 0, round === 2);
        assert.deepEqual(failures, ['ENOSPC: no space left on device']);
        rmSync(ballast);
        const all = 100 + (round === 1 ? 1_000 : 2_000 + many);
        await until(() => checkLines(readFileSync(file, 'utf8')) === all, 'all is written');
      }
      assert.equal(await end(), 0);
    });

  test('Decisions, the program: outputs: without a reader lines are dropped at once; a new reader is told how many', async (t) => {
    const pipe = openPipe(t);
    const { write, figures, end } = start(t, pipe.writer);
    await write(100);
    await until(() => checkLines(pipe.read()) === 100, 'all is read');
    pipe.end();
    await write(1_000);
    await until(async () => (await figures()).dropped === 1_000, 'they are dropped');
    await write(many);
    assert.deepEqual(await figures(), {
      dropped: 1_000 + many,
      waiting: 0,
      failures: ['EPIPE: broken pipe'],
    });
    pipe.begin();
    await until(() => checkLines(pipe.read()) === 1_100 + many, 'it is told');
    await write(100);
    await until(() => checkLines(pipe.read()) === 1_200 + many, 'it goes on');
    pipe.end();
    await write(100);
    assert.equal(await end(), 0);
  });

  test('Decisions, the program: outputs: a socket that is not read is as a pipe', async (t) => {
    // Node.js gives a socket where others give a pipe.
    const { child, write, figures } = start(t, 'pipe');
    const { dropped, waiting } = await write(many);
    assert.ok(dropped > 0 && waiting <= 1_048_576);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part) => (text += part));
    await until(() => checkLines(text) === many, 'all is read');
    child.stdout?.pause();
    await write(many);
    assert.ok((await figures()).dropped > dropped);
    const exit = once(child as ChildProcess, 'exit');
    child.disconnect();
    assert.deepEqual(await exit, [0, null]);
  });

  test('Decisions, the program: outputs: at the end what can be written is written', async (t) => {
    const pipe = openPipe(t);
    const { write, end } = start(t, pipe.writer);
    await write(150);
    assert.equal(await end(), 0);
    assert.equal(checkLines(pipe.read()), 150);
  });
});
