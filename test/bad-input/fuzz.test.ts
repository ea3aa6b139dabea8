import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Base } from '../support/description.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { type LPlate, linesFrom, startLPlate, testSecrets } from '../support/lplate.ts';
import { callback, tokensFor } from '../support/people.ts';
import { claimOn } from '../support/topic.ts';
import { type Described, type Shot, shots, type World } from './arbitraries.ts';
import { keptConnections, send } from './wire.ts';

const seed = chooseSeed(3);

/* Requests made from the published descriptions: right ones, nearly right ones and junk, for every operation. */

/** How many salvos are fired at each engine, and how many requests each has. */
const salvos = extent(14, 300);
const size = 25;

/**
 * Operations that remove what others need, let tokens expire, or make faults on purpose. They come last. A list of runs is
 * sometimes asked for by POST, which starts one, and that of learners, or oneself, by DELETE, which removes them; so does one of an empty name.
 */
const disturbs = (operationId: string) =>
  /^(?:reset|advance)|Drill$|^(?:start|list)Runs?$|^(?:remove|list|read|update)(?:Learners?|Me)$/.test(operationId);

/** Requests under way at once. */
const inFlight = 8;

/**
 * Statuses that 300 salvos must have seen so many times: else they never got beyond the door. A fraction of what runs
 * see, so that none fails by chance. Fewer salvos must have seen their share.
 */
const least: Record<number, number> = {
  200: 200,
  201: 20,
  202: 20,
  204: 3,
  400: 200,
  401: 100,
  403: 10,
  404: 100,
  405: 50,
  409: 20,
  415: 20,
};

/**
 * An address of this machine at which nobody listens. The setting allows it, and it is the only one that is called: other
 * names lead nowhere, and no URL of the run holds a public address.
 */
const deadEnd = '127.66.66.66';

