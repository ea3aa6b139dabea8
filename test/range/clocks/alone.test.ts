import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { day, hour, minute, second } from '../../../src/time/units.ts';
import { type Engine, forEachEngineInFull } from '../../support/engines.ts';
import { chooseSeed, extent } from '../../support/extent.ts';
import { type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { drain, topicPath } from '../../support/topic.ts';

/*
 * Two clients do random things, and move their clocks by random times. Each must see what it would see alone in a service
 * that was off for these times: the same is done again by one client alone, and the clock of the whole service is moved.
 */

const kinds = ['insure', 'claim', 'repeat', 'look', 'token', 'move'] as const;

type Action =
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: (typeof kinds)[number]; readonly who: 0 | 1; readonly n: number };

const moves = [second, 59 * minute, 61 * minute, 23 * hour, 7 * day, 40 * day, 366 * day];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 7200 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(...kinds),
      who: fc.constantFrom(0 as const, 1 as const),
      n: fc.nat(1000),
    }),
  },
);

/** Where time stands still, what the first publishes looks younger than what the second does afterwards. */
const youngerBefore: readonly Action[] = [
  ...(['insure', 'claim'] as const).map((kind): Action => ({ kind, who: 0, n: 1000 })),
  ...[0, 0, 5].map((n): Action => ({ kind: 'move', who: 0, n })),
  ...(['insure', 'claim'] as const).map((kind): Action => ({ kind, who: 1, n: 1000 })),
  ...[5, 5].map((n): Action => ({ kind: 'move', who: 1, n })),
];

/** How a service is told that it is later for a client. */
type Later = (lplate: LPlate, client: TestClient, milliseconds: number) => Promise<void>;

const byItsClock: Later = async (lplate, { id, secret }, milliseconds) => {
  const token = await lplate.token(id, secret);
  const json = { advance: `PT${milliseconds / 1000}S` };
  equal((await lplate.call('POST', '/range/v1/me/clock', { token, json })).status, 200);
};

const byTheSystem: Later = async ({ clock }, _client, milliseconds) => clock.advance(milliseconds);

/** What one client does, and all that it sees. */
class Actor {
  readonly seen: unknown[] = [];
  readonly #lplate: LPlate;
  readonly #client: TestClient;
  readonly #plate: string;
  readonly #later: Later;
  #policies = 0;
  #moved = 0;
  readonly #names = new Map<string, string>();

  constructor(lplate: LPlate, client: TestClient, plate: string, later: Later) {
    this.#lplate = lplate;
    this.#client = client;
    this.#plate = plate;
    this.#later = later;
  }

  async act(kind: (typeof kinds)[number], n: number): Promise<void> {
    const { id, secret } = this.#client;
    if (kind === 'token') return this.#see('token', (await this.#call('GET', '/policies')).status);
    if (kind === 'move') {
      const by = moves[n % moves.length] as number;
      if (this.#moved + by > 9 * 365 * day) return;
      this.#moved += by;
      await this.#later(this.#lplate, this.#client, by);
      return this.#lplate.catchUp();
    }
    this.#client.token = await this.#lplate.token(id, secret);
    if (kind === 'insure') {
      // Now and then for a vehicle again whose policy may have lapsed.
      const regNumber = `${this.#plate}-${n % 3 === 0 ? 0 : ++this.#policies}`;
      const json = { regNumber, coverageOption: n % 2 === 0 ? 'MTPL-1M' : 'MTPL-12M' };
      const { status, text } = await this.#call('POST', '/policies', { json });
      return this.#see('insure', status, text);
    }
    if (kind === 'repeat') {
      const json = { regNumber: `${this.#plate}-R` };
      const headers = { 'Idempotency-Key': `"${n % 2}"` };
      const { status, text, headers: answered } = await this.#call('POST', '/policies', { json, headers });
      return this.#see('repeat', status, text, answered.get('idempotency-replayed'));
    }
    const policies = await this.#call('GET', '/policies?pageSize=500');
    if (kind === 'look') return this.#look(policies.text);
    const { items } = policies.json;
    if (items.length === 0) return;
    const json = { policyNumber: items[n % items.length].id, paceSeconds: 1 + (n % 3600) };
    const { status, text } = await this.#call('POST', '/claims/v1/claims', { json });
    this.#see('claim', status, text);
  }

  async #look(policies: string): Promise<void> {
    this.#see('policies', policies);
    const claims = await this.#call('GET', '/claims/v1/claims?pageSize=500');
    this.#see('claims', claims.text);
    const { events } = await drain(this.#lplate, this.#client.token);
    this.#see('events', JSON.stringify(events.map(({ eventId: _, ...event }) => event)));
    this.#see('oldest', (await this.#call('GET', `${topicPath}?after=0-2`)).status);
  }

  #call(method: string, path: string, options = {}) {
    return this.#lplate.call(method, path, { token: this.#client.token, ...options });
  }

  /** Ids are replaced by their order, and an `instance` by nothing. */
  #see(...what: unknown[]): void {
    const named = (text: string) =>
      text
        .replaceAll(/pol-[\da-f-]{36}|CLM-\d{4}-\d+/g, (id) => {
          const known = this.#names.get(id) ?? `${id.slice(0, id[0] === 'C' ? 8 : 4)}${this.#names.size}`;
          this.#names.set(id, known);
          return known;
        })
        .replaceAll(/urn:uuid:[\da-f-]{36}|localhost:\d+/g, '');
    this.seen.push(what.map((each) => (typeof each === 'string' ? named(each) : each)));
  }
}

async function play(engine: Engine, actions: readonly Action[], who: readonly (0 | 1)[], later: Later) {
  const lplate = await startLPlate(engine, { eventsDuplicateRate: 0 });
  try {
    await lplate.catchUp();
    const actors = new Map<number, Actor>();
    for (const one of who) actors.set(one, new Actor(lplate, await lplate.client(), `OWN${one}`, later));
    for (const step of actions) {
      if (step.kind === 'pass') {
        lplate.clock.advance(step.seconds * second);
        await lplate.catchUp();
      } else await actors.get(step.who)?.act(step.kind, step.n);
    }
    for (const actor of actors.values()) await actor.act('look', 0);
    return who.map((one) => actors.get(one)?.seen);
  } finally {
    await lplate.close();
  }
}

forEachEngineInFull((engine) => {
  test('Decisions, the range: two clients on clocks of their own: each sees what it would see alone', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 40, size: 'max' }), async (actions) => {
        const both = await play(engine, actions, [0, 1], byItsClock);
        for (const one of [0, 1] as const) {
          const [alone] = await play(engine, actions, [one], byTheSystem);
          deepEqual(both[one], alone);
          seen += alone?.length ?? 0;
        }
      }),
      { numRuns: extent(3, 25), seed: chooseSeed(7), endOnFailure: true, examples: [[[...youngerBefore]]] },
    );
    ok(seen > 60, 'there was something to see');
  });
});
