import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { kept, tellingKept } from '../support/kept.ts';
import type { TestClient } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { startProgram } from '../support/program.ts';
import { isSigned, Receiver } from '../support/receiver.ts';
import { type SentCall, TestRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

/*
 * Many learners, each with a relay of its own at an address of its own, and then some whose relays are hostile, each in
 * its way. Everyone else gets some calls while a hostile one has as many waiting as it may.
 */

const relays = 200;

/** That each of the others gets beside each hostile one. */
const callsEach = 2;

/** Of them that ask for a call at the same time. */
const atOnce = 20;

/** Subscriptions of a hostile one: more than calls of it may wait. */
const hostileSubscriptions = 20;
const mayWait = 16;

const large = `{"status":200,"body":"${'A'.repeat(10_000_000)}"}`;

/** Megabytes that hostile ones may add to what is left when the garbage is collected; 16 answers of one are 160. */
const mayKeep = 100;

interface Party {
  readonly client: TestClient;
  readonly relay: TestRelay;
  readonly paths: readonly string[];
  readonly secret: string;
}

forEachEngine((engine) => {
  test(`Decisions, relay: ${relays} relays get all their calls, once, beside one that answers nothing, for others, or with 10 MB; what waits and what is kept stays small`, async (t) => {
    const program = await startProgram(t, await engine.location(), {
      command: tellingKept,
      environment: {
        ...{ TRUST_PROXY: '1', RATE_LIMIT_KEY: 'client', LOG_LEVEL: 'error' },
        ...{ EVENTS_DUPLICATE_RATE: '0', SUBSCRIPTIONS_PER_CLIENT: String(hostileSubscriptions) },
      },
    });
    const receiver = await Receiver.open(t);

    async function join(at: number, subscriptions: number): Promise<Party> {
      const call = (method: string, path: string, { token, json }: { token?: string; json?: unknown } = {}) =>
        send(program.url + path, {
          method,
          headers: {
            'X-Forwarded-For': `198.51.100.${at}`,
            ...(token && { Authorization: `Bearer ${token}` }),
            ...(json !== undefined && { 'Content-Type': 'application/json' }),
          },
          body: json === undefined ? undefined : JSON.stringify(json),
        });
      const { client_id: id, client_secret: secret } = (await call('POST', '/insurer/v1/demo-clients')).json;
      const credentials = { client_id: id, client_secret: secret };
      const { access_token: token } = (await call('POST', '/insurer/v1/auth/token', { json: credentials })).json;
      const client = { id, secret, token };
      const made = [];
      for (let number = 0; number < subscriptions; number += 1) {
        const json = { url: receiver.url, via: 'relay' };
        made.push((await call('POST', '/claims/v1/subscriptions', { token, json })).json);
      }
      return {
        client,
        relay: await TestRelay.open(t, { url: program.url, call }, client),
        paths: made.map((each) => `/claims/v1/subscriptions/${each.id}`),
        secret: made[0].secret,
      };
    }

    const headersOf = ({ client }: Party) => ({ Authorization: `Bearer ${client.token}` });
    const ask = (party: Party, method: string, path: string) =>
      send(program.url + path, { method, headers: headersOf(party) });
    /** Asks again what a busy machine refuses: nothing was done then. */
    async function orderOne(party: Party, path: string): Promise<void> {
      for (;;) {
        const { status, text } = await ask(party, 'POST', `${path}/test`);
        if (status === 202) return;
        assert.equal(status, 503, text);
        await pause(1000);
      }
    }
    const order = (party: Party) => Promise.all(party.paths.map((path) => orderOne(party, path)));
    const answerAs = async (party: Party, { id }: Pick<SentCall, 'id'>, answer: string) => {
      const headers = { ...headersOf(party), 'Content-Type': 'application/json' };
      const path = `/range/v1/me/relay/${id}`;
      return (await send(program.url + path, { method: 'POST', headers, body: answer })).status;
    };

    const others: Party[] = [];
    while (others.length < relays) others.push(await join(others.length, 1));
    const make = others[0]?.relay.make as TestRelay['make'];

    let expected = 0;
    /** Each of the others gets its calls. */
    async function serve(): Promise<void> {
      for (let number = 0; number < callsEach; number += 1) {
        for (let at = 0; at < others.length; at += atOnce) {
          await Promise.all(others.slice(at, at + atOnce).map(order));
        }
      }
      expected += callsEach * others.length;
      await until(() => new Set(receiver.eventIds).size === expected, `${expected} calls`, 120_000);
    }

    await serve();
    const before = await kept(program);

    /** What a hostile relay is answered: to what is too large, its answers to calls of others, or to one too many. */
    const refused: Record<string, readonly number[]> = {
      'answers nothing': [],
      'answers with 10 MB': [413],
      'answers for others': [404, 429],
    };
    for (const [at, [what, statuses]] of Object.entries(refused).entries()) {
      const hostile = await join(others.length + at, hostileSubscriptions);
      const seen = new Set<number>();
      hostile.relay.make = async (call) => {
        // Refused before all of it is sent, which can break the connection.
        if (what === 'answers with 10 MB') seen.add(await answerAs(hostile, call, large).catch(() => 413));
        return undefined;
      };
      for (const each of others) {
        each.relay.make = async (call) => {
          if (what === 'answers for others') seen.add(await answerAs(hostile, call, '{"status":500}'));
          return make(call);
        };
      }
      await order(hostile);
      await until(() => hostile.relay.calls.length >= mayWait, `${mayWait} wait`);
      // The text of the metrics is made at most once a second.
      await pause(1000);
      const waiting = await metric(program, 'lplate_webhook_relay_calls');
      assert.ok(waiting <= (at + 1) * mayWait, `${waiting} wait`);
      const most = [await kept(program)];
      await serve();
      most.push(await kept(program));
      const added = Math.round(Math.max(...most) - before);
      t.diagnostic(`${what}: ${added} MB more, ${waiting} wait`);
      assert.ok(added < mayKeep, `${added} MB more`);
      assert.deepEqual(seen, seen.intersection(new Set(statuses)));
      assert.equal(seen.has(statuses[0] ?? 0), statuses.length > 0);
    }

    const attempts = receiver.calls.map(({ headers }) => `${headers['webhook-id']} ${headers['webhook-attempt']}`);
    assert.equal(new Set(attempts).size, attempts.length, 'an attempt came twice');
    for (const each of others) {
      await until(async () => {
        const { items } = (await ask(each, 'GET', `${each.paths[0]}/deliveries`)).json;
        const taken = items.filter(({ status }: { status: string }) => status === 'delivered');
        return taken.length === expected / others.length;
      }, 'its log says so');
      assert.ok(!each.relay.ended);
    }
    assert.equal(
      receiver.calls.filter((call) => others.some(({ secret }) => isSigned(call, secret))).length,
      attempts.length,
    );
    assert.equal((await program.stop()).code, 0);
  });
});
