import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { second } from '../../src/time/units.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, type TestClient } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { isSigned, Receiver, type Reply, Subscriber, until } from '../support/receiver.ts';
import { type SentCall, TestRelay } from '../support/relay.ts';

const quiet = { eventsDuplicateRate: 0 };

const relayed = { via: 'relay' };

forEachEngineInFull((engine) => {
  const start = (t: TestContext, settings = {}) => startLPlate(t, engine, { ...quiet, ...settings });

  /** A client with a receiver, a relay, and a subscription by it. */
  async function withRelay(t: TestContext, lplate: LPlate) {
    const receiver = await Receiver.open(t);
    const client = await lplate.client();
    const relay = await TestRelay.open(t, lplate, client);
    return { receiver, client, relay, subscriber: await Subscriber.open(lplate, receiver.url, client, relayed) };
  }

  const relayOf = (lplate: LPlate, client: TestClient, id: string, json: object) =>
    lplate.call('POST', `/range/v1/me/relay/${id}`, { token: client.token, json });

  test('Decisions, relay: a call is handed to the program of its client, signed and whole, in order, and its answer is that of the receiver', async (t) => {
    const lplate = await start(t);
    const { receiver, relay, subscriber } = await withRelay(t, lplate);
    await subscriber.claim();
    for (let passed = 0; passed < 3; passed += 1) await subscriber.pass(second);
    const log = await subscriber.log();
    assert.deepEqual(
      log.map(({ status, attempts }) => [status, attempts.map(({ responseStatus }) => responseStatus)]),
      [1, 2, 3].map(() => ['delivered', [204]]),
    );
    assert.deepEqual(
      receiver.eventIds,
      log.map(({ eventId }) => eventId),
    );
    for (const call of receiver.calls) assert.ok(isSigned(call, subscriber.secret));
    assert.deepEqual(
      relay.calls.map(({ headers }) => headers.Host),
      receiver.calls.map(({ headers }) => headers.host),
    );
    assert.deepEqual(relay.answered, [204, 204, 204]);
  });

  const behaviours: Readonly<Record<string, Reply | 'away'>> = {
    'a 2xx': 204,
    'a body': { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'Ł'.repeat(1000) },
    'a 500 with a body': { status: 500, body: 'the database is away' },
    'a body that is cut': {
      status: 200,
      headers: { 'Content-Length': '100', Connection: 'close', 'Content-Type': 'text/plain' },
      body: 'so far',
    },
    'a redirect': { status: 302, location: 'http://127.0.0.1:1/' },
    'a 410': 410,
    'a Retry-After': { status: 503, headers: { 'Retry-After': '60' } },
    nobody: 'away',
  };
  for (const [what, reply] of Object.entries(behaviours)) {
    test(`Decisions, relay: retries and log are those of a direct call: ${what}`, async (t) => {
      const lplate = await start(t);
      const { receiver, client, subscriber } = await withRelay(t, lplate);
      const direct = await Subscriber.open(lplate, receiver.url, client);
      if (reply === 'away') receiver.close();
      else receiver.answer = () => reply;
      const seen = [];
      for (const each of [subscriber, direct]) {
        await each.call('POST', '/test');
        const [delivery] = await each.settled();
        const { createdAt: _, eventId: __, claimId: ___, ...logged } = delivery as NonNullable<typeof delivery>;
        const { json } = await each.call('GET');
        const { id: ____, url, via, createdAt: _____, answers, ...shown } = json;
        seen.push(JSON.stringify({ logged, shown }));
        assert.deepEqual([url, answers, via], [receiver.url, undefined, each === direct ? 'direct' : 'relay']);
      }
      assert.equal(seen[0], seen[1]);
      const { json } = await lplate.call('GET', '/range/v1/me/exchanges?kind=delivery', client);
      const kept = json.items.map(({ delivery, status }: { delivery: object; status: number }) => [delivery, status]);
      assert.deepEqual(kept[0][1], kept[1][1]);
      assert.deepEqual([kept[0][0].via, kept[1][0].via], [undefined, 'relay']);
      assert.equal(receiver.calls.length, reply === 'away' ? 0 : 2);
    });
  }

  test('Decisions, relay: what happens on its machine in place of an answer is told in the words of a direct call', async (t) => {
    const lplate = await start(t);
    const { relay, receiver, client } = await withRelay(t, lplate);
    const says = {
      refused: 'refused the connection',
      timeout: 'did not answer within 15 s',
      closed: 'closed the connection',
      http: 'did not answer in HTTP',
      tls: 'has a certificate that is not valid',
      handshake: 'failed the TLS handshake, which https needs',
      name: 'its host name has no address; check the spelling',
      other: 'could not be reached: (secret, 50 characters)',
    };
    for (const [error, words] of Object.entries(says)) {
      const subscriber = await Subscriber.open(lplate, receiver.url, client, relayed);
      relay.make = async () => ({ error, ...(error === 'other' && { detail: subscriber.secret }) });
      await subscriber.call('POST', '/test');
      const [delivery] = await subscriber.settled();
      assert.equal(delivery?.attempts[0]?.error, words);
    }
    assert.equal(receiver.calls.length, 0);
  });

  test('Decisions, relay: without one an attempt fails, says how to start one, and is made again later', async (t) => {
    const lplate = await start(t);
    const receiver = await Receiver.open(t);
    const client = await lplate.client();
    const subscriber = await Subscriber.open(lplate, receiver.url, client, relayed);
    await subscriber.call('POST', '/test');
    const [before] = await subscriber.settled();
    assert.match(before?.attempts[0]?.error ?? '', /^no-relay: .*\/kits.*npx l-plate relay/);
    assert.deepEqual((await lplate.call('GET', '/range/v1/me/relay', client)).json, { connectedAt: null });
    await TestRelay.open(t, lplate, client);
    const [after] = await subscriber.pass(5 * second);
    assert.deepEqual([after?.status, after?.attemptCounts.total], ['delivered', 2]);
    assert.deepEqual(receiver.attempts, [2]);
  });

  test('Decisions, relay: a call whose relay is killed fails at once, and is made again by the next one', async (t) => {
    const lplate = await start(t);
    const { relay, client, receiver, subscriber } = await withRelay(t, lplate);
    relay.make = async () => {
      relay.kill();
      return undefined;
    };
    await subscriber.call('POST', '/test');
    const [before] = await subscriber.settled();
    assert.equal(before?.attempts[0]?.error, 'closed the connection');
    await TestRelay.open(t, lplate, client);
    const [after] = await subscriber.pass(5 * second);
    assert.deepEqual([after?.status, receiver.attempts], ['delivered', [2]]);
  });

  test('Decisions, relay: the newest stream of a client serves, and gets its calls alone', async (t) => {
    const lplate = await start(t);
    const { relay, client, subscriber } = await withRelay(t, lplate);
    const newer = await TestRelay.open(t, lplate, client);
    await until(() => relay.ended, 'the older one ends');
    assert.deepEqual(relay.events, ['replaced']);
    const stranger = await TestRelay.open(t, lplate, await lplate.client());
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    assert.deepEqual(
      [relay, newer, stranger].map(({ calls }) => calls.length),
      [0, 1, 0],
    );
  });

  test('Decisions, relay: an answer is taken once, from its client, while the call waits', async (t) => {
    const lplate = await start(t);
    const { relay, client, subscriber } = await withRelay(t, lplate);
    const stranger = await lplate.client();
    const answers: number[] = [];
    let call: SentCall | undefined;
    relay.make = async (made) => {
      call = made;
      const draft = { status: 204 };
      for (const [who, id] of [
        [stranger, made.id],
        [client, 'none'],
        [client, `${made.id}0`],
        [client, made.id],
        [client, made.id],
      ] as const) {
        answers.push((await relayOf(lplate, who, id, draft)).status);
      }
      return undefined;
    };
    await subscriber.call('POST', '/test');
    const [delivery] = await subscriber.settled();
    assert.equal(delivery?.status, 'delivered');
    await until(() => answers.length === 5, 'all are answered');
    assert.deepEqual(answers, [404, 404, 404, 204, 404]);
    const late = await relayOf(lplate, client, call?.id ?? '', { status: 204 });
    assert.deepEqual(problem(late), [404, 'relay-call-not-found']);
  });

  test('Decisions, relay: it stays connected when its client is reset, and goes with it', async (t) => {
    const lplate = await start(t);
    const { client } = await withRelay(t, lplate);
    assert.equal((await lplate.call('POST', '/range/v1/me/reset', client)).status, 204);
    assert.notEqual((await lplate.call('GET', '/range/v1/me/relay', client)).json.connectedAt, null);
    assert.equal((await lplate.call('DELETE', '/range/v1/me', client)).status, 204);
    assert.equal((await lplate.call('GET', '/range/v1/me/relay', client)).status, 401);
  });

  const wrongAnswers: readonly (readonly [object, string])[] = [
    [{}, '/status'],
    [{ status: 99 }, '/status'],
    [{ status: 204, error: 'refused' }, '/status'],
    [{ error: 'away' }, '/error'],
    [{ error: 'refused', detail: 'x' }, '/detail'],
    [{ status: 204, detail: 'x' }, '/detail'],
    [{ status: 200, body: 'not base64!' }, '/body'],
    [{ status: 200, body: 'A'.repeat(20_000) }, '/body'],
    [{ status: 200, headers: { a: 1 } }, '/headers/a'],
    [{ status: 200, headers: { location: '/\r\nset-cookie: a=b' } }, '/headers/location'],
  ];
  test('Decisions, relay: an answer that means nothing is refused where it is wrong', async (t) => {
    const lplate = await start(t);
    const client = await lplate.client();
    for (const [json, pointer] of wrongAnswers) {
      const answer = await relayOf(lplate, client, 'any', json);
      assert.deepEqual([answer.status, answer.json.errors?.[0]?.pointer], [400, pointer], JSON.stringify(json));
    }
    const big = { status: 200, body: 'A'.repeat(10_000_000) };
    assert.equal((await relayOf(lplate, client, 'any', big)).status, 413);
  });

  test('Decisions, relay: a relay that answers nothing has at most 16 calls waiting, and no other client waits for it', async (t) => {
    const lplate = await start(t, { subscriptionsPerClient: 20 });
    const { relay, client, receiver } = await withRelay(t, lplate);
    relay.make = async () => undefined;
    const many = [];
    for (let made = 0; made < 19; made += 1) many.push(await Subscriber.open(lplate, receiver.url, client, relayed));
    for (const each of many) await each.call('POST', '/test');
    await until(() => relay.calls.length >= 16, '16 wait');
    const other = await withRelay(t, lplate);
    await other.subscriber.call('POST', '/test');
    assert.equal((await other.subscriber.settled())[0]?.status, 'delivered');
    assert.ok((await metric(lplate, 'lplate_webhook_relay_calls')) <= 16);
  });

  test('Decisions, inbox: nobody is called; each call lies in the log, signed, and is answered as told', async (t) => {
    const lplate = await start(t);
    const client = await lplate.client();
    const inbox = await Subscriber.open(lplate, undefined, client, { via: 'inbox', answers: [503, 200] });
    const created = (await inbox.call('GET')).json;
    assert.deepEqual([created.url, created.via, created.answers], [null, 'inbox', [503, 200]]);
    await inbox.call('POST', '/test');
    const [first] = await inbox.settled();
    assert.deepEqual([first?.status, first?.attempts[0]?.responseStatus], ['pending', 503]);
    assert.deepEqual((await inbox.call('GET')).json.answers, [200]);
    const [second_] = await inbox.pass(5 * second);
    assert.deepEqual(
      second_?.attempts.map(({ responseStatus }) => responseStatus),
      [503, 200],
    );
    await inbox.call('POST', '/test');
    const log = await inbox.settled();
    assert.equal(log[1]?.attempts[0]?.responseStatus, 204);
    assert.deepEqual((await inbox.call('GET')).json.answers, []);

    const { json } = await lplate.call('GET', '/range/v1/me/exchanges?kind=delivery', client);
    assert.equal(json.items.length, 3);
    for (const { id } of json.items) {
      const { json: exchange } = await lplate.call('GET', `/range/v1/me/exchanges/${id}`, client);
      assert.match(exchange.url, /^http:\/\/inbox\.invalid\/sub-/);
      const named = exchange.request.headers.map(({ name, value }: { name: string; value: string }) => [name, value]);
      const call = { method: 'POST', path: '', headers: Object.fromEntries(named), body: exchange.request.body.text };
      assert.ok(isSigned({ ...call, event: JSON.parse(call.body) }, inbox.secret));
    }
  });

  const wrongDrafts: readonly (readonly [object, string])[] = [
    [{}, '/url'],
    [{ via: 'relay' }, '/url'],
    [{ via: 'inbox', url: 'http://127.0.0.1:9000/' }, '/url'],
    [{ via: 'relay', url: 'ftp://127.0.0.1/' }, '/url'],
    [{ via: 'relay', url: 'http://me:secret@127.0.0.1/' }, '/url'],
    [{ via: 'tunnel', url: 'http://127.0.0.1:9000/' }, '/via'],
    [{ url: 'http://127.0.0.1:9000/', answers: [204] }, '/answers'],
    [{ via: 'relay', url: 'http://127.0.0.1:9000/', answers: [] }, '/answers'],
    [{ via: 'inbox', answers: [199] }, '/answers/0'],
    [{ via: 'inbox', answers: Array(21).fill(204) }, '/answers'],
  ];
  test('Decisions, relay: members that do not go together are refused; a relay takes addresses that this service does not call', async (t) => {
    const lplate = await start(t);
    const { token } = await lplate.client();
    const subscribe = (json: object) => lplate.call('POST', '/claims/v1/subscriptions', { token, json });
    for (const [json, pointer] of wrongDrafts) {
      const answer = await subscribe(json);
      assert.deepEqual([answer.status, answer.json.errors?.[0]?.pointer], [400, pointer], JSON.stringify(json));
    }
    for (const url of ['http://10.1.2.3:9000/hooks', 'https://my-laptop.local/hooks', 'http://[fe80::1]/']) {
      assert.equal((await subscribe({ via: 'direct', url })).status, 400);
      const { status, json } = await subscribe({ ...relayed, url });
      assert.deepEqual([status, json.url], [201, url]);
    }
  });
});
