import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { copiesOf } from '../../src/events/duplicates.ts';
import { type Exchanged, hundredCalls } from '../support/hundred-calls.ts';
import { launch } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const args = ['--now', '2026-03-01T09:00Z', '--ready', 'json', '--public-url', 'http://insurer.test'];
const unlimited = ['--webhook-allow', '127.0.0.1', '--rate-limit-per-minute', 'off', '--probe-limit-per-minute', 'off'];

/** What two walks through two services of these seeds are answered and sent, in full. */
async function walks(t: TestContext, seeds: readonly string[]) {
  const receiver = await Receiver.open(t);
  const programs = seeds.map((seed) => launch(t, { args: [...args, ...unlimited, '--seed', seed] }));
  const found: { exchanged: Exchanged[]; webhooks: object[] }[] = [];
  for (const program of programs) {
    const ready = await readyOf(program);
    const settled = (events: number) =>
      until(() => {
        const ids = new Set(receiver.eventIds);
        const calls = [...ids].reduce((sum, id) => sum + copiesOf(id, 0.1), 0);
        return ids.size === events && program.stderr().split('"msg":"webhook"').length > calls;
      }, `${events} events are delivered`);
    const exchanged = await hundredCalls(ready, receiver, settled);
    found.push({ exchanged, webhooks: receiver.calls.splice(0) });
  }
  return found;
}

test('Decisions, a fixture: with one seed and one time, two services give the same bytes for the same hundred calls', async (t) => {
  const [one, other] = await walks(t, ['47', '47']);
  ok(one && other);
  ok(one.exchanged.length > 100, `${one.exchanged.length} calls`);
  // Nothing is left out: status, headers and body of each answer, and what webhooks were sent.
  for (const [at, exchange] of one.exchanged.entries()) deepEqual(exchange, other.exchanged[at], exchange.call);
  deepEqual(one.webhooks, other.webhooks);
  const statuses = new Set(one.exchanged.map(({ status }) => status));
  for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 415, 500, 503])
    ok(statuses.has(status), `${status}`);
  // After a reset of everything the first client is there again.
  const clients = one.exchanged.filter(({ call }) => call.endsWith('/demo-clients'));
  equal(clients.at(0)?.body, clients.at(-1)?.body);
});
