import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { subscribed } from '../support/receiver.ts';
import { EventStream } from '../support/topic.ts';
import { until } from '../support/until.ts';

/** The samples of one metric, by their labels. */
async function samples({ url, clock }: LPlate, name: string): Promise<Record<string, number>> {
  // The text is made at most once a second.
  clock.advance(1000);
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]));
}

forEachEngineInFull((engine) => {
  test('Decisions, addresses: /metrics tells how many streams of events are open, over all clients', async (t) => {
    const lplate = await startLPlate(t, engine, { streamsPerClient: 2 });
    const open = async () => (await samples(lplate, 'lplate_event_streams'))[''];
    assert.equal(await open(), 0);
    const streams: EventStream[] = [];
    t.after(() => {
      for (const stream of streams) stream.close();
    });
    for (let clients = 1; clients <= 2; clients += 1) {
      const { token } = await lplate.client();
      for (let each = 0; each < 2; each += 1) streams.push(await EventStream.open(lplate.url, token));
      // One too many is refused, and not counted.
      await assert.rejects(EventStream.open(lplate.url, token), /^Error: 429 /);
      assert.equal(await open(), 2 * clients);
    }
    streams.pop()?.close();
    await until(async () => (await open()) === 3, 'one stream fewer');
    for (const stream of streams) stream.close();
    await until(async () => (await open()) === 0, 'no stream');
  });

  test('Decisions, addresses: /metrics counts the calls of webhooks by what came of them', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    assert.deepEqual(await samples(lplate, 'lplate_webhook_attempts_total'), {});
    await subscriber.claim();
    receiver.answer = () => 204;
    await subscriber.pass(1000);
    receiver.answer = () => (receiver.calls.length === 2 ? 500 : 302);
    await subscriber.pass(1000);
    await subscriber.pass(5000);
    receiver.answer = () => 'reset';
    await subscriber.pass(30_000);
    receiver.answer = () => 200;
    await subscriber.pass(120_000);
    // An attempt is counted after it has been written down.
    await until(async () => {
      const counted = await samples(lplate, 'lplate_webhook_attempts_total');
      return Object.values(counted).reduce((sum, each) => sum + each, 0) >= receiver.calls.length;
    }, 'all calls are counted');
    assert.deepEqual(await samples(lplate, 'lplate_webhook_attempts_total'), {
      'outcome="taken"': 3,
      'outcome="refused"': 2,
      'outcome="unanswered"': 1,
    });
    const text = await (await fetch(`${lplate.url}/metrics`)).text();
    for (const particular of [subscriber.id, subscriber.client.id, receiver.url]) {
      assert(!text.includes(particular), 'no label holds what there may be any number of');
    }
  });
});
