import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { day, hour, minute } from '../../src/time/units.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { type Answer, type LPlate, sign, startLPlate, type TestClient } from '../support/lplate.ts';
import { type CreateRequest, dayOf, PolicyModel } from '../support/policy-model.ts';

const seed = chooseSeed(4);

/** What happened over all runs, to show that the sequences reach the corners. */
type Tally = Map<string, number>;

/** The program, and the few clients that use it. */
interface Real {
  readonly lplate: LPlate;
  readonly clients: { client: TestClient; tokenFrom: number; removed: boolean }[];
  /** Every policy there ever was, removed ones too. */
  readonly ids: string[];
  readonly tally: Tally;
}

type Action = (model: PolicyModel, real: Real) => Promise<void>;

class Step implements fc.AsyncCommand<PolicyModel, Real> {
  readonly #text: string;
  readonly #action: Action;

  constructor(text: string, action: Action) {
    this.#text = text;
    this.#action = action;
  }

  check(): boolean {
    return true;
  }

  run(model: PolicyModel, real: Real): Promise<void> {
    return this.#action(model, real);
  }

  toString(): string {
    return this.#text;
  }
}

/** Sends a request of a client and checks what every one of them shares: its token, its removal. */
async function send(
  model: PolicyModel,
  { lplate, clients, tally }: Real,
  at: number,
  method: string,
  path: string,
  json?: unknown,
): Promise<(Answer & { client: string }) | undefined> {
  const one = clients[at] as Real['clients'][number];
  const call = () => lplate.call(method, path, { token: one.client.token, ...(json !== undefined && { json }) });
  if (one.removed) {
    assert.equal(problem(await call(), 401), 'invalid-token');
    return undefined;
  }
  if (model.now - one.tokenFrom >= hour) {
    assert.equal(problem(await call(), 401), 'invalid-token');
    one.client.token = await lplate.token(one.client.id, one.client.secret);
    one.tokenFrom = model.now;
  }
  const answer = await call();
  model.use(one.client.id);
  const key = `${method} ${answer.status}`;
  tally.set(key, (tally.get(key) ?? 0) + 1);
  return { ...answer, client: one.client.id };
}

function problem({ status, json }: Answer, expected: number): string {
  assert.equal(status, expected, JSON.stringify(json));
  return json.type.split('/').at(-1);
}

async function arrive(model: PolicyModel, { lplate, clients }: Real, at: number): Promise<void> {
  const client = await lplate.client();
  clients[at] = { client, tokenFrom: model.now, removed: false };
  model.use(client.id);
}

const create = (at: number, request: CreateRequest, startIn: number | undefined): Action => {
  return async (model, real) => {
    const startDate = startIn === undefined ? {} : { startDate: dayOf(model.now + startIn * day) };
    const whole = { ...request, ...startDate };
    const answer = await send(model, real, at, 'POST', '/policies', whole);
    if (!answer) return;
    const expected = model.mayCreate(whole);
    if (expected === 400) assert.equal(problem(answer, 400), 'validation-error');
    else if (expected === 409) assert.equal(problem(answer, 409), 'duplicate-policy');
    else {
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(answer.json, model.add(answer.client, answer.json.id, whole));
      real.ids.push(answer.json.id);
    }
  };
};

const onPolicy = (
  at: number,
  pick: number,
  [method, suffix, json]: [string, string, unknown?],
  change: (model: PolicyModel, client: string, id: string) => 200 | 404 | 409,
): Action => {
  return async (model, real) => {
    // Mostly one of its own, now and then anybody's.
    const own = model.list(real.clients[at]?.client.id ?? '').map(({ id }) => id);
    const ids = pick % 5 > 0 && own.length > 0 ? own : real.ids;
    const id = ids[pick % (ids.length || 1)] ?? 'pol-none';
    const answer = await send(model, real, at, method, `/policies/${id}${suffix}`, json);
    if (!answer) return;
    const expected = change(model, answer.client, id);
    if (expected === 404) assert.equal(problem(answer, 404), 'policy-not-found');
    else if (expected === 409) assert.equal(problem(answer, 409), 'policy-immutable');
    else {
      assert.equal(answer.status, 200, answer.text);
      const key = `${answer.json.status} seen`;
      real.tally.set(key, (real.tally.get(key) ?? 0) + 1);
      assert.deepEqual(answer.json, model.read(answer.client, id));
    }
  };
};

const list = (at: number, page: number, pageSize: number): Action => {
  return async (model, real) => {
    const answer = await send(model, real, at, 'GET', `/policies?page=${page}&pageSize=${pageSize}`);
    if (!answer) return;
    const whole = model.list(answer.client);
    for (const { status } of whole) real.tally.set(`${status} seen`, (real.tally.get(`${status} seen`) ?? 0) + 1);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, {
      items: whole.slice((page - 1) * pageSize, page * pageSize),
      page,
      pageSize,
      totalItems: whole.length,
      totalPages: Math.ceil(whole.length / pageSize),
    });
  };
};

const askInsured = (regNumber: string): Action => {
  return async (model, { lplate }) => {
    const body = JSON.stringify({ regNumber });
    const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
    const answer = await lplate.call('POST', '/signed/policy-check', { body, headers });
    assert.deepEqual(answer.json, { regNumber, insured: model.insured(regNumber) });
  };
};

const pass = (milliseconds: number): Action => {
  return async (model, { lplate }) => {
    model.pass(milliseconds);
    lplate.clock.advance(milliseconds);
  };
};

