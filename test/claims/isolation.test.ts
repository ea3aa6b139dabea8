import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fleetId } from '../../src/insurer/index.ts';
import { hour } from '../../src/time/units.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { countStored, stored } from '../support/stored.ts';
import { batch, claimOn, drain, EventStream, insure, pass } from '../support/topic.ts';

const retention = 7 * 24 * hour;
const claims = '/claims/v1/claims';

async function started(t: TestContext, engine: Engine, settings = {}): Promise<LPlate> {
  const lplate = await startLPlate(t, engine, settings);
  await lplate.catchUp();
  return lplate;
}

/** Several clients whose claims change in turn, with what each then is to be told. */
async function severalOwners(lplate: LPlate, count: number) {
  const owners = [];
  for (let at = 0; at < count; at += 1) {
    const { id, token } = await lplate.client();
    owners.push({ id, token, policy: await insure(lplate, token), claimIds: [] as string[] });
  }
  for (let round = 0; round < 3; round += 1) {
    for (const owner of owners) {
      owner.claimIds.push(await claimOn(lplate, owner.token, owner.policy, { paceSeconds: 10 + round }));
    }
  }
  return owners;
}

/** What a reader has to have seen of claims that went all their way. */
function assertOwn(events: { data: { claimId: string; policyNumber: string } }[], owner: Owner, what: string): void {
  const { claimIds, policy } = owner;
  assert.deepEqual(new Set(events.map(({ data }) => data.policyNumber)), new Set([policy]), what);
  assert.deepEqual(
    events.map(({ data }) => data.claimId).toSorted(),
    claimIds.flatMap((id) => [id, id, id]),
    what,
  );
}
type Owner = Awaited<ReturnType<typeof severalOwners>>[number];

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: by batches and by streams, a reader is told of its own policies only', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 0 });
    const owners = await severalOwners(lplate, 3);
    const bystander = await lplate.client();
    const streams: EventStream[] = [];
    for (const { token } of [...owners, bystander]) {
      streams.push(await EventStream.open(lplate.url, token));
    }
    t.after(() => {
      for (const stream of streams) stream.close();
    });
    const polled = batch(lplate, bystander.token, '?wait=1');
    for (let seconds = 0; seconds < 40; seconds += 1) await pass(lplate, 1);

    for (const [at, owner] of owners.entries()) {
      for (const limit of [1, 2, 500]) {
        assertOwn((await drain(lplate, owner.token, 'earliest', limit)).events, owner, `batches of ${limit}`);
      }
      const stream = streams[at] as EventStream;
      await stream.until(() => stream.received.length >= 9);
      assertOwn(
        stream.received.map(({ event }) => event),
        owner,
        'stream',
      );
    }
    assert.deepEqual((await drain(lplate, bystander.token)).events, []);
    assert.deepEqual((await polled).events, []);
    assert.deepEqual(streams.at(-1)?.received, []);
    const fleet = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    const { events } = await drain(lplate, fleet);
    assert(events.length > 0);
    const own = new Set(owners.flatMap(({ claimIds }) => claimIds));
    assert.equal(
      events.find(({ data }) => own.has(data.claimId)),
      undefined,
      'all scopes make no difference',
    );
  });

  test('Decisions, claims and events: with the cursor of another client one reads on in its own events', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 0.5 });
    const [one, other] = (await severalOwners(lplate, 2)) as [Owner, Owner];
    await pass(lplate, 60);
    const { events } = await drain(lplate, one.token);
    const lent: string[] = [];
    for (let next = 'earliest', more = 1; more > 0; ) {
      const read = await batch(lplate, other.token, `?after=${next}&limit=1`);
      ({ next } = read);
      more = read.events.length;
      lent.push(next);
    }
    assert(lent.length >= 9);
    const lengths = [];
    for (const cursor of lent) {
      const batched = await drain(lplate, one.token, cursor);
      assert.deepEqual(batched.events, events.slice(events.length - batched.events.length), cursor);
      lengths.push(batched.events.length);
      const stream = await EventStream.open(lplate.url, one.token, { lastEventId: cursor });
      t.after(() => stream.close());
      await stream.until(() => stream.received.length >= batched.events.length);
      stream.close();
      assert.deepEqual(
        stream.received.map(({ event }) => event),
        batched.events,
      );
    }
    assert.deepEqual(
      lengths,
      lengths.toSorted((a, b) => b - a),
    );
    assert.equal(lengths.at(-1), 0);
    assert(lengths.some((length) => length > 0 && length < events.length));
  });

  test('Decisions, claims: a claim of another client is neither read nor listed nor found by a filter', async (t) => {
    const lplate = await started(t, engine);
    const [one, other] = (await severalOwners(lplate, 2)) as [Owner, Owner];
    const read = async (query: string) => (await lplate.call('GET', `${claims}${query}`, { token: one.token })).json;
    const listed = await read('');
    assert.deepEqual(
      listed.items.map(({ claimId }: { claimId: string }) => claimId),
      one.claimIds,
    );
    for (const query of [`?policyNumber=${other.policy}`, `?policyNumber=${other.policy}&status=REGISTERED`]) {
      assert.deepEqual([(await read(query)).items, (await read(query)).totalItems], [[], 0], query);
    }
    assert.equal((await read('?status=REGISTERED')).totalItems, one.claimIds.length);
    for (const claimId of other.claimIds) {
      const answer = await lplate.call('GET', `${claims}/${claimId}`, { token: one.token });
      assert.deepEqual(problem(answer), [404, 'claim-not-found']);
      const unknown = await lplate.call('GET', `${claims}/CLM-2026-999999`, { token: one.token });
      const bare = ({ text, headers }: Answer) =>
        text.replace(headers.get('x-request-id') ?? '?', 'ID').replace(/CLM-2026-\d{6}/, 'CLM');
      assert.equal(bare(answer), bare(unknown));
    }
  });

  test('Events, rule 4: who holds a policy is told by no event, claim, webhook, log line or measurement', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 0.5, logLevel: 'trace' });
    const receiver = await Receiver.open(t);
    const { client, id } = await Subscriber.open(lplate, receiver.url);
    const { token } = client;
    const holder = 'Zebedee Quillfeather, +371 2000 4711, zebedee@quillfeather.example';
    const regNumber = 'QUILL-4711';
    const { json: policy } = await lplate.call('POST', '/policies', { token, json: { regNumber, holder } });
    assert.equal(policy.holder, holder);
    const stream = await EventStream.open(lplate.url, token);
    t.after(() => stream.close());

    const texts: string[] = [];
    const note = async (method: string, path: string, json?: object) => {
      const answer = await lplate.call(method, path, { token, json });
      texts.push(answer.text, ...[...answer.headers].flat());
      return answer;
    };
    for (const outcome of ['APPROVED', 'REJECTED']) {
      const extra = { holder, claimant: holder, phone: '+371 2000 4711' };
      const { json } = await note('POST', claims, { policyNumber: policy.id, outcome, paceSeconds: 1, ...extra });
      await note('GET', `${claims}/${json.claimId}`);
    }
    await lplate.call('PUT', `/policies/${policy.id}`, { token, json: { holder: `${holder} Esq.` } });
    await pass(lplate, 3);
    const { events } = await drain(lplate, token);
    await receiver.until(events.length);
    await stream.until(() => stream.received.length >= events.length);
    await note('GET', claims);
    await note('GET', `/claims/v1/topics/claims.status-changed?limit=500`);
    await note('GET', `/claims/v1/subscriptions/${id}/deliveries?pageSize=500`);
    texts.push(...receiver.calls.map(({ headers, body }) => JSON.stringify(headers) + body));
    texts.push(JSON.stringify(stream.received), ...lplate.log);
    texts.push(await (await fetch(`${lplate.url}/metrics`)).text());
    const fleet = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    const fleetEvents = (await drain(lplate, fleet)).events;
    const fleetClaims = (await lplate.call('GET', `${claims}?pageSize=500`, { token: fleet })).text;
    assert(events.length >= 6 && fleetEvents.length > 0);
    texts.push(JSON.stringify(fleetEvents), fleetClaims);
    const all = texts.join('\n');
    // The fleet's holders are couriers.
    for (const piece of [/Zebedee/i, /Quillfeather/i, /2000 4711/, /QUILL-4711/i, /Kestrel|Couriers/i]) {
      assert.doesNotMatch(all, piece);
    }
    for (const table of ['claims', 'events', 'deliveries', 'subscriptions']) {
      const rows = JSON.stringify(await stored(lplate, `select * from ${table}`));
      assert(rows.length > 2, table);
      assert.doesNotMatch(rows, /Quillfeather|Kestrel/i, table);
    }
  });

  test('Limits, idle lifetime: with a demo client go its claims, subscriptions and deliveries; its events stay their 7 days', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 0 });
    const [refusing, taking] = [await Receiver.open(t), await Receiver.open(t)];
    refusing.answer = () => 503;
    const idle = await Subscriber.open(lplate, refusing.url);
    await Subscriber.open(lplate, taking.url, idle.client);
    const gone = [await idle.claim(), await idle.claim(), await idle.claim(3600)];
    await idle.pass(4000);
    const published = lplate.clock.now();
    await taking.until(6);
    const busy = await Subscriber.open(lplate, taking.url);
    const kept = await busy.claim();
    await busy.pass(4000);
    await taking.until(9);

    const tables = ['claims', 'claim_counts', 'subscriptions', 'policies'];
    const byClient = (client: TestClient) => `client_id = '${client.id}'`;
    const counts = async (client: TestClient) => {
      const each = [];
      for (const table of tables) each.push(await countStored(lplate, table, byClient(client)));
      return each;
    };
    assert.deepEqual(await counts(idle.client), [3, 1, 2, 2]);
    const ofIdle = `ordering_key in ('${gone.join("', '")}')`;
    assert.equal(await countStored(lplate, 'deliveries', ofIdle), 12);
    const events = await countStored(lplate, 'events', byClient(idle.client));
    assert.equal(events, 6);

    lplate.clock.advance(12 * hour);
    await busy.log();
    lplate.clock.advance(12 * hour + 300_000);
    await lplate.housekeeping();
    assert.deepEqual(await counts(idle.client), [0, 0, 0, 0]);
    assert.deepEqual(await counts(busy.client), [1, 1, 1, 1]);
    assert.equal(await countStored(lplate, 'deliveries', ofIdle), 0);
    const left = await countStored(lplate, 'events', byClient(idle.client));
    // The claim that was still open may have moved at the last moment; what is gone moves no more.
    assert(left >= events, 'they stay in the log');
    await lplate.catchUp();
    lplate.clock.advance(6 * hour);
    await lplate.catchUp();
    assert.equal(await countStored(lplate, 'events', byClient(idle.client)), left);
    assert.equal((await busy.log()).length, 3);
    const token = await lplate.token(busy.client.id, busy.client.secret);
    for (const claimId of gone) {
      const answer = await lplate.call('GET', `${claims}/${claimId}`, { token });
      assert.deepEqual(problem(answer), [404, 'claim-not-found']);
    }
    assert.equal((await lplate.call('GET', `${claims}/${kept}`, { token })).json.status, 'CLOSED');

    lplate.clock.advance(published + retention - 1 - lplate.clock.now());
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'events', byClient(idle.client)), left);
    lplate.clock.advance(25 * hour);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'events', byClient(idle.client)), 0);
  });
});
