import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Listener, longTimeout, openTogether } from '../events/listener.ts';
import { publishMany } from '../events/published.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { claimOn, drain, insure, pass } from '../support/topic.ts';
import { until } from '../support/until.ts';

/** So much that the operating system does not take all of it for a reader that takes nothing. */
const published = 25_000;

/** Readers that take nothing. Three quarters of them leave. */
const slowReaders = 12;

/** Each comes twice. The time after which other answers that are not taken are cut off passes several times. */
const settings = { eventsDuplicateRate: 1, eventsHeartbeatSeconds: 3600, sendTimeoutSeconds: 1 };

async function start(t: test.TestContext, engine: Engine) {
  const where = await engine.location();
  const lplate = await startLPlate(t, { ...engine, location: async () => where }, settings);
  return { lplate, where };
}

/** The answers of the server to requests whose URL has this mark. */
function answersMarked(t: test.TestContext, mark: string): ServerResponse[] {
  const answers: ServerResponse[] = [];
  const see = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.includes(mark)) answers.push(response);
  };
  subscribe('http.server.request.start', see);
  t.after(() => unsubscribe('http.server.request.start', see));
  return answers;
}

/** Bytes that are in use once all garbage is gone: what a turn of the event loop had at hand, too. */
async function memory(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let times = 0; times < 3; times++) {
    await pause(20);
    runInNewContext('gc')();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A change of a claim of the client, so that the program tells its readers. */
async function change(lplate: LPlate, token: string): Promise<void> {
  await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
  await pass(lplate, 1);
}

const cursors = ({ heard }: Listener) => heard.map(({ id }) => id);

forEachEngine((engine) => {
  test(
    'Events: readers that take nothing cost little memory and delay nobody; when they go on, they get all in order',
    longTimeout,
    async (t) => {
      const { lplate, where } = await start(t, engine);
      const { id, token } = await lplate.client();
      const other = await lplate.client();
      const answers = answersMarked(t, 'slow');
      const slow = await Promise.all(
        Array.from({ length: slowReaders }, () =>
          Listener.open(lplate, token, { after: 'latest', paused: true, mark: '&slow=1' }),
        ),
      );
      const quick = await Listener.open(lplate, token, { after: 'latest' });
      const bystander = await Listener.open(lplate, other.token, { after: 'latest' });
      try {
        await publishMany(where, id, published);
        await change(lplate, token);
        await quick.until(() => quick.heard.length >= 2 * (published + 1), 'all events');
        const data = Buffer.byteLength(quick.text);
        await change(lplate, other.token);
        await bystander.until(() => bystander.heard.length === 2, 'an event of another client');
        // The first claim has changed once more by now.
        const count = 2 * (published + 2);
        assert.equal((await drain(lplate, token, 'earliest', 500)).events.length, count);

        assert.equal(answers.length, slow.length);
        const taken = Math.max(...answers.map(({ socket }) => socket?.bytesWritten ?? 0));
        assert.ok(taken < data / 2, `the operating system has taken ${taken} bytes: this shows nothing`);
        const waiting = Math.max(...answers.map(({ writableLength }) => writableLength));
        assert.ok(waiting < 200_000, `${waiting} bytes wait for one reader`);
        const leaving = slow.splice(0, (slowReaders * 3) / 4);
        const before = await memory();
        for (const each of leaving) each.close();
        await until(() => answers.filter(({ destroyed }) => destroyed).length === leaving.length, 'their end');
        const gone = leaving.length;
        // What is still held here would not be garbage.
        leaving.length = 0;
        answers.length = 0;
        const each = Math.round((before - (await memory())) / gone);
        assert.ok(each < 1_000_000, `${each} bytes were kept for each of them`);
        t.diagnostic(`of ${data} bytes ${taken} sent, ${waiting} waiting, ${each} in memory for each slow reader`);

        await quick.until(() => quick.heard.length === count, 'the last event');
        for (const each of slow) {
          each.resume();
          await each.until(() => each.heard.length === count, 'all events');
          assert.deepEqual(cursors(each), cursors(quick));
        }
      } finally {
        for (const each of [...slow, quick, bystander]) each.close();
      }
    },
  );

  test(
    'Decisions, clients: a reader that takes nothing is cut off when its token has expired, and its place is free',
    longTimeout,
    async (t) => {
      const { lplate, where } = await start(t, engine);
      const { id, secret, token } = await lplate.client();
      await publishMany(where, id, published);
      await change(lplate, token);
      lplate.clock.advance(3_598_000);
      const answers = answersMarked(t, 'stuck');
      const stuck = await Listener.open(lplate, token, { paused: true, mark: '&stuck=1' });
      t.after(() => stuck.close());
      await until(() => answers[0]?.writableNeedDrain === true, 'a reader that is stuck');
      await until(() => answers[0]?.destroyed === true, 'its end');
      assert.equal(answers[0]?.writableFinished, false);
      const renewed = await lplate.token(id, secret);
      for (const each of await openTogether(lplate, renewed, 20)) each.close();
    },
  );
});
