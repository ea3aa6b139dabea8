import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { hour } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, startLPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { alter, stored } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { logOf } from '../range.ts';

const flooder = '192.0.2.66';
const learner = '198.51.100.7';

/** What each address has stored, counted anew, and as it is noted. */
async function bytesOf(lplate: LPlate): Promise<Record<string, number>> {
  const rows = await stored<{ address: string; summed: number; noted: number }>(
    lplate,
    `select address, sum(size) as summed, 0 as noted from exchanges group by address
     union all select '', coalesce(sum(size), 0), 0 from exchanges
     union all select address, 0, bytes from exchange_bytes`,
  );
  const sums: Record<string, number> = {};
  const notes: Record<string, number> = { '': 0 };
  for (const { address, summed, noted } of rows) {
    if (Number(summed) > 0) sums[address] = Number(summed);
    else if (Number(noted) !== 0) notes[address] = Number(noted);
  }
  deepEqual(notes, { '': 0, ...sums });
  return notes;
}

forEachEngineInFull((engine) => {
  const send = async (lplate: LPlate, { token }: TestClient, address: string, filler: number) => {
    const headers = { 'X-Forwarded-For': address, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ regNumber: '', holder: 'x'.repeat(filler) });
    equal((await lplate.call('POST', '/policies', { token, headers, body })).status, 400);
  };

  test('Decisions, the range: what is stored of all calls has a bound in bytes, half of it for one address, and its oldest go', async (t) => {
    const { lplate, client: quiet } = await startWithClient(t, engine, { trustProxy: 1, exchangesMegabytes: 1 });
    for (let call = 0; call < 5; call += 1) await send(lplate, quiet, learner, 100);
    await logOf(lplate, quiet);
    const flood: TestClient[] = [];
    for (let each = 0; each < 8; each += 1) flood.push(await lplate.client());
    // Else what waits would be of the address that made them.
    for (const client of flood) await logOf(lplate, client);
    for (let call = 0; call < 25; call += 1) {
      for (const client of flood) await send(lplate, client, flooder, 15_000);
      lplate.clock.advance(10);
    }
    for (const client of flood) await logOf(lplate, client);
    const removed = () => metric(lplate, 'lplate_range_exchanges_removed_total');
    await until(
      async () => (await removed()) > 50 && ((await bytesOf(lplate))[flooder] ?? 0) <= 500_000,
      'room is made',
    );
    const bytes = await bytesOf(lplate);
    ok((bytes[flooder] ?? 0) > 440_000, 'no more than has to be');
    equal((await logOf(lplate, quiet)).length, 7);
    for (const client of flood) {
      const kept = await logOf(lplate, client, '?path=/insurer/v1/policies');
      ok(kept.length < 10, 'the oldest went');
      ok(kept.length > 0 && kept[0].startedAt >= kept.at(-1).startedAt);
    }
    await until(async () => (await metric(lplate, 'lplate_range_stored_bytes')) > 440_000, 'the metric');
  });

  test('Decisions, the range: the noted bytes are those of what is stored, however it goes', async (t) => {
    const lplate = await startLPlate(t, engine, { trustProxy: 1 });
    const [one, other] = [await lplate.client(), await lplate.client()];
    for (let call = 0; call < 320; call += 1) await send(lplate, one, flooder, call);
    await send(lplate, other, learner, 10);
    const abort = new AbortController();
    const headers = { Authorization: `Bearer ${other.token}`, Accept: 'text/event-stream' };
    await fetch(`${lplate.url}/claims/v1/topics/claims.status-changed`, { headers, signal: abort.signal });
    for (const client of [one, other]) await logOf(lplate, client);
    await bytesOf(lplate);
    abort.abort();
    await until(
      async () => (await logOf(lplate, other)).some(({ stream }) => stream?.end === 'caller-gone'),
      'its end',
    );
    equal((await logOf(lplate, one)).length, 300);
    await bytesOf(lplate);
    equal((await lplate.call('POST', '/range/v1/me/reset', { token: one.token })).status, 204);
    await bytesOf(lplate);
    lplate.clock.advance(25 * hour);
    await lplate.housekeeping();
    await until(async () => (await bytesOf(lplate))[''] === 0, 'all is gone');
  });

  test('Decisions, the range: bytes that are noted and not stored are no reason to remove anything for long', async (t) => {
    const lplate = await startLPlate(t, engine, { exchangesMegabytes: 1 });
    await alter(
      lplate,
      "insert into exchange_bytes (address, bytes) values ('gone', 5000000)",
      "insert into exchange_bytes (address, bytes) values ('', 5000000) on conflict (address) do update set bytes = exchange_bytes.bytes + 5000000",
    );
    const client = await lplate.client();
    equal((await logOf(lplate, client)).length, 2);
    await until(async () => (await bytesOf(lplate).catch(() => undefined)) !== undefined, 'the right bytes');
    equal((await logOf(lplate, client)).length, 2);
  });
});
