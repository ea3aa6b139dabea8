import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type MagicPlate, magicPlate, magicPlates } from '../../../src/magic-plates.ts';
import { minute } from '../../../src/time/units.ts';
import { findVehicle } from '../../../src/vehicle-registry/index.ts';
import { forEachEngine, onSqlite } from '../../support/engines.ts';
import { problem, startLPlate } from '../../support/lplate.ts';
import { root } from '../../support/program.ts';
import { envelope, request } from '../../vehicle-registry/envelopes.ts';
import { logOf } from '../range.ts';

const sh = promisify(execFile);

const v2 = (plate: string) => `/vehicle-registry/v2/vehicles/${plate}`;

forEachEngine((engine) => {
  test('Decisions, drills: the first call of a client with a magic plate meets it, the next within a minute succeeds', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [one, other] = [await lplate.client(), await lplate.client()];
    const insure = (regNumber: string, { token } = one) =>
      lplate.call('POST', '/policies', { token, json: { regNumber } });
    const first = await insure('qq-503');
    deepEqual(problem(first), [503, 'unavailable']);
    equal(first.headers.get('retry-after'), '1');
    equal((await insure('QQ503')).status, 201);
    equal((await insure('QQ-503')).status, 201, 'it is refused on no other ground');
    deepEqual(problem(await insure('QQ-503', other)), [503, 'unavailable'], 'each client meets it');
    deepEqual(problem(await insure('QQ-503-A7')), [503, 'unavailable'], 'each ending is another one');
    const limited = await insure('QQ-429');
    deepEqual([...problem(limited), limited.headers.get('retry-after')], [429, 'rate-limit-exceeded', '1']);
    lplate.clock.advance(minute);
    deepEqual(problem(await insure('QQ-503')), [503, 'unavailable']);
    const { items } = (await lplate.call('GET', '/policies?regNumber=QQ-503', { token: one.token })).json;
    equal(items.length, 2);

    const json = { ...items[0], holder: 'Ada Example' };
    const put = () => lplate.call('PUT', `/policies/${items[0].id}`, { token: one.token, json });
    lplate.clock.advance(minute);
    deepEqual([(await put()).status, (await put()).status], [503, 200]);

    const notes = (await logOf(lplate, one)).flatMap((each) => each.notes ?? []);
    const told = notes.filter(({ code }) => code === 'magic-plate').map(({ text }) => text);
    equal(told.length, 5);
    match(told.join('\n'), /The registration number QQ-429 brings a refusal with 429, once in a minute/);
  });

  test('Decisions, drills: a clock that is set back makes nobody wait for a magic plate, and one that differs brings it to nobody twice', async (t) => {
    const lplate = await startLPlate(t, engine);
    const statuses: number[] = [];
    for (const step of [0, -20, 5 * minute, 0, -5 * minute]) {
      lplate.clock.step(step);
      statuses.push((await lplate.call('GET', v2('QQ-503'))).status);
    }
    deepEqual(statuses, [503, 200, 503, 200, 503]);
  });

  test('Decisions, drills: a magic plate in the vehicle registry counts by client, or by address, and has a vehicle then', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { id, token } = await lplate.client();
    const read = async (path: string, options = {}) => (await lplate.call('GET', path, options)).status;
    deepEqual([await read(v2('QQ-503')), await read(v2('QQ-503'))], [503, 200]);
    deepEqual([await read(v2('QQ-503'), { token }), await read(`/for/${id}${v2('QQ-503')}`)], [503, 200]);
    equal(await read(v2('QQ-5031')), 200, 'a plate of the specification');
  });
});

onSqlite((engine) => {
  test('Decisions, drills: magic plates that are off are ordinary numbers', async (t) => {
    const lplate = await startLPlate(t, engine, { magicPlates: 'off' });
    const { token } = await lplate.client();
    const insure = async () =>
      (await lplate.call('POST', '/policies', { token, json: { regNumber: 'QQ-503' } })).status;
    deepEqual([await insure(), await insure()], [201, 409]);
    equal((await lplate.call('GET', v2('QQ-503'))).status, 404);
  });

  test('Decisions, drills: one client meets at most a hundred magic plates in a minute', async (t) => {
    const lplate = await startLPlate(t, engine);
    const statuses: number[] = [];
    for (let at = 0; at < 101; at += 1) statuses.push((await lplate.call('GET', v2(`QQ-503-N${at}`))).status);
    deepEqual([statuses.filter((status) => status === 503).length, statuses.at(-1)], [100, 200]);
  });

  test('Decisions, drills: each curl of the page does what the page says of its plate', async (t) => {
    const lplate = await startLPlate(t, engine);
    const page = await readFile(join(root, 'docs/testing.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `QQ-(\w+)` \| [^|]+ \| `(curl [^|]+)` \|$/gm)];
    deepEqual(
      rows.map(([, plate]) => plate),
      Object.keys(magicPlates).toSorted((one, next) => order.indexOf(one) - order.indexOf(next)),
    );
    const run = async (line: string) =>
      (await sh('sh', ['-c', line], { env: { ...process.env, ROOT: lplate.url } })).stdout;
    for (const [, plate = '', line = ''] of rows) {
      if (plate === 'CUT') await rejects(run(line), { code: 52 });
      else
        match(
          await run(line),
          { 503: / 503\n$/, 429: / 429\n$/, 504: /504 Gateway.* 504\n$/s, LATE: / 200 (?:[5-9]|\d\d+)\.\d+\n$/ }[
            plate
          ] ?? /^$/,
        );
      match(await run(line), /^\{"reg_number":"QQ-.* 200( \d+\.\d+)?\n$/, `${plate} succeeds the second time`);
    }
  });

  test('Decisions, drills: SOAP v1 answers a magic plate with a fault, then with a vehicle', async (t) => {
    const lplate = await startLPlate(t, engine);
    const statuses: [number, boolean][] = [];
    for (let at = 0; at < 2; at += 1) {
      const body = envelope(request('<RegNumber>QQ-503</RegNumber>'));
      const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
      const { status, text } = await lplate.call('POST', '/vehicle-registry/v1', { body, headers });
      statuses.push([status, text.includes('faultcode>')]);
    }
    deepEqual(statuses, [
      [500, true],
      [200, false],
    ]);
  });
});

/** As the page has them. */
const order = ['503', '429', '504', 'LATE', 'CUT'];

test('Design, vehicles: no magic plate is a plate that has a vehicle, whatever its ending', () => {
  for (const plate of Object.keys(magicPlates) as MagicPlate[]) {
    for (const ending of ['', '1', '-1', 'A', '-A7', '12', '0', '1234567890']) {
      const regNumber = `QQ-${plate}${ending}`;
      ok(magicPlate(regNumber) === undefined || findVehicle(regNumber) === undefined, regNumber);
    }
  }
  deepEqual(
    ['QQ-5031', 'QQ-503-1', 'qq5031', 'QQ-50', 'QQ-503-', 'QQ-503-12345678901'].map(magicPlate),
    Array(6).fill(undefined),
  );
});
