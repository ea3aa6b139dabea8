import assert from 'node:assert/strict';
import { test } from 'node:test';
import { second } from '../../src/time/units.ts';
import { onSqlite } from '../support/engines.ts';
import { startUndoubled } from '../support/lplate.ts';
import { isSigned, type ReceivedCall, Receiver, Subscriber } from '../support/receiver.ts';
import { connectRelay, type RelayProgram, relayPrograms } from '../support/relay-program.ts';

const kills = 30;

/** Of each of two subscriptions, three events each. */
const claimsBetween = 3;

onSqlite((engine) => {
  test('Delivery rules, 2: while the relay is killed again and again, every event comes, in order per claim, and again only as a further attempt', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const receivers = [await Receiver.open(t), await Receiver.open(t)];
    const subscribers: Subscriber[] = [];
    for (const { url } of receivers) subscribers.push(await Subscriber.open(lplate, url, client, { via: 'relay' }));
    const [first] = subscribers as [Subscriber];
    const programs = relayPrograms.filter(({ skip }) => skip === false);
    const count = () => receivers.reduce((sum, { calls }) => sum + calls.length, 0);
    const settled = async (milliseconds: number) => {
      await first.pass(milliseconds);
      for (const each of subscribers) await each.settled();
    };

    for (let kill = 0; kill < kills; kill += 1) {
      const program = programs[kill % programs.length] as RelayProgram;
      const relay = await connectRelay(t, program, lplate, client);
      const last = count() + 1 + Math.floor(Math.random() * 12);
      for (const receiver of receivers) {
        receiver.answer = async () => {
          if (count() >= last && relay.child.kill('SIGKILL')) await relay.exit;
          return 204;
        };
      }
      for (let claim = 0; claim < claimsBetween; claim += 1) await first.claim();
      for (let change = 0; change < 3; change += 1) await settled(1 * second);
      assert.ok(relay.child.killed);
      for (const receiver of receivers) receiver.answer = () => 204;
      const next = await connectRelay(t, program, lplate, client);
      await settled(6 * second);
      next.child.kill('SIGKILL');
      await next.exit;
    }

    let again = 0;
    for (const [at, { calls }] of receivers.entries()) {
      const subscriber = subscribers[at] as Subscriber;
      const log = await subscriber.log();
      assert.equal(log.length, kills * claimsBetween * 3);
      assert.deepEqual(new Set(log.map(({ status }) => status)), new Set(['delivered']));
      for (const call of calls) assert.ok(isSigned(call, subscriber.secret));
      const attempts = calls.map(({ headers }) => `${headers['webhook-id']} ${headers['webhook-attempt']}`);
      assert.equal(new Set(attempts).size, attempts.length, 'an attempt came twice');
      const taken = firstOfEach(calls);
      assert.equal(taken.length, log.length);
      again += calls.length - taken.length;
      for (const [claim, changes] of Map.groupBy(taken, ({ event }) => event.data.claimId)) {
        const before = changes.map(({ event }) => event.data.previousStatus);
        const after = changes.map(({ event }) => event.data.newStatus);
        assert.deepEqual(before.slice(1), after.slice(0, -1), claim);
      }
    }
    t.diagnostic(`${again} came again`);
    assert.ok(again > 0, 'no kill met a call');
  });
});

function firstOfEach(calls: readonly ReceivedCall[]): ReceivedCall[] {
  const seen = new Set<string>();
  return calls.filter(({ event: { eventId } }) => !seen.has(eventId) && seen.add(eventId));
}
