import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe } from 'node:test';
import { until } from '../support/until.ts';
import { programPath, told } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, classpath, jdk, python } from './support/tools.ts';

/* Readers of statements, and programs that go on with a download. */

const formats = ['csv', 'csv-1252', 'ndjson'] as const;
type Format = (typeof formats)[number];

interface Made {
  readonly headers: Record<string, string>;
  /** Where its content is. */
  readonly address: string;
  /** Count and sums, in cents, as the interface tells them. */
  readonly totals: number[];
}

/** A statement of 1,000 policies of a new client. */
async function statementOf({ program, origin }: Place, format: Format): Promise<Made> {
  const { token } = await program.client();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const send = async (path: string, json?: object) => {
    const init = json ? { method: 'POST', body: JSON.stringify(json) } : {};
    const answer = await fetch(origin + path, { ...init, headers });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return JSON.parse(await answer.text());
  };
  for (let fleet = 0; fleet < 10; fleet += 1) {
    const policies = Array.from({ length: 100 }, (_, at) => ({
      regNumber: `F${formats.indexOf(format)}-${fleet}-X-${at}`,
    }));
    await send('/range/v1/me/fleet', { policies });
  }
  const month = new Date().toISOString().slice(0, 7);
  const { id } = await send('/insurer/v1/statements', { month, format });
  let made = await send(`/insurer/v1/statements/${id}`);
  await until(async () => {
    made = await send(`/insurer/v1/statements/${id}`);
    return made.status === 'completed';
  }, 'the statement is made');
  const cents = ({ amount }: { amount: string }) => Number(amount.replace('.', ''));
  assert.equal(made.count, 1000);
  const totals = [made.count, cents(made.premiums), cents(made.commissions)];
  return { headers, address: `${origin}/insurer/v1/statements/${id}/content`, totals };
}

/** Rows and trailer come to what the interface tells. */
async function reads(place: Place, read: readonly Format[], run: (args: string[]) => Promise<Called>): Promise<void> {
  for (const format of read) {
    const { address, headers, totals } = await statementOf(place, format);
    const file = join(place.folder, `statement.${format}`);
    await writeFile(file, Buffer.from(await (await fetch(address, { headers })).arrayBuffer()));
    assert.deepEqual(told(await run([file, format])), [totals, totals], format);
  }
}

describe('Decisions, statements: readers of others come to the count and the sums of the trailer', () => {
  toolTest(['golang.org/x/text'], 'Go’s encoding/csv', (place) =>
    reads(place, ['csv', 'csv-1252'], (args) =>
      call('go', ['run', programPath('statement.go'), ...args], { cwd: join(import.meta.dirname, 'go') }),
    ),
  );

  toolTest(['commons-csv'], 'Commons CSV', async (place) => {
    const classes = await classpath(place.folder);
    const source = programPath('Statement.java');
    await call(jdk('javac'), ['-proc:none', '-d', place.folder, '-cp', classes, source]);
    await reads(place, ['csv', 'csv-1252'], (args) => call(jdk('java'), ['-cp', classes, 'Statement', ...args]));
  });

  toolTest(['duckdb'], 'DuckDB', (place) =>
    reads(place, formats, (args) => python([programPath('statement-duckdb.py'), ...args])),
  );
});

describe('Decisions, statements: a download that broke off goes on, and is the file of the digest', () => {
  const downloads = {
    curl: (file: string) => ['-sS', '-f', '-C', '-', '-o', file, '-H'],
    aria2c: (file: string) => ['-q', '-c', '-m', '1', '-d', dirname(file), '-o', basename(file), '--header'],
  };
  for (const [tool, args] of Object.entries(downloads))
    toolTest([], tool, async (place) => {
      if (spawnSync(tool, ['--version']).status !== 0) {
        assert.notEqual(process.env.CI, 'true', `no ${tool}`);
        return place.t.skip(`no ${tool}`);
      }
      const { address, headers } = await statementOf(place, 'csv');
      const whole = await fetch(address, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
      await whole.arrayBuffer();
      const body = JSON.stringify({ name: 'short-file' });
      const drill = await fetch(`${place.origin}/range/v1/me/drills`, { method: 'POST', headers, body });
      assert.ok(drill.ok, await drill.text());
      const file = join(place.folder, 'statement.csv');
      // The same command twice: the first is cut, the second goes on.
      const command = [...args(file), `Authorization: ${headers.Authorization}`, address];
      await assert.rejects(call(tool, command), /ended with/);
      await call(tool, command);
      const digest = createHash('sha256')
        .update(await readFile(file))
        .digest('base64');
      assert.equal(whole.headers.get('content-digest'), `sha-256=:${digest}:`);
    });
});
