import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { startLPlate, startWithClient } from '../support/lplate.ts';
import { claimOn, drain, insure, pass, topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { dial, Listener, longTimeout, openTogether, streamRequest, timersNow } from './listener.ts';

const seed = chooseSeed();

const noHeartbeat = { eventsHeartbeatSeconds: 3600 };

const clients = extent(10, 50);
const streamsOfEach = 20;

/** The same numbers from 0 up to 1 for the same seed (mulberry32). */
function numbers(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

forEachEngineInFull((engine) => {
  test(
    `Events, rule 1: ${clients * streamsOfEach} open streams each receive every event of their client, and no other`,
    longTimeout,
    async (t) => {
      const lplate = await startLPlate(t, engine, { ...noHeartbeat, eventsDuplicateRate: 0.5 });
      const parties = await Promise.all(
        Array.from({ length: clients }, async () => {
          const { token } = await lplate.client();
          const policy = await insure(lplate, token);
          for (let number = 0; number < 2; number++) await claimOn(lplate, token, policy, { paceSeconds: 1 + number });
          return { token, streams: [] as Listener[] };
        }),
      );
      for (const party of parties) party.streams = await openTogether(lplate, party.token, streamsOfEach);
      assert.equal(parties.flatMap(({ streams }) => streams).length, clients * streamsOfEach);
      for (let second = 0; second < 6; second++) await pass(lplate, 1);
      for (const { token, streams } of parties) {
        const { events } = await drain(lplate, token);
        assert.equal(new Set(events.map(({ eventId }) => eventId)).size, 6);
        for (const stream of streams) {
          await stream.until(() => stream.heard.length >= events.length, `${events.length} deliveries`);
          assert.deepEqual(
            stream.heard.map(({ eventId }) => eventId),
            events.map(({ eventId }) => eventId),
          );
        }
      }
    },
  );

  test(
    'Events, rule 1: while events flow, streams and long polls that come and go at random break nothing',
    longTimeout,
    async (t) => {
      console.log(`FUZZ_SEED=${seed} (${engine.name})`);
      const random = numbers(seed);
      const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
      const warnings: Error[] = [];
      const warn = (warning: Error) => warnings.push(warning);
      process.on('warning', warn);
      const reached: string[] = [];
      const see = (message: unknown) => {
        const { url } = (message as { request: IncomingMessage }).request;
        if (url?.startsWith(topicPath)) reached.push(url);
      };
      subscribe('http.server.request.start', see);
      t.after(() => {
        process.off('warning', warn);
        unsubscribe('http.server.request.start', see);
      });
      const cap = 400;
      const { lplate, token } = await startWithClient(t, engine, {
        ...noHeartbeat,
        streamsPerClient: cap,
        eventsDuplicateRate: 1,
      });
      const policies = [await insure(lplate, token), await insure(lplate, token)];
      const quiet = timersNow(engine);

      const open: { destroy(): void }[] = [];
      const leave = () => open.splice(Math.floor(random() * open.length), 1)[0]?.destroy();
      const acts = {
        event: async () => {
          await claimOn(lplate, token, pick(policies), { paceSeconds: 1 });
          await pass(lplate, 1);
        },
        stream: async () => {
          const listener = await Listener.open(lplate, token, { after: pick(['earliest', 'latest']) });
          open.push({ destroy: () => listener.close() });
        },
        'stream, not read': async () => {
          const socket = await dial(lplate);
          socket.pause().write(streamRequest(token, '?after=earliest'));
          open.push(socket);
        },
        'stream, cut at once': async () => {
          const socket = await dial(lplate);
          socket.write(streamRequest(token, '?after=earliest'), () =>
            pick([socket.destroy, socket.resetAndDestroy]).call(socket),
          );
        },
        'long poll': async () => {
          const socket = await dial(lplate);
          socket.resume().write(streamRequest(token, '?after=latest&wait=30').replace('text/event-stream', '*/*'));
          open.push(socket);
        },
        leave: async () => leave(),
      };
      const names = Object.keys(acts) as (keyof typeof acts)[];
      for (let step = 0; step < extent(25, 150); step++) {
        await Promise.all(Array.from({ length: 1 + Math.floor(random() * 6) }, () => acts[pick(names)]()));
      }
      // Whoever is left sees the last event like all before.
      const last = await Listener.open(lplate, token);
      await acts.event();
      const { events } = await drain(lplate, token, 'earliest', 500);
      await last.until(() => last.heard.length === events.length, 'all events');
      last.close();
      while (open.length > 0) leave();

      const lines = () => lplate.log.filter((line) => line.includes(`"route":"${topicPath}"`));
      await until(() => lines().length >= reached.length && quiet(), 'the end of all readers');
      assert.equal(lines().length, reached.length);
      assert.deepEqual(
        lplate.log.filter((line) => !line.includes('"level":30')),
        [],
      );
      assert.deepEqual(warnings, []);
      for (const each of await openTogether(lplate, token, cap)) each.close();
      t.diagnostic(`${reached.length} requests, ${events.length} deliveries`);
    },
  );
});
