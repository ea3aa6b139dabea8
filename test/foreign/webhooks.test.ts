import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { type ReceivedCall, Receiver } from '../support/receiver.ts';
import { connectRelay, type RelayProgram, relayPrograms } from '../support/relay-program.ts';
import { programPath, told } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, python } from './support/tools.ts';

/* The libraries for Python and Go, by the time of day. That for Node.js is in test/walks/webhook-receivers.test.ts. */

const environment = { WEBHOOK_ALLOW: '127.0.0.1/32', EVENTS_DUPLICATE_RATE: '0' };
const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A test call, and those of a claim's three changes; with the secret. */
async function sent(
  { t, origin, program }: Place,
  relayed?: RelayProgram,
): Promise<{ secret: string; calls: readonly ReceivedCall[] }> {
  const { token, ...client } = await program.client();
  if (relayed) await connectRelay(t, relayed, { url: origin }, client);
  const post = async (path: string, json: object = {}) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return JSON.parse(await answer.text());
  };
  const receiver = await Receiver.open(t);
  const { id: policyNumber } = await post('/insurer/v1/policies', { regNumber: 'WK-1234' });
  const { id, secret } = await post('/claims/v1/subscriptions', {
    url: receiver.url,
    via: relayed ? 'relay' : 'direct',
  });
  await post(`/claims/v1/subscriptions/${id}/test`);
  await post('/claims/v1/claims', { policyNumber, paceSeconds: 1 });
  await receiver.until(4);
  return { secret, calls: receiver.calls };
}

async function verifies(place: Place, run: (file: string) => Promise<Called>, relayed?: RelayProgram): Promise<void> {
  const { secret, calls } = await sent(place, relayed);
  const cases = calls.flatMap(({ headers, body }) => {
    const good = { secret, headers, body };
    return [
      { ...good, fits: true },
      { ...good, secret: other, fits: false },
      { ...good, body: `${body} `, fits: false },
      { ...good, headers: { ...headers, 'webhook-id': 'another' }, fits: false },
      { ...good, headers: { ...headers, 'webhook-timestamp': '1' }, fits: false },
    ];
  });
  const file = join(place.folder, 'calls.json');
  await writeFile(file, JSON.stringify(cases));
  assert.deepEqual(
    told(await run(file)),
    cases.map(({ fits }) => fits),
  );
}

describe('Events: the libraries of Standard Webhooks verify every call, and refuse what was changed', () => {
  toolTest(['standardwebhooks'], 'Python', { environment }, (place) =>
    verifies(place, (file) => python([programPath('standard-webhooks.py'), file])),
  );

  for (const relay of relayPrograms)
    toolTest(['standardwebhooks'], `Python, what came by ${relay.name}`, { environment }, (place) =>
      verifies(place, (file) => python([programPath('standard-webhooks.py'), file]), relay),
    );

  toolTest(['github.com/standard-webhooks/standard-webhooks/libraries'], 'Go', { environment }, async (place) => {
    const { folder } = place;
    for (const name of ['go.mod', 'go.sum']) await copyFile(join(import.meta.dirname, 'go', name), join(folder, name));
    await copyFile(programPath('standard-webhooks.go'), join(folder, 'main.go'));
    await verifies(place, (file) => call('go', ['run', '-mod=readonly', '.', file], { cwd: folder }));
  });
});
