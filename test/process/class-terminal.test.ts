import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { statusText } from '../../src/process/class-terminal.ts';
import { StatusLine } from '../../src/process/status-line.ts';
import { onSqlite } from '../support/engines.ts';
import { callOften } from '../support/outputs.ts';
import { startProgram } from '../support/program.ts';
import { Screen, startOnTerminal, terminalMissing } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const file = 'l-plate.log';
const is = { learner: /^\d+ learners? · \d+ calls? · \d+ refusals?/, log: /^\{"level":\d+,/ };
const nothing = { learners: 0, calls: 0, refusals: 0, callsWithoutToken: 0, helpAsked: 0, asking: [], going: null };

/** Calls the program as learners and tools do. */
function callerOf(url: string) {
  return async (method: string, path: string, { token, json }: { token?: string; json?: unknown } = {}) => {
    const headers = new Headers(token === undefined ? {} : { Authorization: `Bearer ${token}` });
    if (json !== undefined) headers.set('Content-Type', 'application/json');
    const body = json === undefined ? null : JSON.stringify(json);
    const answer = await fetch(url + path, { method, headers, body });
    return JSON.parse((await answer.text()) || 'null');
  };
}

onSqlite((engine) => {
  async function directory(): Promise<string> {
    const where = await engine.location();
    assert.ok('directory' in where);
    return join(where.directory, 'data');
  }

  describe('a class on a terminal', { skip: terminalMissing }, () => {
    test('Decisions, a class: the banner stays, one line below it changes, and the log is in a file for its owner alone', async (t) => {
      const data = await directory();
      const { screen, url, resize, type, exit } = await startOnTerminal(t, data, { args: '--class' });
      const call = callerOf(url);
      const last = () => screen.seen.findLast((row) => row !== '') ?? '';
      await until(() => last() === '0 learners · 0 calls · 0 refusals', 'the line is there');
      const banner = screen.all.slice(0, screen.all.indexOf(last())).join('\n');
      const client = await call('POST', '/insurer/v1/demo-clients');
      const { access_token: token } = await call('POST', '/insurer/v1/auth/token', { json: client });
      await call('PATCH', '/range/v1/me', { token, json: { nickname: 'Ada' } });
      await call('GET', '/insurer/v1/policies/none', { token });
      await call('POST', '/range/v1/me/help', { token, json: { message: 'My signature is wrong.' } });
      await until(
        () => /^1 learner · \d calls? · 1 refusal · asking for help: Ada$/.test(last()),
        'what happens is told',
      );
      await callOften({ url }, 500);
      const log = async () => (await readFile(join(data, file), 'utf8')).trimEnd().split('\n');
      await until(
        async () => (await log()).filter((line) => line.includes('"/healthz"')).length === 500,
        'each line is there',
      );
      assert.ok(screen.all.join('\n').startsWith(banner), 'nothing moved the banner');
      assert.match(banner, /\n *[█▀▄]/);
      assert.ok(screen.all.join('').includes(`The log is in ${join(data, file)}.`));
      for (const line of await log()) assert.match(line, is.log);
      assert.equal(((await stat(join(data, file))).mode & 0o777).toString(8), '600');
      const secrets = Object.values(JSON.parse(await readFile(join(data, 'secrets.json'), 'utf8')));
      for (const secret of [...secrets, client.client_secret, token])
        assert.ok(!(await log()).join('\n').includes(secret as string));
      // Narrow, with room for less than the line; and back.
      const whole = last();
      for (const columns of [60, 40, 25, 100]) {
        resize(columns, 70);
        const rows = () => screen.all.filter((row) => row.includes('1 learner'));
        await until(() => rows().join('|') === whole.slice(0, columns - 1), `${columns} columns`);
        assert.ok(screen.all.join('').includes('Stop with Ctrl+C.'));
      }
      type('\x03');
      assert.equal(await exit, 0);
      assert.equal(screen.cursorColumn, 0, 'what the shell says next begins a row');
      assert.ok(!screen.all.some((row) => is.log.test(row)));
    });

    test('Decisions, a class: a start after a start goes on with the file of the log, and on an 80 by 24 terminal too', async (t) => {
      const data = await directory();
      for (const starts of [1, 2]) {
        const { screen, url, type, exit } = await startOnTerminal(t, data, { args: '--class', columns: 80, rows: 24 });
        await until(() => screen.seen.some((row) => is.learner.test(row)), 'the line is there');
        await callOften({ url }, 10);
        type('\x03');
        assert.equal(await exit, 0);
        const lines = (await readFile(join(data, file), 'utf8')).split('\n');
        assert.equal(lines.filter((line) => line.includes('"/healthz"')).length, 10 * starts);
      }
    });

    test('Decisions, a class: where the log can not be written, it starts, answers, and the line says so until it can', async (t) => {
      const data = await directory();
      await mkdir(join(data, file), { recursive: true, mode: 0o700 });
      const { screen, url } = await startOnTerminal(t, data, { args: '--class' });
      const line = () => screen.seen.findLast((row) => row !== '') ?? '';
      await callOften({ url }, 100);
      await until(() => line().startsWith('THE LOG CAN’T BE WRITTEN: it is not a file · 0 learners'), 'it is told');
      await callOften({ url }, 100);
      await rm(join(data, file), { recursive: true });
      await until(() => is.learner.test(line()), 'it is over');
      const lines = (await readFile(join(data, file), 'utf8')).split('\n');
      assert.equal(lines.filter((each) => each.includes('"/healthz"')).length, 200);
      assert.ok(!screen.all.some((row) => row.includes('L-Plate: the log')), 'the banner is not pushed out');
    });

    test('Decisions, a class: whoever asks for a log level, for JSON, or has another terminal or no class, has the log on the terminal', async (t) => {
      const others: [args: string, environment?: Record<string, string>][] = [
        ['--class', { LOG_LEVEL: 'info' }],
        ['--class --log-level debug'],
        ['--class', { TERM: 'dumb' }],
        ['--class --data-dir memory'],
        [''],
      ];
      for (const [args, environment = {}] of others) {
        const data = await directory();
        const { screen, url, child } = await startOnTerminal(t, data, { args, environment, columns: 300 });
        await callOften({ url }, 50);
        await until(
          () => screen.all.filter((row) => row.includes('"/healthz"')).length >= 50,
          `${args}: lines are there`,
        );
        assert.ok(!screen.all.some((row) => is.learner.test(row)) && !existsSync(join(data, file)), args);
        child.kill('SIGKILL');
      }
    });
  });

  test('Decisions, a class: into a pipe goes the log, as without a class', async (t) => {
    const data = await directory();
    const program = await startProgram(t, { directory: data }, { args: ['--class'] });
    await callOften(program, 50);
    await until(() => program.stdout().split('"/healthz"').length > 50, 'each line is there');
    assert.ok(!existsSync(join(data, file)) && !program.stdout().includes('\x1b'));
  });
});

test('Decisions, a class: what is printed stands above the line, which nobody’s name can leave', async () => {
  const screen = new Screen(40, 10);
  const line = new StatusLine(() => 40);
  line.text = 'one';
  await screen.write(`banner\r\n${line.above('')}`);
  await screen.write(line.above('The networks have changed.\n').replaceAll('\n', '\r\n'));
  assert.deepEqual(screen.all.slice(0, 4), ['banner', 'The networks have changed.', 'one', '']);
  line.text = 'a\x1b[2J\x9b2J\r\n\u202ename\u2028b 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字';
  await screen.write(line.above(''));
  await screen.write(line.above('a text without its end').replaceAll('\n', '\r\n'));
  const [banner, news, text, last = '', after] = screen.all;
  assert.deepEqual([banner, news, text, after], ['banner', 'The networks have changed.', 'a text without its end', '']);
  assert.match(last, /^a\[2J2Jnameb 漢字/);
  line.text = '';
  await screen.write(line.above(''));
  assert.equal(screen.all[3], '');
});

test('Decisions, a class: a terminal that becomes narrower shows one line, and all that is above it', async () => {
  let columns = 80;
  const screen = new Screen(columns, 10);
  const line = new StatusLine(() => columns);
  line.text = 'x'.repeat(75);
  await screen.write(`one\r\ntwo\r\n${line.above('')}`);
  for (columns of [60, 59, 30, 29, 28, 10, 3, 80]) {
    screen.resize(columns, 10);
    await screen.write(line.above(''));
    const shown = screen.all.filter((row) => row !== '');
    assert.deepEqual(shown, ['one', 'two', 'x'.repeat(Math.min(columns - 1, 75))], `${columns} columns`);
  }
  await screen.write(line.ended().replaceAll('\n', '\r\n'));
  assert.equal(screen.cursorColumn, 0);
});

test('Decisions, a class: the line tells of the log first, and of those who asked for help as many as it has room for', () => {
  const log = { failure: undefined, dropped: 0 };
  assert.equal(statusText(nothing, log), '0 learners · 0 calls · 0 refusals');
  const seen = {
    learners: 20,
    calls: 1,
    refusals: 7,
    callsWithoutToken: 2,
    helpAsked: 5,
    asking: ['Ada', 'Bo', 'Cy'],
    going: null,
  };
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  assert.equal(
    statusText(seen, { failure: full, dropped: 3 }),
    'THE LOG CAN’T BE WRITTEN: ENOSPC: no space left on device · 3 lines of the log lost · 20 learners · 1 call · 7 refusals · 2 without a token · asking for help: Ada, Bo, Cy and 2 more',
  );
});

test('Decisions, classes: the line of the terminal tells of learners that are about to be removed, from when on and what keeps them', () => {
  const going = { total: 12, names: ['Ada', 'Bo', 'Cy'], keptUntil: '2026-03-18T09:05:00.000Z', days: 60 };
  assert.equal(
    statusText({ ...nothing, learners: 12, going }, { failure: undefined, dropped: 0 }),
    '12 learners · 0 calls · 0 refusals · 12 removed from 18 March 2026 at 09:05 UTC on: --keep-clients-days 60',
  );
});