/** To the first moment of a policy's last day of cover, or of the day after, if that is yet to come. */
const passToEnd = (at: number, which: number, daysAfter: number): Action => {
  return async (model, real) => {
    const own = model.list(real.clients[at]?.client.id ?? '');
    const policy = own[which % (own.length || 1)];
    if (!policy) return;
    const end = Date.parse(policy.endDate) + daysAfter * day;
    if (end > model.now) await pass(end - model.now)(model, real);
  };
};

const tidy: Action = async (model, { lplate, clients, tally }) => {
  await lplate.housekeeping();
  for (const one of clients) {
    if (one.removed) continue;
    const fate = model.fate(one.client.id);
    // Only asking tells, but it is a use, so those that must be kept are left to later steps.
    if (fate === 'kept') continue;
    const { id, secret } = one.client;
    const answer = await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } });
    if (fate === 'either' && answer.status === 200) {
      one.client.token = answer.json.access_token;
      one.tokenFrom = model.now;
      model.use(id);
    } else {
      assert.equal(problem(answer, 401), 'invalid-client');
      one.removed = true;
      model.remove(id);
      tally.set('removed', (tally.get('removed') ?? 0) + 1);
    }
  }
};

/** A removed client's place is taken by a new one. */
const replace = (at: number): Action => {
  return async (model, real) => {
    if (real.clients[at]?.removed) await arrive(model, real, at);
  };
};

const client = fc.nat(2);
const pick = fc.nat(20);
const plate = fc.constantFrom('MO-0001', 'mo0001', '-Mo-00-01-', 'MO-0002', 'mo0002', 'MO-0003');
const holder = fc.constantFrom('Ada Stone', '  Bo Reed ', 'Cy');
const request = fc.record(
  { regNumber: plate, holder, coverageOption: fc.constantFrom('MTPL-1M', 'MTPL-3M', 'MTPL-6M', 'MTPL-12M') },
  { requiredKeys: ['regNumber'] },
);
const startIn = fc.option(fc.constantFrom(0, 1, 40, 360, -1, 400), { nil: undefined, freq: 2 });
const time = fc.constantFrom(
  1,
  59,
  60,
  5 * 60,
  23 * 60,
  24 * 60,
  24 * 60 + 6,
  3 * 1440,
  31 * 1440,
  100 * 1440,
  370 * 1440,
);

const creating = fc.tuple(client, request, startIn).map(([at, what, days]) => {
  return new Step(`create(${at}, ${JSON.stringify(what)}, in ${days} days)`, create(at, what, days));
});
const updating = fc.tuple(client, pick, holder).map(([at, which, name]) => {
  const action = onPolicy(at, which, ['PUT', '', { holder: name }], (model, who, id) => model.update(who, id, name));
  return new Step(`update(${at}, policy ${which}, '${name}')`, action);
});
const cancelling = fc.tuple(client, pick).map(([at, which]) => {
  const action = onPolicy(at, which, ['POST', '/cancel'], (model, who, id) => model.cancel(who, id));
  return new Step(`cancel(${at}, policy ${which})`, action);
});
const reading = fc.tuple(client, pick).map(([at, which]) => {
  const action = onPolicy(at, which, ['GET', ''], (model, who, id) => (model.read(who, id) ? 200 : 404));
  return new Step(`read(${at}, policy ${which})`, action);
});
const listing = fc
  .tuple(client, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 }))
  .map(([at, page, size]) => {
    return new Step(`list(${at}, page ${page} of ${size})`, list(at, page, size));
  });
const asking = plate.map((regNumber) => new Step(`insured(${regNumber})`, askInsured(regNumber)));
const passing = time.map((minutes) => new Step(`pass(${minutes} minutes)`, pass(minutes * minute)));
const ending = fc.tuple(client, pick, fc.nat(1)).map(([at, which, daysAfter]) => {
  return new Step(`pass to the end(${at}, policy ${which}, ${daysAfter} days after)`, passToEnd(at, which, daysAfter));
});
const almostIdle = fc.constant(
  new Step('half a minute less than a day passes, then housekeeping', async (model, real) => {
    await pass(day - minute / 2)(model, real);
    await tidy(model, real);
  }),
);
const tidying = fc.constant(new Step('housekeeping', tidy));
const replacing = client.map((at) => new Step(`replace(${at})`, replace(at)));

/** Each is as likely as it is often here. */
const steps = [
  ...[creating, creating, creating, updating, updating, cancelling, reading, reading, listing, listing, asking],
  ...[passing, passing, ending, tidying, almostIdle, replacing, replacing],
];

forEachEngineInFull((engine) => {
  test('States: whatever several clients do over time, policies are what a plain model says', async (t) => {
    const tally: Tally = new Map();
    const property = fc.asyncProperty(fc.commands(steps, { maxCommands: 120, size: 'max' }), async (commands) => {
      const lplate = await startLPlate(engine);
      // The round of the start is over then: it would see the clock jump, and remove clients that the model keeps.
      await lplate.housekeeping();
      try {
        await fc.asyncModelRun(async () => {
          const model = new PolicyModel(lplate.clock.now());
          const real: Real = { lplate, clients: [], ids: [], tally };
          for (let at = 0; at < 3; at++) await arrive(model, real, at);
          return { model, real };
        }, commands);
      } finally {
        await lplate.close();
      }
    });
    // Whatever fails is made shorter, and printed with its seed.
    await fc.assert(property, { seed, numRuns: extent(10, 25) });
    t.diagnostic(
      [...tally]
        .sort()
        .map(([what, count]) => `${what}: ${count}`)
        .join(', '),
    );
    for (const corner of ['POST 201', 'POST 409', 'PUT 409', 'GET 404', 'expired seen', 'cancelled seen', 'removed']) {
      assert.ok(tally.has(corner), `no sequence reached "${corner}"`);
    }
  });
});
