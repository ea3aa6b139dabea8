import { equal } from 'node:assert/strict';
import { envelope, request } from '../../vehicle-registry/envelopes.ts';
import { answer, type Learner, newPlate, testLessons, wrongAnswer } from './lesson.ts';

let vehicles = 1000;

/** The number of a vehicle that the registry knows and no test has insured. */
function newVehicle(): string {
  vehicles += 1;
  return `LV-${vehicles}`;
}

const insure = async ({ call }: Learner, regNumber: string, options: object = {}) =>
  (await call('POST', '/policies', { json: { regNumber, holder: 'Ada' }, ...options })).json;

const bySoap = ({ bare }: Learner, number: string, headers: object = {}) =>
  bare('POST', '/vehicle-registry/v1', {
    headers: { 'Content-Type': 'text/xml', ...headers },
    body: envelope(request(`<RegNumber>${number}</RegNumber>`)),
  });

const byRest = ({ bare }: Learner, number: string, headers: Record<string, string> = {}) =>
  bare('GET', `/vehicle-registry/v2/vehicles/${number}`, { headers });

/** Reads a vehicle in all three, and maps it to the shape. */
async function mapped(learner: Learner, regNumber = newVehicle()) {
  const policy = await insure(learner, regNumber);
  await bySoap(learner, regNumber);
  const lookup = await byRest(learner, regNumber);
  return { lookup, policy, shape: shapeOf(lookup.json, policy) };
}

const shapeOf = (vehicle: Record<string, unknown>, policy: Record<string, unknown>) => ({
  plate: String(vehicle.reg_number).replace('-', ''),
  vin: vehicle.vin_code ?? null,
  make: vehicle.make,
  model: vehicle.model,
  firstRegistered: vehicle.first_reg_date,
  engineCc: vehicle.engine_capacity_ccm ?? null,
  fuel: vehicle.fuel_type,
  ownedBy: vehicle.owner_type === 'LEGAL_PERSON' ? 'company' : 'person',
  insured: true,
  coverEnds: policy.endDate,
});

/** A shape that is wrong in some members, and what is said of it. */
const wrongShape = (changes: object, advice: RegExp) => async (learner: Learner) => {
  const { shape } = await mapped(learner);
  await wrongAnswer(learner, 'one-shape', { ...shape, ...changes }, advice);
};

const token = ({ lplate, id, secret }: Learner, scope?: string) => lplate.token(id, secret, scope);

const create = async (learner: Learner, scope?: string) =>
  insure(learner, newPlate(), { token: await token(learner, scope) });

const register = async (learner: Learner, policyNumber: string, scope?: string) =>
  (await learner.call('POST', '/claims/v1/claims', { token: await token(learner, scope), json: { policyNumber } }))
    .json;

const readClaim = async (learner: Learner, claimId: string, scope?: string) =>
  learner.call('GET', `/claims/v1/claims/${claimId}`, { token: await token(learner, scope) });

/** The first two steps: a policy, and a claim on it. */
async function claimed(learner: Learner): Promise<string> {
  const { id } = await create(learner, 'policies:write');
  return (await register(learner, id, 'claims:write')).claimId;
}

let traces = 0;

function newTrace(): { traceId: string; headers: { traceparent: string } } {
  traces += 1;
  const traceId = String(traces).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
}

const refusedClaim = ({ call }: Learner, headers: object) =>
  call('POST', '/claims/v1/claims', { headers: headers as never, json: { policyNumber: newPlate() } });

const listPolicies = ({ call }: Learner, headers: object = {}) =>
  call('GET', '/insurer/v1/policies', { headers: headers as never });

/** Calls to all three systems in one trace, of which the last one is refused; and the line of the log. */
async function traced(learner: Learner) {
  const { traceId, headers } = newTrace();
  const lookup = await byRest(learner, 'AB-1234', headers);
  await listPolicies(learner, headers);
  const refused = await refusedClaim(learner, headers);
  const requestId = refused.headers.get('x-request-id') as string;
  const line = { traceId, requestId, method: 'POST', path: '/claims/v1/claims', status: refused.status };
  return { lookup, refused, headers, line };
}

const wrongLine = (changes: object, advice: RegExp) => async (learner: Learner) => {
  const { line } = await traced(learner);
  await wrongAnswer(learner, 'log-line', { ...line, ...changes }, advice);
};

const ways = { each: 36_000, list: 72, changes: 6, longPoll: 2, refused: ['each', 'list'], best: 'longPoll' };

