import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { fleetId } from '../../src/insurer/index.ts';
import { day, hour } from '../../src/time/units.ts';
import { Listener } from '../events/listener.ts';
import type { Engine } from '../support/engines.ts';
import { type LPlate, testSecrets } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';
import { claimOn, drain, pass } from '../support/topic.ts';

/* What has to go on when the clock of the machine is set, ahead or back. */

export const year = 365 * day;

/** The fleet registers a claim so often. */
const interval = 180;

export const warnings: string[] = [];
process.on('warning', ({ name }) => void warnings.push(name));

interface Policy {
  id: string;
  regNumber: string;
  status: string;
  startDate: string;
  endDate: string;
}
interface Claim {
  claimId: string;
  status: string;
  registeredAt: string;
}

export const fleetToken = (lplate: LPlate) => lplate.token(fleetId, testSecrets.fleetClientSecret);

export async function policiesOf(lplate: LPlate, token: string): Promise<Policy[]> {
  const items: Policy[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = await lplate.call('GET', `/policies?pageSize=500&page=${page}`, { token });
    items.push(...json.items);
    if (page >= json.totalPages) return items;
  }
}

/** The policies of the fleet that cover today. */
export async function covering(lplate: LPlate): Promise<Policy[]> {
  const today = new Date(lplate.clock.now()).toISOString().slice(0, 10);
  const policies = await policiesOf(lplate, await fleetToken(lplate));
  return policies.filter(
    ({ status, startDate, endDate }) =>
      (status === 'active' || status === 'updated') && startDate <= today && endDate >= today,
  );
}

async function fleetClaims(lplate: LPlate): Promise<Claim[]> {
  const token = await fleetToken(lplate);
  const first = await lplate.call('GET', '/claims/v1/claims?pageSize=500', { token });
  const last = first.json.totalPages;
  if (last <= 1) return first.json.items;
  return (await lplate.call('GET', `/claims/v1/claims?pageSize=500&page=${last}`, { token })).json.items;
}

/** Lets time pass, with everything that is done by itself. */
export async function live(lplate: LPlate, seconds: number, step = 20): Promise<void> {
  for (let passed = 0; passed < seconds; passed += step) {
    await pass(lplate, step);
    if (Math.floor(passed / 60) !== Math.floor((passed + step) / 60)) await lplate.housekeeping();
  }
}

/**
 * Sets the clock by each of the steps, with two minutes after each, and checks that fleet, desk, streams and webhooks go
 * on; with `aging`, also that some weeks later nothing is left that should have gone.
 */
export async function goesOn(
  t: TestContext,
  engine: Engine,
  { steps, aging }: { steps: readonly number[]; aging: boolean },
): Promise<void> {
  const { start, location } = await restartable(engine);
  const lplate = await start({ eventsDuplicateRate: 0, eventsHeartbeatSeconds: 1 });
  t.after(() => lplate.close());
  const { clock } = lplate;
  const receiver = await Receiver.open(t);
  receiver.answer = () => 500;
  const subscriber = await Subscriber.open(lplate, receiver.url);
  const { client, policyNumber } = subscriber;
  const stream = await Listener.open(lplate, client.token);
  const token = () => lplate.token(client.id, client.secret);
  const claims = [await subscriber.claim(30)];
  await live(lplate, 40);

  for (const step of steps) {
    clock.step(step);
    claims.push(await claimOn(lplate, await token(), policyNumber, { paceSeconds: 45 }));
    // One whose stream begins at this time.
    const late = await Listener.open(lplate, await token(), { after: 'latest' });
    t.after(() => late.close());
    await live(lplate, 120);
    assert.equal(late.end, undefined, 'a stream that began while the clock was wrong');
  }
  receiver.answer = () => 204;
  claims.push(await claimOn(lplate, await token(), policyNumber, { paceSeconds: 5 }));
  await lplate.housekeeping();
  const now = clock.now();

  // The fleet registers claims again, at once, and the desk moves them.
  await live(lplate, 2 * interval + 20);
  const since = (await fleetClaims(lplate)).filter(
    ({ registeredAt }) => Date.parse(registeredAt) >= now && Date.parse(registeredAt) <= clock.now(),
  );
  assert.ok(since.length >= 2 && since.length <= 3, `${since.length} claims of the fleet in ${2 * interval} seconds`);
  assert.notEqual(since[0]?.status, 'REGISTERED');
  const today = await covering(lplate);
  assert.ok(today.length >= 75, `${today.length} policies of the fleet are in force`);
  const check = await lplate.call('GET', '/policies?pageSize=1', { token: await fleetToken(lplate) });
  assert.ok(check.json.totalItems <= 75 * (1 + steps.length), `${check.json.totalItems} policies`);

  // Every claim of the demo client ends, whenever it was registered, and its stream, which nothing ended, tells it.
  await live(lplate, 300);
  for (const id of claims) {
    const { json } = await lplate.call('GET', `/claims/v1/claims/${id}`, { token: await token() });
    assert.equal(json.status, 'CLOSED', id);
  }
  await stream.until(() => stream.heard.length === 3 * claims.length, 'all events on the stream');
  assert.equal(stream.end, undefined);

  // The webhook catches up, within the retries of half an hour.
  await live(lplate, 2400, 120);
  const log = await subscriber.settled();
  const state = await lplate.call('GET', subscriber.path, { token: await token() });
  assert.equal(log.length, 3 * claims.length, state.text);
  for (const { status, claimId } of log) assert.equal(status, 'delivered', claimId);

  assert.ok(!warnings.includes('TimeoutOverflowWarning'));
  stream.close();
  if (aging) await ages(lplate, client);
  await lplate.close();
  if (!aging) return;
  const database = await openDatabase(location);
  t.after(() => database.close());
  const [oldest, newest] = [clock.now() - 7 * day, clock.now()].map((at) => new Date(at).toISOString());
  const wrong = await database.sql.all<{ seq: number }>`
    select seq from events where published_at <= ${oldest as string} or published_at > ${newest as string}`;
  assert.deepEqual(wrong, [], 'no event is older than retention, or younger than now');
}

async function ages(lplate: LPlate, client: { id: string; secret: string }): Promise<void> {
  const { clock } = lplate;
  // A day without use removes the client, as ever (two when it was used ahead of the clock); a week, its events.
  const { next } = await drain(lplate, await fleetToken(lplate));
  for (let hours = 0; hours < 54; hours += 6) {
    clock.advance(6 * hour);
    await lplate.catchUp();
    await lplate.housekeeping();
  }
  const gone = await lplate.call('POST', '/auth/token', {
    json: { client_id: client.id, client_secret: client.secret },
  });
  assert.equal(gone.status, 401);
  for (let days = 0; days < 40; days += 1) {
    await pass(lplate, 24 * 3600);
    await lplate.housekeeping();
  }
  const expired = await lplate.call('GET', `/claims/v1/topics/claims.status-changed?after=${next}`, {
    token: await fleetToken(lplate),
  });
  assert.equal(expired.status, 410);
  const kept = await fleetClaims(lplate);
  assert.ok(kept.length <= 16, `${kept.length} claims of the fleet are left`);
}
