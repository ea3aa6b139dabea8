import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { coverageOptions } from '../../src/insurer/coverage-option.ts';
import { forEachEngine } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { startWithClient } from '../support/lplate.ts';
import { until } from '../support/until.ts';

const noPython = spawnSync('python3', ['--version']).status !== 0 && 'NO PYTHON: statements are not computed anew';
if (noPython) console.error(`\n*** ${noPython} ***\n`);

const program = join(import.meta.dirname, 'recount_statements.py');

/** Policies of one client: as many as it may have, and a statement rows. */
const count = 10_000;

/** Whole numbers that look random, the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state >>> 8;
  }
}

const letter = (number: number) => String.fromCharCode(65 + (number % 26));

forEachEngine((engine) => {
  test('Decisions, statements: rows, roundings and sums of 10,000 policies in three currencies are those of Python’s decimal', {
    skip: noPython,
    timeout: 300_000,
  }, async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const random = numbers(20_260_302);
    const next = (below: number) => random.next().value % below;
    const plates = new Set<string>();
    while (plates.size < count) {
      const plate = `${letter(next(26))}${letter(next(26))}-${String(next(10_000)).padStart(4, '0')}`;
      plates.add(next(20) === 0 ? `OLD-${plates.size}` : plate);
    }
    const drafts = [...plates].map((regNumber) => ({
      regNumber,
      startDate: new Date(Date.UTC(2025, 2, 3) + next(400) * 86_400_000).toISOString().slice(0, 10),
      coverageOption: coverageOptions[next(4)]?.code,
      ...(next(10) === 0 && { status: 'cancelled' }),
    }));
    for (let at = 0; at < count; at += 100) {
      const json = { policies: drafts.slice(at, at + 100) };
      const { status, text } = await lplate.call('POST', '/range/v1/me/fleet', { token, json });
      equal(status, 201, text);
    }
    const policies: object[] = [];
    for (let page = 1; page <= count / 500; page += 1)
      policies.push(...(await lplate.call('GET', `/policies?page=${page}&pageSize=500`, { token })).json.items);
    const vehicles: Record<string, object> = {};
    for (const plate of plates) {
      const address = `${lplate.url}/vehicle-registry/v2/vehicles/${plate}`;
      const { status, json } = await send(address, { method: 'GET', headers: {} });
      if (status === 200) vehicles[plate] = json;
    }
    const files: object[] = [];
    let longest = 0;
    for (const format of ['csv', 'csv-1252', 'ndjson'])
      for (const [at, currency] of ['EUR', 'JPY', 'KWD'].entries()) {
        const month = ['2026-03', '2026-01', '2025-09'][at];
        const began = performance.now();
        const { json } = await lplate.call('POST', '/statements', { token, json: { month, format, currency } });
        let statement = json;
        await until(async () => {
          statement = (await lplate.call('GET', `/statements/${json.id}`, { token })).json;
          return statement.status === 'completed';
        }, 'the statement is completed');
        longest = Math.max(longest, performance.now() - began);
        const { text } = await lplate.call('GET', `/statements/${json.id}/content`, { token });
        files.push({ statement, content: Buffer.from(text).toString('base64') });
      }
    const input = JSON.stringify({ policies, vehicles, files });
    const { stdout, stderr } = spawnSync('python3', [program], { input, encoding: 'utf8', maxBuffer: 1e8 });
    const { faults, rows, ties } = JSON.parse(stdout || JSON.stringify({ faults: [stderr] }));
    deepEqual(faults, []);
    ok(rows > 3 * count && ties > 1000, `${rows} rows, ${ties} halves`);
    t.diagnostic(`${rows} rows, ${ties} halves; the longest took ${Math.round(longest)} ms`);
  });
});