const wrongWays = (changes: object, advice: RegExp) => (learner: Learner) =>
  wrongAnswer(learner, 'which-way', { ...ways, ...changes }, advice);

const badJson = ({ call }: Learner, parameters = {}) =>
  call('POST', '/range/v1/me/drills', { json: { name: 'bad-json', parameters } });

const endDrill = ({ call }: Learner) => call('DELETE', '/range/v1/me/drills/bad-json');

/** A test: it creates a policy and reads it, and stops where an answer can't be read, unless it looks at none. */
async function run(learner: Learner, { looks = true, headers = newTrace().headers as object } = {}) {
  const ask = async (path: string, sent: object = {}) => {
    const answer = await fetch(new URL(path, learner.lplate.url), {
      headers: { ...headers, Authorization: `Bearer ${learner.token}`, 'Content-Type': 'application/json' },
      ...sent,
    });
    const isJson = await answer.json().then(
      () => true,
      () => false,
    );
    return { isJson, headers: answer.headers };
  };
  const body = JSON.stringify({ regNumber: newPlate() });
  const created = await ask('/insurer/v1/policies', { method: 'POST', body });
  if (looks && !created.isJson) return created;
  return ask(new URL(created.headers.get('location') as string).pathname);
}

/** A run of it that the drill stopped. */
async function stopped(learner: Learner, parameters = {}): Promise<void> {
  await badJson(learner, parameters);
  await run(learner);
  await endDrill(learner);
}