const names: Record<string, string[]> = {
  'partner.example': [deadEnd],
  'inner.example': [deadEnd, '10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
};

async function resolve(name: string): Promise<string[]> {
  const found = names[name];
  if (found) return found;
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
}

const urls = [
  ...['http://partner.example:9/hooks', 'http://partner.example:9/', 'https://partner.example:9/?a=b#c'],
  ...['http://inner.example/', 'http://metadata.example/latest/', 'http://nowhere.example/', 'http://pärtner.example/'],
  ...['http://u:p@partner.example/', 'ftp://partner.example/', 'partner.example', '//partner.example', 'http://'],
  ...['http://[::1]:9/', 'http://[fe80::1%25eth0]/', 'http://[fd00::1]/', 'http://0/', 'http://0.0.0.0:9/'],
  ...['http://partner.example:0/', 'http://partner.example:99999/', 'http://localhost:9/', 'file:///etc/passwd'],
  `http://partner.example/${'x'.repeat(2_100)}`,
];

/** What is said before anybody looks at the parameters or the body. */
const early = new Set([401, 404, 405, 415]);

forEachEngineInFull((engine: Engine) => {
  test('Errors, 1: no request that the descriptions can be turned into gets a 5xx, and every answer is as described', async (t) => {
    console.log(`FUZZ_SEED=${seed} (${engine.name})`);
    const settings = { subscriptionsPerClient: 40, trustProxy: 1, webhookAllow: [deadEnd] };
    const lplate = await startLPlate(engine, settings, undefined, { resolve });
    const agent = keptConnections(inFlight);
    t.after(async () => {
      agent.destroy();
      await lplate.close();
    });
    const world = await settle(lplate);
    const described = async (base: Base, wanted = (operationId: string) => !disturbs(operationId)) =>
      shots((await (await fetch(`${lplate.url}${base}/openapi.json`)).json()) as Described, world, wanted);
    // In proportion to what there is to get wrong.
    const any = fc.oneof(
      { weight: 9, arbitrary: await described('/insurer/v1') },
      { weight: 1, arbitrary: await described('/vehicle-registry/v2') },
      { weight: 6, arbitrary: await described('/claims/v1') },
      { weight: 4, arbitrary: await described('/range/v1') },
    );
    const seen = new Map<string, Map<number, number>>();

    const fire = async (shot: Shot): Promise<void> => {
      const { status } = await send(lplate, shot, agent).catch((error) => {
        // A failure is found by what the server said.
        for (const line of lplate.log) if (JSON.parse(line).level >= 50) console.error(line);
        throw error;
      });
      const statuses = seen.get(shot.operation) ?? new Map<number, number>();
      seen.set(shot.operation, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    };
    const fireAll = async (shots: fc.Arbitrary<Shot>, numRuns: number): Promise<void> => {
      const salvo = fc.asyncProperty(fc.array(shots, { minLength: size, maxLength: size }), async (requests) => {
        // A second at a time, so that the probe's limit is free again now and then.
        lplate.clock.advance(1_000);
        await Promise.all(requests.map(fire));
      });
      await fc.assert(salvo, { seed, numRuns, interruptAfterTimeLimit: 400_000, markInterruptAsFailure: true });
    };
    await fireAll(any, salvos);
    const total = new Map<number, number>();
    for (const [operation, statuses] of seen) {
      t.diagnostic(
        `${operation}: ${[...statuses]
          .sort()
          .map(([status, times]) => `${times}× ${status}`)
          .join(', ')}`,
      );
      for (const [status, times] of statuses) total.set(status, (total.get(status) ?? 0) + times);
      // With a path and a token that there are, and a method that is taken.
      const reached = [...statuses].reduce((sum, [status, times]) => sum + (early.has(status) ? 0 : times), 0);
      // Of fewer, all may be wrong by chance; and the exchanges that are asked for are soon pushed out by those that come. Runs are
      // started at the end, and nobody holds a relay, so none has a call to answer. What a message of JSON-RPC is, the
      // description of the tutor leaves to its protocol.
      const excused =
        reached < 20 || / read\w*Exchange| (?:read|end)Run$| (?:answerRelayCall|callTutor)$/.test(operation);
      assert(excused || [...statuses.keys()].some((status) => status < 300), `${operation} never succeeded`);
    }
    assert([...total.values()].reduce((sum, times) => sum + times, 0) >= (5_000 * salvos) / 300);
    for (const [status, times] of Object.entries(least)) {
      assert(
        (total.get(Number(status)) ?? 0) >= Math.floor((times * salvos) / 300),
        `${status} was seen ${total.get(Number(status)) ?? 0} times only`,
      );
    }
    await assertNothingCalled(lplate, world);

    // No drill hits the range itself.
    const learners = ['me', 'trainer', ...world.clients.map(({ id }) => `trainer/learners/${id}`)];
    for (const learner of learners) {
      const token = learner === 'me' ? world.tokens[0] : world.trainerToken;
      await lplate.call('POST', `/range/v1/${learner}/drills`, { token, json: { name: 'stop-events', minutes: 10 } });
    }
    await fireAll(await described('/range/v1', disturbs), Math.ceil(salvos / 4));
    assert.deepEqual(linesFrom(lplate, 50), []);
    assert.equal((await lplate.call('GET', '/coverage-options')).status, 200);
  });
});

/** Webhooks were to go to the dead end alone, and that they did. */
async function assertNothingCalled(lplate: LPlate, { tokens }: World): Promise<void> {
  const hosts = new Set<string>();
  for (const token of tokens) {
    const { json } = await lplate.call('GET', '/claims/v1/subscriptions?pageSize=500', { token });
    // An inbox calls nobody, and a relay is not there.
    for (const { url, via } of json.items) if (via === 'direct') hosts.add(new URL(url).hostname);
  }
  assert.deepEqual([...hosts], ['partner.example']);
  const attempts = lplate.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'webhook');
  const calls = attempts.filter(({ via }) => via === 'direct');
  assert(calls.length > 0);
  for (const { status, error } of calls) assert.deepEqual([status, error], [null, 'refused the connection']);
}

/** A few clients with policies in several states, so that the requests have something to meet. */
async function settle(lplate: LPlate): Promise<World> {
  const clients = await Promise.all([lplate.client(), lplate.client(), lplate.client()]);
  const vehicles = Array.from({ length: 30 }, (_, at) => `FZ-${1000 + at}`);
  const policies: string[] = [];
  for (const [at, regNumber] of vehicles.slice(0, 12).entries()) {
    const token = clients[at < 9 ? 0 : 1]?.token;
    const { json } = await lplate.call('POST', '/policies', { token, json: { regNumber } });
    policies.push(json.id);
    if (at % 4 === 0) await lplate.call('POST', `/policies/${json.id}/cancel`, { token });
  }
  const [first] = clients;
  const { id, secret, token } = first as (typeof clients)[number];
  const claims: string[] = [];
  for (const policyNumber of policies.slice(0, 6)) {
    claims.push(await claimOn(lplate, token, policyNumber, { paceSeconds: claims.length + 1 }));
  }
  const subscriptions: string[] = [];
  for (let at = 0; at < 30; at += 1) {
    const { json } = await lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url: urls[0] } });
    await lplate.call('POST', `/claims/v1/subscriptions/${json.id}/test`, { token });
    subscriptions.push(json.id);
  }
  await lplate.call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: [callback] } });
  const { json: people } = await lplate.call('GET', '/range/v1/me/people', { token });
  for (const person of people.items) await tokensFor(lplate, { id, secret, token }, person);
  const { json: consents } = await lplate.call('GET', '/range/v1/me/consents', { token });
  const fleet = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
  const reader = await lplate.token('preset-reader', testSecrets.readerClientSecret);
  return {
    // One of them owns most of the policies.
    tokens: [token, token, token, token, ...clients.map((client) => client.token), fleet],
    lesserTokens: [reader, await lplate.token(id, secret, 'policies:write'), token.slice(0, -2), `${token}x`, 'a.b.c'],
    clients: clients.map((client) => ({ id: client.id, secret: client.secret })),
    policies,
    vehicles,
    claims,
    subscriptions,
    consents: consents.items.map(({ consentId }: { consentId: string }) => consentId),
    urls,
    exchanges: (await lplate.call('GET', '/range/v1/me/exchanges', { token })).json.items.map(
      (exchange: { id: string }) => exchange.id,
    ),
    trainerToken: testSecrets.trainerToken,
    plates: ['AB-1234', 'el0021', 'OL-0082', 'XX-1234', 'AB-0000'],
    today: new Date(lplate.clock.now()).toISOString().slice(0, 10),
  };
}
