import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { before, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, sharedLPlate } from '../support/lplate.ts';
import { batch, type ClaimEvent, claimOn, drain, insure, pass, topicPath } from '../support/topic.ts';

/* The topic by batches, where every event comes once. */
forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });
  let token: string;
  /** 510 of them, more than any batch holds. */
  let all: ClaimEvent[];

  before(async () => {
    ({ token } = await lplate.client());
    const policy = await insure(lplate, token);
    for (let at = 0; at < 170; at += 1) await claimOn(lplate, token, policy, { paceSeconds: 1 + (at % 7) });
    for (let second = 0; second < 21; second += 1) await pass(lplate, 1);
    all = (await drain(lplate, token, 'earliest', 77)).events;
    assert.equal(all.length, 510);
  });

  const get = (query: string) => lplate.call('GET', `${topicPath}${query}`, { token });
  const ids = (events: readonly ClaimEvent[]) => events.map(({ eventId }) => eventId);

  test('Decisions, events: a batch is { events, next } in JSON, never stored by caches', async () => {
    const answer = await get('?limit=3');
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['events', 'next']);
    assert.deepEqual(answer.json.events, all.slice(0, 3));
    assert.equal(typeof answer.json.next, 'string');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  });

  test('Decisions, events: limit is 1 to 500, by default 100; other values are 400 and named', async () => {
    for (const [query, length] of [
      ['', 100],
      ['?limit=1', 1],
      ['?limit=2', 2],
      ['?limit=100', 100],
      ['?limit=500', 500],
    ] as const) {
      assert.deepEqual(ids((await batch(lplate, token, query)).events), ids(all.slice(0, length)), query);
    }
    for (const value of ['0', '501', '-1', '1.5', '1e2', '0x1', '007', '', 'all', '1%00', '99999999999999999999']) {
      const answer = await get(`?limit=${value}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], value);
      assert.deepEqual(
        answer.json.errors.map(({ parameter }: { parameter: string }) => parameter),
        ['limit'],
      );
    }
    assert.equal((await get('?limit=1&limit=2')).status, 400, 'twice');
  });

  test('Decisions, events: after is earliest by default; latest gives nothing but where to go on', async () => {
    assert.deepEqual(await batch(lplate, token, '?after=earliest'), await batch(lplate, token));
    const { events, next } = await batch(lplate, token, '?after=latest');
    assert.deepEqual(events, []);
    const note = 'There are no events after this cursor yet. earliest reads all that are kept.';
    assert.deepEqual(await batch(lplate, token, `?after=${next}`), { events: [], next, note });
    assert.equal((await drain(lplate, token)).next, next, 'the end of the topic is one place');
  });

  test('Decisions, events: other values of after are 400, and it is named', async () => {
    const odd = ['', 'first', 'Earliest', 'LATEST', 'null', '0', '7', '7-', '-1', '7-0', '7-3', '07-1', '-7-1', '+7-1'];
    odd.push(
      '7-1%20',
      '%207-1',
      '7-1%00',
      '7-1-1',
      '7.0-1',
      '1e2-1',
      '0x7-1',
      '7%E2%80%931',
      '7-01',
      '7_1',
      '%D9%A7-1',
    );
    odd.push(`${'9'.repeat(16)}-1`, 'x'.repeat(5_000), 'earliest,latest', 'latest&after=latest');
    for (const value of odd) {
      const answer = await get(`?after=${value}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], value.slice(0, 60));
      assert.deepEqual(
        answer.json.errors.map(({ parameter }: { parameter: string }) => parameter),
        ['after'],
      );
      assert.match(answer.json.detail, /after/);
      assert(answer.text.length < 1_500);
    }
    assert.equal((await get('?after=x&limit=0&wait=31')).json.errors.length, 3, 'each fault is told');
  });

  test('Decisions, events: a cursor that the topic has not reached is 400: it comes from elsewhere', async () => {
    const { next } = await batch(lplate, token, '?after=latest');
    const seq = Number(next.split('-')[0]);
    for (const cursor of [`${seq + 1}-1`, `${seq + 1}-2`, `${seq + 1000}-1`, '999999999999999-2']) {
      const answer = await get(`?after=${cursor}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], cursor);
      assert.equal(answer.json.errors[0].parameter, 'after');
      assert.match(answer.json.detail, /earliest.*latest/, 'it says what to do');
    }
  });

  test('Decisions, events: wherever a reader stops, next leads to the rest, nothing lost and nothing again', async () => {
    for (const [limit, from] of [
      [1, 430],
      [2, 400],
      [3, 390],
      [7, 0],
      [100, 0],
      [499, 0],
      [500, 0],
    ] as const) {
      const { next } = from > 0 ? await batch(lplate, token, `?limit=${from}`) : { next: 'earliest' };
      const { events } = await drain(lplate, token, next, limit);
      assert.deepEqual(ids(events), ids(all.slice(from)), `batches of ${limit}`);
    }
    for (const cut of [1, 5, 50, 100, 499]) {
      const { next } = await batch(lplate, token, `?limit=${cut}`);
      const rest = await drain(lplate, token, next, 97);
      assert.deepEqual(ids(rest.events), ids(all.slice(cut)), `cut after ${cut}`);
      assert.deepEqual((await batch(lplate, token, `?after=${next}&limit=4`)).events, all.slice(cut, cut + 4), 'again');
    }
  });

  test('Decisions, events: reading takes nothing away: any number of readers see the same', async () => {
    const again = await Promise.all(Array.from({ length: 8 }, () => drain(lplate, token, 'earliest', 200)));
    for (const { events, next } of again) {
      assert.deepEqual(ids(events), ids(all));
      assert.equal(next, again[0]?.next);
    }
  });

  test('Decisions, events: next of an empty batch goes on with the topic, so that what follows is all that comes', async () => {
    const { next } = await batch(lplate, token, '?after=latest');
    const id = await claimOn(lplate, token, all[0]?.data.policyNumber as string, { paceSeconds: 1 });
    await pass(lplate, 2);
    const { events } = await batch(lplate, token, `?after=${next}`);
    assert.deepEqual(
      events.map(({ data }) => [data.claimId, data.newStatus]),
      [
        [id, 'UNDER_REVIEW'],
        [id, 'APPROVED'],
      ],
    );
    await pass(lplate, 1);
    all = (await drain(lplate, token)).events;
  });

  test('Decisions, conventions: HEAD is answered like GET without a body, and does not wait', async () => {
    const begun = performance.now();
    for (const query of ['', '?after=latest&wait=30']) {
      const answer = await lplate.call('HEAD', `${topicPath}${query}`, { token });
      assert.deepEqual([answer.status, answer.text], [200, '']);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    }
    assert(performance.now() - begun < 15_000, 'it waited');
    assert.equal((await lplate.call('HEAD', `${topicPath}?after=x`, { token })).status, 400);
    const stream = await lplate.call('HEAD', topicPath, { token, headers: { Accept: 'text/event-stream' } });
    assert.deepEqual([stream.status, stream.headers.get('content-type'), stream.text], [200, 'text/event-stream', '']);
  });

  test('Decisions, conventions: unknown parameters, Last-Event-ID and a trailing slash change nothing of a batch', async () => {
    const expected = await batch(lplate, token, '?limit=5');
    assert.deepEqual(await batch(lplate, token, '/?limit=5'), expected);
    assert.deepEqual(await batch(lplate, token, '?limit=5&pageSize=1&from=latest&status=CLOSED'), expected);
    for (const id of ['1-1', 'nonsense', '']) {
      const { json } = await lplate.call('GET', `${topicPath}?limit=5`, { token, headers: { 'Last-Event-ID': id } });
      assert.deepEqual(json, expected);
    }
  });

  test('Decisions, events: Accept tells batch from stream, and a batch comes to all who don’t ask for a stream', async () => {
    const stream = 'text/event-stream';
    const json = 'application/json';
    for (const [accept, expected] of [
      ['*/*', json],
      ['', json],
      [json, json],
      ['application/*', json],
      ['text/html', json],
      ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', json],
      ['application/xml;q=0.5', json],
      ['nonsense', json],
      [`${stream};q=0`, json],
      [`${stream};q=0.4, ${json};q=0.5`, json],
      [`${json}, ${stream};q=0.9`, json],
      [`${json}, ${stream}`, json],
      [stream, stream],
      [stream.toUpperCase(), stream],
      ['text/*', stream],
      [`${stream}, ${json}`, stream],
      [`${stream}, ${json};q=0.9`, stream],
      [`${json};q=0.4, ${stream};q=0.5`, stream],
      [`text/html, ${stream}, */*;q=0.1`, stream],
      [`*/*;q=0.1, ${stream}`, stream],
      [`${json};q=0, */*`, stream],
    ] as const) {
      const abort = new AbortController();
      const headers = { Authorization: `Bearer ${token}`, Accept: accept };
      const response = await fetch(`${lplate.url}${topicPath}`, { headers, signal: abort.signal });
      const [type] = (response.headers.get('content-type') ?? '').split(';');
      abort.abort();
      assert.deepEqual([response.status, type], [200, expected], accept);
    }
  });
});