testLessons({
  'one-shape': {
    async solve(learner) {
      const { lookup, shape } = await mapped(learner);
      equal((await answer(learner, 'one-shape', shape)).correct, true);
      return lookup;
    },
    alsoSolvedBy: {
      'a policy that was cancelled meanwhile, found in a list': async (learner) => {
        const { shape, policy } = await mapped(learner);
        await learner.call('POST', `/policies/${policy.id}/cancel`);
        await wrongAnswer(learner, 'one-shape', shape, /^insured does not follow from the status of the policy\.$/);
        await learner.call('GET', '/policies?pageSize=5');
        await answer(learner, 'one-shape', { ...shape, insured: false });
      },
      'one of two vehicles, REST first': async (learner) => {
        const [one, other] = [newVehicle(), newVehicle()];
        const policy = await insure(learner, one);
        const { json } = await byRest(learner, one.toLowerCase());
        await bySoap(learner, one.replace('-', ''));
        await mapped(learner, other);
        await answer(learner, 'one-shape', { ...shapeOf(json, policy), plate: one.replace('-', '') });
      },
    },
    misses: {
      'the lookups': async (learner) => {
        await insure(learner, newVehicle());
        await wrongAnswer(learner, 'one-shape', {}, /no vehicle that you read in all three/);
      },
      'a number of the registry': (learner) => insure(learner, `NONE-${newPlate()}`),
      'a policy of the vehicle': async (learner) => {
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-1234');
        await wrongAnswer(learner, 'one-shape', { plate: 'AB1234' }, /no vehicle that you read in all three/);
      },
      'the same vehicle': async (learner) => {
        await insure(learner, newVehicle());
        await bySoap(learner, 'AB-1234');
        await byRest(learner, 'AB-1234');
      },
      'a vehicle that is there': async (learner) => {
        await insure(learner, newVehicle());
        await byRest(learner, 'XX-1234');
      },
      'one policy in place of a long list': async (learner) => {
        for (let count = 0; count < 8; count += 1) await insure(learner, newVehicle(), { token: learner.token });
        await learner.call('DELETE', '/range/v1/me/lessons/one-shape');
        learner.lplate.clock.advance(1);
        await learner.call('GET', '/policies');
      },
      'no object': async (learner) => {
        await mapped(learner);
        for (const sent of ['AB1234', [1], null]) await wrongAnswer(learner, 'one-shape', sent, /^Send one object/);
      },
      'the words of the registry': async (learner) => {
        const { lookup, policy } = await mapped(learner);
        const advice = /plate is missing: .*vin is missing: .*coverEnds is missing: .*/;
        await wrongAnswer(learner, 'one-shape', { ...lookup.json, ...policy }, advice);
      },
      'the spelling of SOAP': wrongShape({ fuel: 'PETROL' }, /^fuel has the wrong form: as REST v2 writes it\.$/),
      'another fuel': wrongShape({ fuel: 'steam' }, /^fuel is not what the registry says of this vehicle\.$/),
      'a number': wrongShape({ engineCc: '1598' }, /^engineCc has the wrong form: cubic centimetres, as a number/),
      'the words of the shape': wrongShape(
        { ownedBy: 'LEGAL_PERSON' },
        /^ownedBy has the wrong form: person or company\.$/,
      ),
      'a member that is missing, and one too much': wrongShape(
        { vin: undefined, vinCode: null },
        /^vin is missing: .*vinCode is no member of the answer\.$/,
      ),
      'the plate as it is written': wrongShape({ plate: 'LV-1001' }, /^plate has the wrong form/),
      'another plate': wrongShape({ plate: 'AB1234' }, /^plate is of no vehicle that you have read in all three\.$/),
      'another end': wrongShape({ coverEnds: '2020-01-01' }, /^coverEnds is not what the policy says\.$/),
    },
    remarks: {
      'a number of the registry': /^The registry has no vehicle with the number of this policy/,
      'a policy of the vehicle': /^Your log has no policy of this vehicle/,
      'the same vehicle': /^This was AB-1234, of which your log has no policy\. Look up LV-\d+\.$/,
      'one policy in place of a long list': /^Of so long a list the log keeps the ids alone/,
    },
    done: {
      'the lookups': 1,
      'the same vehicle': 1,
      'a vehicle that is there': 1,
      'no object': 3,
      'the words of the registry': 3,
      'the spelling of SOAP': 3,
      'another fuel': 3,
      'a number': 3,
      'the words of the shape': 3,
      'a member that is missing, and one too much': 3,
      'the plate as it is written': 3,
      'another plate': 3,
      'another end': 3,
    },
  },

  'least-scope': {
    solve: async (learner) => readClaim(learner, await claimed(learner), 'claims:read'),
    misses: {
      'one token for all': async (learner) => {
        const { id } = await create(learner);
        const { claimId } = await register(learner, id);
        await readClaim(learner, claimId);
      },
      'a narrow token for the claim': async (learner) => {
        const { id } = await create(learner, 'policies:write');
        await register(learner, id, 'claims:read claims:write');
      },
      'a narrow token to read': async (learner) =>
        readClaim(learner, await claimed(learner), 'claims:read claims:write'),
      'the scope to read': async (learner) => readClaim(learner, await claimed(learner), 'claims:write'),
      'the policy of before': async (learner) => {
        const { id } = await create(learner);
        await create(learner, 'policies:write');
        await register(learner, id, 'claims:write');
      },
      'the claim of before': async (learner) => {
        const { id } = await create(learner, 'policies:write');
        const { claimId } = await register(learner, id);
        await register(learner, id, 'claims:write');
        await readClaim(learner, claimId, 'claims:read');
      },
      'more than the list': async (learner) => {
        await claimed(learner);
        await learner.call('GET', '/claims/v1/claims', { token: await token(learner, 'claims:read') });
      },
      'the claim': async (learner) => {
        await create(learner, 'policies:write');
        await learner.call('GET', '/claims/v1/claims', { token: await token(learner, 'claims:read') });
      },
    },
    remarks: {
      'one token for all':
        /^The token of this call has more than it needs: policies:read policies:write .*for policies:write alone/,
      'a narrow token for the claim': /more than it needs: claims:read claims:write\. Get one for claims:write alone/,
      'a narrow token to read': /more than it needs: claims:read claims:write\. Get one for claims:read alone/,
      'the policy of before': /^The token is right, but the claim is on another policy/,
      'the claim of before': /^The token is right, but this is another claim/,
      'more than the list': /^The token is right, but this was the list/,
    },
    done: {
      'a narrow token for the claim': 1,
      'a narrow token to read': 2,
      'the scope to read': 2,
      'the policy of before': 1,
      'the claim of before': 2,
      'more than the list': 2,
      'the claim': 1,
    },
  },

  'log-line': {
    async solve(learner) {
      const { refused, line } = await traced(learner);
      equal((await answer(learner, 'log-line', line)).correct, true);
      return refused;
    },
    alsoSolvedBy: {
      'by SOAP, a call to the insurer that is refused, and the path as it was sent': async (learner) => {
        const { traceId, headers } = newTrace();
        await bySoap(learner, 'AB-1234', headers);
        const path = `/for/${learner.id}/insurer/v1/policies/pol-1`;
        const refused = await learner.lplate.call('GET', `${path}?a=b`, { headers, token: learner.token });
        await learner.call('GET', '/claims/v1/claims', { headers });
        const requestId = refused.headers.get('x-request-id');
        await answer(learner, 'log-line', { traceId, requestId, method: 'GET', path: `${path}?a=b`, status: 404 });
      },
    },
    misses: {
      'a traceparent': async (learner) => {
        await byRest(learner, 'AB-1234');
        await listPolicies(learner);
        await refusedClaim(learner, {});
        await wrongAnswer(learner, 'log-line', {}, /no trace with calls to all three systems/);
      },
      'a traceparent on the last call': async (learner) => {
        const { headers } = newTrace();
        await byRest(learner, 'AB-1234', headers);
        await listPolicies(learner, headers);
        await refusedClaim(learner, {});
      },
      'a traceparent of the right form': (learner) => byRest(learner, 'AB-1234', { traceparent: '1234' }),
      'the same trace id': async (learner) => {
        await byRest(learner, 'AB-1234', newTrace().headers);
        await listPolicies(learner, newTrace().headers);
      },
      'the insurer': async (learner) => {
        const { headers } = newTrace();
        await byRest(learner, 'AB-1234', headers);
        await learner.bare('POST', '/insurer/v1/auth/token', {
          headers,
          json: { client_id: learner.id, client_secret: learner.secret },
        });
        await refusedClaim(learner, headers);
      },
      'a refusal': async (learner) => {
        const { headers } = newTrace();
        await byRest(learner, 'AB-1234', headers);
        await listPolicies(learner, headers);
        await learner.call('GET', '/claims/v1/claims', { headers });
        await wrongAnswer(learner, 'log-line', {}, /^No call of your trace was refused/);
      },
      'the refused call': async (learner) => {
        const { line, lookup } = await traced(learner);
        const requestId = lookup.headers.get('x-request-id');
        await wrongAnswer(learner, 'log-line', { ...line, requestId }, /^requestId is not that of a refused call/);
      },
      'a line without the token': wrongLine({ token: 'eyJ' }, /^token is no member of the answer\.$/),
      'the trace id alone': wrongLine({ traceId: newTrace().headers.traceparent }, /^traceId has the wrong form/),
      'another trace': wrongLine({ traceId: 'b'.repeat(32) }, /^traceId is of no trace/),
      'the status as a number': wrongLine({ status: '422' }, /^status has the wrong form: a number\.$/),
      'what was sent': wrongLine({ method: 'GET', path: '/claims', status: 200 }, /^method .*path .*status /),
      'all members': wrongLine({ path: undefined }, /^path is missing/),
    },
    remarks: {
      'a traceparent': /^This call to the insurer has no traceparent/,
      'a traceparent on the last call': /^This call to the claims system has no traceparent/,
      'a traceparent of the right form': /^The traceparent of this call is malformed/,
      'the same trace id': /^No call to the vehicle registry had this trace id/,
      'the insurer': /^No call to the insurer had this trace id/,
    },
    done: {
      'a traceparent on the last call': 2,
      'the same trace id': 1,
      'the insurer': 1,
      'a refusal': 3,
      'the refused call': 3,
      'a line without the token': 3,
      'the trace id alone': 3,
      'another trace': 3,
      'the status as a number': 3,
      'what was sent': 3,
      'all members': 3,
    },
  },

  'which-way': {
    async solve(learner) {
      const { lplate, token } = learner;
      const headers = { Authorization: `Bearer ${token}` };
      const description = await fetch(`${lplate.url}/claims/v1/openapi.json`, { headers });
      const { paths } = (await description.json()) as never as Record<'paths', Record<string, never>>;
      const maximum = (path: string, wanted: string) =>
        (
          paths[path] as never as { get: { parameters: { name: string; schema: { maximum: number } }[] } }
        ).get.parameters.find(({ name }) => name === wanted)?.schema.maximum as number;
      const sent = {
        ...ways,
        list: 6 * Math.ceil(6000 / maximum('/claims', 'pageSize')),
        longPoll: 60 / maximum('/topics/claims.status-changed', 'wait'),
      };
      equal((await answer(learner, 'which-way', sent)).correct, true);
      return description;
    },
    alsoSolvedBy: {
      'known by heart, the list in another order': (learner) =>
        answer(learner, 'which-way', { ...ways, refused: ['list', 'each'] }),
    },
    misses: {
      'the usual page': wrongWays({ list: 1800 }, /^list is wrong: see at \/docs how many claims a page can have\.$/),
      'the longest wait': wrongWays({ longPoll: 6 }, /^longPoll is wrong: see at \/docs how long a call can wait\.$/),
      'a minute': wrongWays({ each: 6000, changes: 1 }, /^each is wrong: .*changes is wrong: /),
      'the limit': wrongWays(
        { refused: ['each'] },
        /^refused does not follow from the numbers: compare each with 60\.$/,
      ),
      'it in time': wrongWays(
        { best: 'nightly' },
        /^best is not the one with the fewest calls of those that are in time/,
      ),
      'fewer calls': wrongWays({ best: 'changes' }, /^best is not the one/),
      'the word for it': wrongWays({ best: 'events' }, /^best has the wrong form/),
      'a list': wrongWays({ refused: 'each, list' }, /^refused has the wrong form/),
      numbers: wrongWays({ each: '36000', list: null }, /^each has the wrong form.*list has the wrong form/),
      'an object': (learner) => wrongAnswer(learner, 'which-way', 'longPoll', /^Send one object/),
    },
  },

  'test-that-fails': {
    async solve(learner) {
      await stopped(learner);
      return run(learner);
    },
    alsoSolvedBy: {
      'a drill that hits the second call, a first run that passes, and a call in between': async (learner) => {
        await run(learner);
        await badJson(learner, { calls: ['GET /insurer/v1/policies/{policyId}'] });
        const { headers } = newTrace();
        await run(learner, { headers });
        await endDrill(learner);
        const next = newTrace();
        await run(learner, next);
        await listPolicies(learner);
        await listPolicies(learner, next.headers);
      },
      'begun again, after a run that went on': async (learner) => {
        await badJson(learner);
        await run(learner, { looks: false });
        await run(learner);
        await endDrill(learner);
        await run(learner);
      },
    },
    misses: {
      'a look at the answers': async (learner) => {
        await badJson(learner);
        await run(learner, { looks: false });
        await endDrill(learner);
        await run(learner);
      },
      'a trace id': async (learner) => {
        await badJson(learner);
        await run(learner, { headers: {} });
      },
      'a trace id in the second run': async (learner) => {
        await stopped(learner);
        await run(learner, { headers: {} });
      },
      'a trace id in each call of the second run': async (learner) => {
        await stopped(learner);
        const { headers } = newTrace();
        const { json } = await learner.call('POST', '/policies', { headers, json: { regNumber: newPlate() } });
        await learner.call('GET', `/policies/${json.id}`);
      },
      'the drill': async (learner) => {
        await run(learner);
      },
      'the end of the drill': async (learner) => {
        await badJson(learner);
        await run(learner);
        await run(learner);
      },
      'another trace id': async (learner) => {
        const { headers } = newTrace();
        await badJson(learner);
        await run(learner, { headers });
        await endDrill(learner);
        await run(learner, { headers });
      },
      'the same test': async (learner) => {
        await stopped(learner);
        const { headers } = newTrace();
        await listPolicies(learner, headers);
        await listPolicies(learner, headers);
      },
      'the end of the test': async (learner) => {
        await stopped(learner);
        await learner.call('POST', '/policies', { headers: newTrace().headers, json: { regNumber: newPlate() } });
      },
      'a run that passes': async (learner) => {
        await stopped(learner);
        const { headers } = newTrace();
        await learner.call('POST', '/policies', { headers, json: {} });
        await listPolicies(learner, headers);
      },
      'a run that stopped, when one went on and another passed': async (learner) => {
        await badJson(learner);
        await run(learner, { looks: false });
        await endDrill(learner);
        for (const _ of [1, 2]) await run(learner);
      },
      'a drill that leaves the status good': async (learner) => {
        await learner.call('POST', '/range/v1/me/drills', { json: { name: 'unavailable' } });
        const { headers } = newTrace();
        await learner.call('POST', '/policies', { headers, json: { regNumber: newPlate() } });
        await learner.call('DELETE', '/range/v1/me/drills/unavailable');
        await run(learner);
      },
    },
    remarks: {
      'a look at the answers': /^Your test went on after the answer that can’t be read/,
      'a trace id': /without a traceparent nobody can tell which run it is of/,
      'a trace id in the second run': /^This call has no traceparent/,
      'a trace id in each call of the second run': /^This call has no traceparent/,
      'the drill': /has hit no call of this run yet\. Is it on\?/,
      'the end of the drill': /^The drill bad-json is still on/,
      'another trace id': /^Your test went on after the answer/,
      'the same test': /^This is another test: call 1 of the run was GET \S+, and of the one before POST \S+\.$/,
      'a run that passes': /^The call at which the test stopped was refused with 400 this time/,
      'a run that stopped, when one went on and another passed': /^Your test went on after/,
      'a drill that leaves the status good': /has hit no call of this run yet/,
    },
    done: {
      'a trace id in the second run': 1,
      'a trace id in each call of the second run': 1,
      'the end of the drill': 1,
      'the same test': 1,
      'the end of the test': 1,
      'a run that passes': 1,
    },
  },
});
