import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import { second } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';

/** A resolver that tests change as they go, and that counts what it is asked. Unknown names lead nowhere. */
function resolver(addresses: Record<string, readonly string[] | Error> = {}) {
  const names = new Map(Object.entries(addresses));
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    const found = names.get(name) ?? [];
    if (found instanceof Error) throw found;
    return found;
  };
  return { names, asked, resolve };
}

async function started(
  t: TestContext,
  engine: Engine,
  settings: Partial<Config> = {},
  resolve = resolver().resolve,
): Promise<LPlate> {
  return startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings }, new TestClock(), { resolve });
}

const elsewhere = { publicUrl: 'https://l-plate.example' };

/** Loopback and other closed addresses, as a URL can spell them. */
const spellings = [
  ...['127.0.0.1', '127.1', '127.0.0.1.', '127.255.255.254', '2130706433', '0x7f000001', '0x7F.1', '017700000001'],
  ...['0177.0.0.1', '0177.0x0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '0', '0.0.0.0', '[::]', '[::1]'],
  ...['[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]'],
  ...['[2002:7f00:1::]', '[::ffff:0:127.0.0.1]', '169.254.169.254', '2852039166', '[::ffff:169.254.169.254]'],
  ...['[fd00:ec2::254]', '168.63.129.16', '10.1.2.3', '172.16.0.1', '192.168.1.1', '[::ffff:10.1.2.3]', '0xa010203'],
  ...['[fc00::1]', '[fe80::1]', '100.64.0.1', '224.0.0.1', '[ff02::1]', '255.255.255.255', '192.0.2.1', '198.18.0.1'],
];

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: an address that is not public is refused at registration, however it is written', async (t) => {
    const { names, resolve } = resolver({
      localhost: ['127.0.0.1', '::1'],
      'inner.example': ['10.1.2.3'],
      'mixed.example': ['198.41.0.4', '::ffff:10.1.2.3'],
      'metadata.example': ['169.254.169.254'],
    });
    const lplate = await started(t, engine, elsewhere, resolve);
    const receiver = await Receiver.open(t);
    const { token } = await lplate.client();
    const hosts = [...spellings, ...names.keys(), 'unknown.example'].map((host) => `${host}:${receiver.port}`);
    const users = ['user@', 'user:word@', ':word@'].map((user) => `${user}partner.example`);
    for (const url of [...hosts, ...users].flatMap((host) => [`http://${host}/`, `https://${host}/`])) {
      const answer = await lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url } });
      assert.deepEqual(problem(answer), [400, 'validation-error'], url);
      assert.equal(answer.json.errors[0].pointer, '/url', url);
      // What the names of an inner network lead to is nobody's business.
      assert(!answer.text.includes('10.1.2.3') || url.includes('10.1.2.3'), answer.text);
    }
    assert.deepEqual((await lplate.call('GET', '/claims/v1/subscriptions', { token })).json.items, []);
    assert.deepEqual(receiver.calls, []);
  });

  test('Decisions, claims and events: loopback is open while only people at this machine can reach the service, in any spelling', async (t) => {
    const lplate = await started(t, engine);
    const receiver = await Receiver.open(t);
    const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:127.0.0.1]'];
    for (const [at, host] of hosts.entries()) {
      const subscriber = await Subscriber.open(lplate, `http://${host}:${receiver.port}/`);
      await subscriber.call('POST', '/test');
      assert.deepEqual((await subscriber.settled())[0]?.status, 'delivered', host);
      assert.equal(receiver.calls.length, at + 1);
    }
    const { token } = await lplate.client();
    for (const host of ['10.1.2.3', '[::127.0.0.1]', '0.0.0.0', '169.254.169.254']) {
      const json = { url: `http://${host}:${receiver.port}/` };
      assert.equal((await lplate.call('POST', '/claims/v1/subscriptions', { token, json })).status, 400, host);
    }
  });

  test('Decisions, claims and events: loopback is closed when others can reach the service, unless WEBHOOK_ALLOW names it', async (t) => {
    const receiver = await Receiver.open(t);
    const reachable: Partial<Config>[] = [
      elsewhere,
      { trustProxy: 1 },
      { trustProxy: ['10.0.0.0/8'] },
      { host: '0.0.0.0' },
    ];
    for (const settings of reachable) {
      const closed = await started(t, engine, settings);
      const { token } = await closed.client();
      const answer = await closed.call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
      assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(settings));
      assert.match(answer.json.detail, /loopback.*WEBHOOK_ALLOW/);
    }
    const open = await started(t, engine, { ...elsewhere, webhookAllow: ['127.0.0.0/31'] });
    const subscriber = await Subscriber.open(open, receiver.url);
    await subscriber.call('POST', '/test');
    assert.equal((await subscriber.settled())[0]?.status, 'delivered');
    assert.equal(receiver.calls.length, 1);
    const json = { url: `http://127.0.0.2:${receiver.port}/` };
    assert.equal(
      (await open.call('POST', '/claims/v1/subscriptions', { token: subscriber.client.token, json })).status,
      400,
    );
  });

  test('Decisions, claims and events: a name that has come to lead to this machine is not called, and is tried again', async (t) => {
    const trap = await Receiver.open(t);
    const { names, asked, resolve } = resolver({ 'rebinding.example': ['198.41.0.4'] });
    const lplate = await started(t, engine, elsewhere, resolve);
    const subscriber = await Subscriber.open(lplate, `http://rebinding.example:${trap.port}/hooks`);
    const leads = [['127.0.0.1'], ['127.0.0.1', '198.41.0.4'], ['::ffff:127.0.0.1'], ['::1']];
    for (const [at, addresses] of leads.entries()) {
      names.set('rebinding.example', addresses);
      if (at === 0) await subscriber.call('POST', '/test');
      const [delivery] = await subscriber.pass(at === 0 ? 0 : 120 * second);
      assert.equal(delivery?.status, 'pending');
      assert.equal(delivery?.attempts.length, at + 1);
      assert.equal(delivery?.attempts[at]?.responseStatus, null);
      assert.match(delivery?.attempts[at]?.error ?? '', /loopback/, addresses.join());
    }
    assert.deepEqual(trap.calls, []);
    assert.equal(asked.length, 1 + leads.length, 'each attempt asks anew, once');
  });

  test('Decisions, claims and events: a name that leads astray is called again once it leads to where it may', async (t) => {
    const receiver = await Receiver.open(t);
    const { names, resolve } = resolver({ 'partner.example': ['127.0.0.1'] });
    const lplate = await started(t, engine, { ...elsewhere, webhookAllow: ['127.0.0.1'] }, resolve);
    const subscriber = await Subscriber.open(lplate, `http://partner.example:${receiver.port}/hooks`);
    const leads: [readonly string[] | Error, RegExp][] = [
      [['10.1.2.3'], /private/],
      [['127.0.0.1', 'fd00:ec2::254'], /metadata/],
      [[], /no address/],
      [new Error('the name server is away'), /could not be looked up/],
    ];
    for (const [at, [found, reason]] of leads.entries()) {
      names.set('partner.example', found as string[]);
      if (at === 0) await subscriber.call('POST', '/test');
      const [delivery] = await subscriber.pass(at === 0 ? 0 : 120 * second);
      assert.match(delivery?.attempts[at]?.error ?? '', reason);
      assert(!JSON.stringify(delivery).includes('10.1.2.3'));
    }
    assert.deepEqual(receiver.calls, []);
    names.set('partner.example', ['127.0.0.1']);
    const [delivery] = await subscriber.pass(600 * second);
    assert.deepEqual([delivery?.status, receiver.attempts], ['delivered', [5]]);
  });

  test('Decisions, claims and events: the address that was checked is called, by the name and path of the URL', async (t) => {
    const receiver = await Receiver.open(t);
    const { asked, resolve } = resolver({ 'only-here.example': ['127.0.0.1'] });
    const lplate = await started(t, engine, {}, resolve);
    const host = `only-here.example:${receiver.port}`;
    const subscriber = await Subscriber.open(lplate, `http://${host}/a/../b%20c?token=d&e=f#g`);
    await subscriber.call('POST', '/test');
    assert.equal((await subscriber.settled())[0]?.status, 'delivered');
    const [{ path, headers } = assert.fail()] = receiver.calls;
    assert.deepEqual([path, headers.host], ['/b%20c?token=d&e=f', host]);
    assert.deepEqual(asked, ['only-here.example', 'only-here.example']);
  });

  test('Decisions, claims and events: redirects are not followed; they count as a refusal', async (t) => {
    const lplate = await started(t, engine);
    const [receiver, target] = [await Receiver.open(t), await Receiver.open(t)];
    const statuses = [301, 302, 303, 307, 308];
    receiver.answer = () => ({ status: statuses[receiver.calls.length - 1] ?? 308, location: target.url });
    const subscriber = await Subscriber.open(lplate, receiver.url);
    await subscriber.call('POST', '/test');
    for (const seconds of [0, 5, 30, 120, 600]) await subscriber.pass(seconds * second);
    const [{ status, attempts } = assert.fail()] = await subscriber.log();
    assert.deepEqual([status, attempts.map(({ responseStatus }) => responseStatus)], ['pending', statuses]);
    assert.deepEqual([receiver.calls.length, target.calls], [statuses.length, []]);
  });

  test('Decisions, claims and events: the rules that hold at an attempt are those of the program that makes it', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const receiver = await Receiver.open(t);
    const open = await start({ eventsDuplicateRate: 0 }, clock);
    const before = await Subscriber.open(open, receiver.url);
    await before.claim();
    await open.close();
    const closed = await start({ eventsDuplicateRate: 0, ...elsewhere }, clock);
    t.after(() => closed.close());
    const [delivery] = await before.on(closed).pass(second);
    assert.deepEqual([delivery?.status, delivery?.attempts.length, receiver.calls], ['pending', 1, []]);
    assert.match(delivery?.attempts[0]?.error ?? '', /loopback/);
  });
});
