import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { startProgram } from '../support/program.ts';
import { isSigned, Receiver } from '../support/receiver.ts';
import { serviceOf, TestRelay } from '../support/relay.ts';
import { steadyPort } from '../support/steady-port.ts';
import { until } from '../support/until.ts';

onSqlite((engine) => {
  test('Decisions, relay: a program that is killed while a relay makes a call hands it out again', async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = { PORT: String(await steadyPort()), EVENTS_DUPLICATE_RATE: '0' };
    const killed = await startProgram(t, where, { environment });
    const receiver = await Receiver.open(t);
    const client = await killed.client();
    const { token } = client;
    const json = { url: receiver.url, via: 'relay' };
    const { json: subscription } = await serviceOf(killed).call('POST', '/claims/v1/subscriptions', { token, json });
    const path = `/claims/v1/subscriptions/${subscription.id}`;
    const relay = await TestRelay.open(t, serviceOf(killed), client);
    relay.make = async () => {
      killed.child.kill('SIGKILL');
      return undefined;
    };
    await serviceOf(killed)
      .call('POST', `${path}/test`, { token })
      .catch(() => {});
    await killed.exit;

    const program = await startProgram(t, where, { environment });
    await TestRelay.open(t, serviceOf(program), client);
    await receiver.until(1);
    await until(async () => {
      const { json: log } = await serviceOf(program).call('GET', `${path}/deliveries`, { token });
      return log.items[0].status === 'delivered';
    }, 'it is delivered');
    assert.equal(receiver.calls.length, 1);
    for (const call of receiver.calls) assert.ok(isSigned(call, subscription.secret));
  });
});
