import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fleetId, readerId } from '../../src/insurer/index.ts';
import type { Config } from '../../src/settings/config.ts';
import { day, minute } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, testSecrets } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { batch, type ClaimEvent, claimOn, drain, insure, pass, topicPath } from '../support/topic.ts';

const claims = '/claims/v1/claims';

/** How many claims the fleet begins with. */
const seeded = 12;
/** How many policies it owns. */
const fleetSize = 75;

interface Claim {
  claimId: string;
  policyNumber: string;
  status: string;
  registeredAt: string;
  updatedAt: string;
}

async function started(t: TestContext, engine: Engine, settings: Partial<Config> = {}): Promise<LPlate> {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings });
  await lplate.catchUp();
  return lplate;
}

const fleetToken = (lplate: LPlate) => lplate.token(fleetId, testSecrets.fleetClientSecret);

/** All claims of the fleet, page by page; what the pages say of themselves has to be true. */
async function listed(lplate: LPlate, pageSize = 500, query = ''): Promise<Claim[]> {
  const token = await fleetToken(lplate);
  const items: Claim[] = [];
  for (let next: string | undefined = `${claims}?pageSize=${pageSize}${query}`, page = 1; next; page += 1) {
    const { headers, json } = await lplate.call('GET', next, { token });
    assert.equal(json.page, page);
    items.push(...json.items);
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (next) continue;
    assert.deepEqual([json.totalItems, json.totalPages], [items.length, Math.ceil(items.length / pageSize)]);
  }
  return items;
}

/** The events that come while time passes in steps. */
async function eventsOver(lplate: LPlate, seconds: number, step: number): Promise<ClaimEvent[]> {
  let { next } = await batch(lplate, await fleetToken(lplate), '?after=latest');
  const events: ClaimEvent[] = [];
  for (let passed = 0; passed < seconds; passed += step) {
    await pass(lplate, step);
    const read = await drain(lplate, await fleetToken(lplate), next);
    events.push(...read.events);
    ({ next } = read);
  }
  return events;
}

