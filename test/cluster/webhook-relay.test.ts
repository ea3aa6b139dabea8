import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres } from '../support/postgres.ts';
import { isSigned, Receiver } from '../support/receiver.ts';
import { TestRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

test('Decisions, relay: over three nodes a call reaches the relay wherever its stream is, once, and its answer whichever node gets it', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), { EVENTS_DUPLICATE_RATE: '0' });
  const receiver = await Receiver.open(t);
  const client = await nodes.program(0).client();
  const { token } = client;
  const json = { url: receiver.url, via: 'relay' };
  const { json: subscription } = await nodes.call('POST', '/claims/v1/subscriptions', { token, json });
  const path = `/claims/v1/subscriptions/${subscription.id}`;
  // Each answer goes to another node than the one before.
  const call = nodes.call.bind(nodes);
  for (let node = 0; node < nodes.count; node += 1) {
    const relay = await TestRelay.open(t, { url: nodes.program(node).url, call }, client);
    for (let made = 0; made < 4; made += 1) await nodes.call('POST', `${path}/test`, { token });
    await until(() => receiver.calls.length === 4 * (node + 1), `the calls by node ${node}`);
    await until(() => relay.answered.length === 4, 'they are answered');
    assert.deepEqual(relay.answered, [204, 204, 204, 204]);
  }
  const isDelivered = ({ status }: { status: string }) => status === 'delivered';
  // The node that takes an answer need not be the one that made the attempt, and ends it.
  await until(async () => {
    const { json: log } = await nodes.call('GET', `${path}/deliveries`, { token });
    return log.items.length === 12 && log.items.every(isDelivered);
  }, 'all are delivered');
  assert.deepEqual(receiver.attempts, Array(12).fill(1));
  for (const each of receiver.calls) assert.ok(isSigned(each, subscription.secret));

  // The node with the stream is killed: its calls fail, until the relay has another stream.
  await nodes.kill(2);
  const last = await TestRelay.open(
    t,
    { url: nodes.program(0).url, call: (...given) => nodes.call(given[0], given[1], { ...given[2], node: 1 }) },
    client,
  );
  await nodes.call('POST', `${path}/test`, { token, node: 1 });
  await until(() => receiver.calls.length === 13, 'another stream serves', 60_000);
  await until(() => last.answered.length > 0, 'it is answered');
});
