import { randomBytes } from 'node:crypto';
import { newPlate } from './learner.js';

/** Lessons “Between systems”. */
export async function betweenSystems(me) {
  await oneShape(me);
  await leastScope(me);
  await logLine(me);
  await whichWay(me);
  await testThatFails(me);
}

// lesson: one-shape
/** The vehicle of a policy, by SOAP v1 and by REST v2, in one shape. Each source has a function that says what it knows. */
async function oneShape(me) {
  const namespace = 'http://lplate.example/vehicle-registry/v1';
  const { regNumber, policy } = await insuredVehicle(me);
  const { text: xml } = await me.bare('POST', '/vehicle-registry/v1', {
    headers: { 'Content-Type': 'text/xml' },
    body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
      <GetVehicleDataRequest xmlns="${namespace}"><RegNumber>${regNumber}</RegNumber></GetVehicleDataRequest>
    </soap:Body></soap:Envelope>`,
  });
  const { json: vehicle } = await me.bare('GET', `/vehicle-registry/v2/vehicles/${regNumber}`);

  // A fact that is missing: no element, no member. Here it is null.
  // A model has a &, which XML writes &amp;.
  const element = (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&amp;', '&') ?? null;
  const ofPlate = (number) => ({ plate: number.replaceAll('-', '').toUpperCase() });
  const ownedBy = (type) => (type === 'LEGAL_PERSON' ? 'company' : 'person');
  const fromSoap = {
    ...ofPlate(element('RegNumber')),
    vin: element('VinCode'),
    make: element('Make'),
    model: element('Model'),
    firstRegistered: element('FirstRegDate'),
    engineCc: element('EngineCapacityCcm') && Number(element('EngineCapacityCcm')),
    fuel: element('FuelType').toLowerCase(),
    ownedBy: ownedBy(element('OwnerType')),
  };
  const fromRest = {
    ...ofPlate(vehicle.reg_number),
    vin: vehicle.vin_code ?? null,
    make: vehicle.make,
    model: vehicle.model,
    firstRegistered: vehicle.first_reg_date,
    engineCc: vehicle.engine_capacity_ccm ?? null,
    fuel: vehicle.fuel_type,
    ownedBy: ownedBy(vehicle.owner_type),
  };
  const fromPolicy = {
    ...ofPlate(policy.regNumber),
    insured: ['active', 'updated'].includes(policy.status),
    coverEnds: policy.endDate,
  };
  if (JSON.stringify(fromSoap) !== JSON.stringify(fromRest)) throw new Error(`${xml} is not ${vehicle}`);
  await me.answer('one-shape', { ...fromRest, ...fromPolicy });
}

/** A number that the registry has, and that nobody has insured: another one until it succeeds. */
async function insuredVehicle(me) {
  for (;;) {
    const regNumber = `PB-${1000 + Math.floor(Math.random() * 9000)}`;
    const { status, json: policy } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });
    if (status === 201) return { regNumber, policy };
    if (status !== 409) throw new Error(JSON.stringify(policy));
  }
}

// lesson: least-scope
/** Three programs, each with a token for its job alone. */
async function leastScope(me) {
  const by = async (scope, method, path, json) =>
    (await me.call(method, path, { token: await me.newToken(scope), json })).json;
  const policy = await by('policies:write', 'POST', '/insurer/v1/policies', { regNumber: newPlate() });
  const { claimId } = await by('claims:write', 'POST', '/claims/v1/claims', { policyNumber: policy.id });
  await by('claims:read', 'GET', `/claims/v1/claims/${claimId}`);
}

// lesson: log-line, test-that-fails
/** A new trace: each call has its own parent id. */
function newTrace() {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: () => ({ traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }) };
}

// lesson: log-line
/** One trace through three systems. The claim is refused: its policyNumber is a registration number. */
async function logLine(me) {
  const { traceId, headers } = newTrace();
  await me.bare('GET', '/vehicle-registry/v2/vehicles/AB-1234', { headers: headers() });
  await me.call('GET', '/insurer/v1/policies', { headers: headers() });
  await me.call('POST', '/claims/v1/claims', { headers: headers(), json: { policyNumber: 'AB-1234' } });

  // The complaint: somebody has the trace id, and asks what failed.
  const { json: found } = await me.call('GET', `/range/v1/me/exchanges?traceId=${traceId}&status=4xx`);
  const [{ id, method, url, status }] = found.items;
  await me.answer('log-line', { traceId, requestId: id, method, path: url, status });
}

// lesson: which-way
/** What each way takes of 60 calls a minute, so that each change of 6,000 claims is seen within 10 seconds. */
async function whichWay(me) {
  const { json: description } = await me.call('GET', '/claims/v1/openapi.json');
  const most = (path, name) =>
    description.paths[path].get.parameters.find((parameter) => parameter.name === name).schema.maximum;
  const timesAMinute = 60 / 10;
  const calls = {
    each: 6000 * timesAMinute,
    list: Math.ceil(6000 / most('/claims', 'pageSize')) * timesAMinute,
    changes: timesAMinute,
    longPoll: 60 / most('/topics/claims.status-changed', 'wait'),
  };
  const ways = Object.keys(calls);
  const refused = ways.filter((way) => calls[way] > 60);
  // A file each night takes fewer calls still, but it is not in time.
  const [best] = ways.sort((one, other) => calls[one] - calls[other]);
  await me.answer('which-way', { ...calls, refused, best });
}

// lesson: test-that-fails
/** The test has to fail where an answer is broken on purpose, and to pass where none is. */
async function testThatFails(me) {
  await me.startDrill('bad-json');
  const failure = await policyTest(me).catch((error) => error);
  await me.endDrill('bad-json');
  if (!(failure instanceof Error)) throw new Error('the test passed, although no answer could be read');
  await policyTest(me);
}

/** It throws at the first answer that is not what it should be, and calls nothing more. */
async function policyTest(me) {
  const { headers } = newTrace();
  const regNumber = newPlate();
  const created = await me.call('POST', '/insurer/v1/policies', { headers: headers(), json: { regNumber } });
  if (created.json?.status !== 'active') throw new Error(`created, but ${created.text}`);
  const read = await me.call('GET', `/insurer/v1/policies/${created.json.id}`, { headers: headers() });
  if (read.json?.regNumber !== regNumber) throw new Error(`read, but ${read.text}`);
}
// end