/** One claim after the other, each with the three moves of its outcome, three minutes apart. */
function assertBusy(items: readonly Claim[]): void {
  for (const [at, { registeredAt }] of items.entries()) {
    const before = items[at - 1]?.registeredAt;
    if (before) assert.equal(Date.parse(registeredAt) - Date.parse(before), 3 * minute, registeredAt);
  }
}

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: at the first start the fleet has claims, and the topic something to read', async (t) => {
    const lplate = await started(t, engine);
    const items = await listed(lplate);
    assert.equal(items.length, seeded);
    assertBusy(items);
    assert.equal(items.at(-1)?.registeredAt, '2026-03-02T10:15:30.000Z');
    assert.deepEqual(
      items.map(({ status }) => status),
      [...Array(seeded - 1).fill('CLOSED'), 'REGISTERED'],
    );
    const { events } = await drain(lplate, await fleetToken(lplate));
    assert.equal(events.length, 3 * (seeded - 1));
    assert.deepEqual(
      new Set(events.map(({ data }) => data.newStatus)),
      new Set(['UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED']),
    );
    for (const { occurredAt } of events) assert(Date.parse(occurredAt) <= lplate.clock.now(), occurredAt);
  });

  test('Decisions, claims and events: the fleet keeps the topic alive with about one change a minute', async (t) => {
    const lplate = await started(t, engine);
    const events = await eventsOver(lplate, 3600, 60);
    assert(events.length >= 55 && events.length <= 65, `${events.length} changes in an hour`);
    const times = events.map(({ occurredAt }) => Date.parse(occurredAt));
    const pauses = times.slice(1).map((at, before) => at - (times[before] as number));
    assert(Math.max(...pauses) <= 3 * minute, `${Math.max(...pauses)} ms without a change`);
    assertBusy(await listed(lplate));
  });

  test('Decisions, claims and events: the claims are on all policies of the fleet in turn, whatever their status', async (t) => {
    const lplate = await started(t, engine);
    const token = await fleetToken(lplate);
    const { items: policies } = (await lplate.call('GET', '/policies?pageSize=500', { token })).json;
    // The round of the start must not restore it.
    await lplate.housekeeping();
    assert.equal((await lplate.call('POST', `/policies/${policies[seeded].id}/cancel`, { token })).status, 200);
    for (let more = 0; more < fleetSize - seeded + 2; more += 1) await pass(lplate, 180);
    const items = await listed(lplate);
    assert.equal(items.length, fleetSize + 2);
    assert.deepEqual(
      items.map(({ policyNumber }) => policyNumber),
      items.map((_, at) => policies[at % fleetSize].id),
    );
  });

  test('Decisions, start-up: another start adds no claims to the fleet, and goes on where it was', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    let lplate = await start({ eventsDuplicateRate: 0 }, clock);
    t.after(() => lplate.close());
    await lplate.catchUp();
    const before = await listed(lplate);
    for (let round = 0; round < 3; round += 1) {
      await lplate.close();
      lplate = await start({ eventsDuplicateRate: 0 }, clock);
      await lplate.catchUp();
      assert.deepEqual(await listed(lplate), before);
    }
    for (let minutes = 0; minutes < 12; minutes += 1) {
      await lplate.close();
      clock.advance(minute);
      lplate = await start({ eventsDuplicateRate: 0 }, clock);
      await lplate.catchUp();
    }
    const after = await listed(lplate);
    assert.equal(after.length, before.length + 4);
    assertBusy(after);
    const { events } = await drain(lplate, await fleetToken(lplate));
    assert.equal(events.length, 3 * (seeded - 1) + 12);
    assert.equal(new Set(events.map(({ data }) => `${data.claimId} ${data.newStatus}`)).size, events.length);
  });

  test('Decisions, claims and events: after a long time away the fleet begins one claim and finishes the others', async (t) => {
    const lplate = await started(t, engine);
    await pass(lplate, 3 * 24 * 3600);
    const items = await listed(lplate);
    assert.equal(items.length, seeded + 1);
    assert.deepEqual(
      items.slice(-2).map(({ status }) => status),
      ['CLOSED', 'REGISTERED'],
    );
    const events = await eventsOver(lplate, 900, 60);
    assert(events.length >= 13 && events.length <= 17, `${events.length} changes in a quarter of an hour`);
  });

  test('Decisions, claims and events: closed claims of the fleet go after 14 days, oldest first; pages stay whole', async (t) => {
    const lplate = await started(t, engine);
    for (let more = 0; more < 4; more += 1) await pass(lplate, 180);
    const before = await listed(lplate, 3);
    assert.equal(before.length, seeded + 4);
    const oldestClosed = Date.parse(before[0]?.updatedAt ?? '');
    const until = async (age: number) => {
      lplate.clock.advance(oldestClosed + age - lplate.clock.now());
      await lplate.catchUp();
      await lplate.housekeeping();
      return listed(lplate, 3);
    };
    const ids = (items: readonly Claim[]) => items.map(({ claimId }) => claimId);

    const all = await until(14 * day - 1);
    assert.deepEqual(ids(all).slice(0, before.length), ids(before), 'to the millisecond');
    assert.deepEqual(ids(await until(14 * day)), ids(all).slice(1));
    const later = await until(14 * day + 10 * minute);
    // Those closed 3, 6 and 9 minutes later; the fleet has gone on.
    assert.deepEqual(ids(later).slice(0, before.length - 4), ids(before).slice(4));
    assert.deepEqual(
      ids(await listed(lplate, 2, '&status=CLOSED')),
      ids(later.filter(({ status }) => status === 'CLOSED')),
    );
    const token = await fleetToken(lplate);
    for (const claimId of ids(before).slice(0, 4)) {
      const gone = await lplate.call('GET', `${claims}/${claimId}`, { token });
      assert.deepEqual(problem(gone), [404, 'claim-not-found']);
    }
    const registered = await claimOn(lplate, token, later[0]?.policyNumber ?? '');
    assert(!ids(all).includes(registered));
    assert.deepEqual(ids(await listed(lplate, 3)), [...ids(later), registered]);
  });

  test('Decisions, claims and events: a claim of the fleet that is open keeps those after it; other clients’ claims stay', async (t) => {
    const lplate = await started(t, engine);
    const demo = await lplate.client();
    const own = await claimOn(lplate, demo.token, await insure(lplate, demo.token), { paceSeconds: 1 });
    const [first] = await listed(lplate);
    const slow = await claimOn(lplate, await fleetToken(lplate), first?.policyNumber ?? '', { paceSeconds: 3600 });
    for (let more = 0; more < 5; more += 1) await pass(lplate, 180);
    // The slow one is closed three hours from its registration, the others minutes from theirs.
    for (let days = 0; days < 14; days += 1) {
      await pass(lplate, 24 * 3600);
      await lplate.token(demo.id, demo.secret);
    }
    await lplate.housekeeping();
    const kept = await listed(lplate, 4);
    assert.equal(kept[0]?.claimId, slow);
    assert(kept.filter(({ updatedAt }) => Date.parse(updatedAt) <= lplate.clock.now() - 14 * day).length >= 1);
    await pass(lplate, 3 * 3600);
    await lplate.housekeeping();
    const next = await listed(lplate, 4);
    assert(next.length < kept.length && !next.some(({ claimId }) => claimId === slow));
    const token = await lplate.token(demo.id, demo.secret);
    assert.equal((await lplate.call('GET', `${claims}/${own}`, { token })).json.status, 'CLOSED');
  });

  test('Decisions, claims and events: a claim that the desk still owes its moves is not removed, however old it is', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const first = await start({ eventsDuplicateRate: 0 }, clock);
    await first.catchUp();
    const open = (await listed(first)).at(-1);
    const { next } = await batch(first, await fleetToken(first), '?after=latest');
    await first.close();
    clock.advance(15 * day);
    // Housekeeping comes round at the start, and the desk a moment later.
    const lplate = await start({ eventsDuplicateRate: 0 }, clock);
    t.after(() => lplate.close());
    await lplate.housekeeping();
    await lplate.catchUp();
    const { events } = await drain(lplate, await fleetToken(lplate), next);
    assert.deepEqual(
      events.map(({ data }) => [data.claimId, data.newStatus]),
      ['UNDER_REVIEW', 'REJECTED', 'CLOSED'].map((status) => [open?.claimId, status]),
    );
  });

  test('Decisions, clients: the cap on claims holds for those who call as the fleet, not for the fleet itself', async (t) => {
    const lplate = await started(t, engine, { claimsPerClient: 2 });
    await pass(lplate, 180);
    const items = await listed(lplate);
    assert.equal(items.length, seeded + 1);
    const json = { policyNumber: items[0]?.policyNumber };
    const refused = await lplate.call('POST', claims, { token: await fleetToken(lplate), json });
    assert.deepEqual(problem(refused), [429, 'quota-exceeded']);
  });

  test('Authentication, 4 and 6: the preconfigured reader has no scope for claims, so the claims interface is shut to it', async (t) => {
    const lplate = await started(t, engine);
    const token = await lplate.token(readerId, testSecrets.readerClientSecret);
    for (const [method, path, scope] of [
      ['GET', claims, 'claims:read'],
      ['GET', `${claims}/CLM-2026-000001`, 'claims:read'],
      ['POST', claims, 'claims:write'],
      ['GET', topicPath, 'claims:read'],
      ['GET', '/claims/v1/subscriptions', 'claims:read'],
      ['POST', '/claims/v1/subscriptions', 'claims:read claims:write'],
    ] as const) {
      const refused = await lplate.call(method, path, { token, ...(method === 'POST' && { json: {} }) });
      assert.deepEqual(problem(refused), [403, 'insufficient-scope'], `${method} ${path}`);
      assert(refused.headers.get('www-authenticate')?.includes(`scope="${scope}"`), `${method} ${path}`);
    }
  });
});

onPostgres((engine) => {
  test('Decisions, start-up: two programs that start at once on an empty database keep one fleet busy', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const settings = { eventsDuplicateRate: 0 };
    const nodes = await Promise.all([start(settings, clock), start(settings, clock)]);
    for (const node of nodes) t.after(() => node.close());
    const [one, other] = nodes as [LPlate, LPlate];
    await Promise.all(nodes.map((node) => node.catchUp()));
    assert.equal((await listed(one)).length, seeded);
    for (let passed = 0; passed < 60; passed += 1) {
      clock.advance(minute);
      await Promise.all(nodes.map((node) => node.catchUp()));
    }
    const items = await listed(one);
    assert.equal(items.length, seeded + 20);
    assertBusy(items);
    assert.deepEqual(await listed(other), items);
    const { events } = await drain(other, await fleetToken(other));
    assert.equal(events.length, 3 * (seeded - 1) + 60);
    assert.equal(new Set(events.map(({ data }) => `${data.claimId} ${data.newStatus}`)).size, events.length);
  });
});
