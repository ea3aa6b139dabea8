import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { nodeFolder, programPath, told, typescript } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { python } from './support/tools.ts';

/*
 * Clients of server-sent events. Each takes the events of a claim while they happen, on a stream with a sign of life each
 * second: an event without data would end it, since it is no JSON.
 */

const settings = { EVENTS_HEARTBEAT_SECONDS: '1', EVENTS_DUPLICATE_RATE: '0' };

/** Registers a claim of three changes, and returns what a consumer of them needs. */
async function claimed({ origin, program }: Place): Promise<string[]> {
  const { token } = await program.client();
  const { json: policy } = await program.call('POST', '/policies', { token, json: { regNumber: 'WK-1234' } });
  const response = await fetch(`${origin}/claims/v1/claims`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ policyNumber: policy.id, paceSeconds: 2 }),
  });
  assert.equal(response.status, 201);
  return [`${origin}/claims/v1/topics/claims.status-changed`, token, '3'];
}

function everyChange(came: unknown): void {
  const events = came as { id: string; type: string }[];
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ClaimStatusChanged', 'ClaimStatusChanged', 'ClaimStatusChanged'],
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, 3);
}

describe('Events: a client of server-sent events gets each event, and none that is empty', () => {
  const environment = settings;
  toolTest(['httpx-sse'], 'httpx-sse', { environment }, async (place) => {
    everyChange(told(await python([programPath('httpx-sse-client.py'), ...(await claimed(place))])));
  });

  toolTest(['eventsource', 'typescript'], 'eventsource', { environment }, async (place) => {
    await nodeFolder(place);
    everyChange(told(await typescript(place, 'eventsource.ts', await claimed(place))));
  });
});
