import { maxWait } from '../../../events/topic-schemas.ts';
import { maxPageSize } from '../../../http/requests/paging.ts';
import { isInForce, type Policy, vehicleKey } from '../../../insurer/index.ts';
import { traceIdPattern, traceOf } from '../../../text/trace-context.ts';
import { findVehicle } from '../../../vehicle-registry/index.ts';
import { AnswerShape } from '../answer-shape.ts';
import {
  cancelPolicy,
  createPolicy,
  listClaims,
  listPolicies,
  lookUpByRest,
  lookUpBySoap,
  readClaim,
  readPolicy,
  registerClaim,
  updatePolicy,
} from '../calls.ts';
import { type Entry, jsonOf, methodOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { EndedAttempt, LessonTopic, Question, Step, Verdict } from '../lesson.ts';
import { found } from './registry.ts';

/*
 * Work that goes through several systems, and how one sees that it does what it should.
 */

/** JSON Schema of a text that fits a pattern. */
const text = (pattern = '') => ({ type: 'string', pattern });
const day = { type: 'string', format: 'date' };

/* One vehicle in three vocabularies. */

const ofRegistry = 'is not what the registry says of this vehicle.';

const vehicleShape = new AnswerShape({
  plate: {
    is: 'the registration number in capitals and without a dash',
    schema: text('^[A-Z0-9]+$'),
    wrong: 'is of no vehicle that you have read in all three.',
  },
  vin: { is: 'the VIN; null if there is none', schema: { type: ['string', 'null'] }, wrong: ofRegistry },
  make: { is: 'the manufacturer', schema: text(), wrong: ofRegistry },
  model: { is: 'the name of the model', schema: text(), wrong: ofRegistry },
  firstRegistered: { is: 'the day of first registration, YYYY-MM-DD', schema: day, wrong: ofRegistry },
  engineCc: {
    is: 'cubic centimetres, as a number; null if there is no engine',
    schema: { type: ['integer', 'null'] },
    wrong: ofRegistry,
  },
  fuel: { is: 'as REST v2 writes it', schema: text('^[a-z]+$'), wrong: ofRegistry },
  ownedBy: { is: 'person or company', schema: { enum: ['person', 'company'] }, wrong: ofRegistry },
  insured: {
    is: 'true if the policy is in force, else false',
    schema: { type: 'boolean' },
    wrong: 'does not follow from the status of the policy.',
  },
  coverEnds: { is: 'the last day of cover, YYYY-MM-DD', schema: day, wrong: 'is not what the policy says.' },
});

/** The policies that were answered, as far as the log has them. */
function policiesIn({ call, status, answer }: Entry): Policy[] {
  if (status >= 300) return [];
  const json = jsonOf(answer);
  const isOne = [createPolicy, readPolicy, updatePolicy, cancelPolicy].includes(call);
  const all: unknown[] = isOne ? [json] : call === listPolicies && Array.isArray(json?.items) ? json.items : [];
  return (all as (Partial<Policy> | null)[]).filter((each): each is Policy => typeof each?.regNumber === 'string');
}

const isPlate = ({ regNumber }: Policy) => findVehicle(vehicleKey(regNumber)) !== undefined;

/** The latest that is known of the policy of a vehicle. */
const policyOf = (key: string, history: History): Policy | undefined =>
  history
    .all((entry) => policiesIn(entry).length > 0)
    .flatMap(policiesIn)
    .findLast(({ regNumber }) => vehicleKey(regNumber) === key);

function isPolicySeen(entry: Entry): Verdict {
  const policies = policiesIn(entry);
  if (policies.length === 0)
    return (
      entry.call === listPolicies &&
      entry.ids.length > 0 &&
      'Of so long a list the log keeps the ids alone. Read one policy by its id.'
    );
  if (policies.some(isPlate)) return true;
  return 'The registry has no vehicle with the number of this policy. Insure one that it has: two letters and four digits, such as AB-1234.';
}

/** Judges a lookup by one of the two services. */
const lookedUpBy =
  (service: string) =>
  (entry: Entry, history: History): Verdict => {
    const number = entry.call === service ? found(entry) : undefined;
    if (number === undefined) return false;
    if (policyOf(vehicleKey(number), history)) return true;
    const policy = history.last((each) => policiesIn(each).some(isPlate));
    if (!policy)
      return 'Your log has no policy of this vehicle. First insure one, or read its policy, and then look that one up.';
    return `This was ${number}, of which your log has no policy. Look up ${policiesIn(policy).find(isPlate)?.regNumber}.`;
  };

/** The latest answer of a service about a vehicle. */
const lookupOf = (service: string, key: string, history: History) =>
  history.last((each) => each.call === service && vehicleKey(found(each) ?? '') === key);

/** The keys of the vehicles that were read in all three, the latest first. */
function readInAll(history: History): string[] {
  const keys = history.all(({ call }) => call === lookUpByRest).map((each) => vehicleKey(found(each) ?? ''));
  const isInAll = (key: string) =>
    key !== '' && policyOf(key, history) !== undefined && lookupOf(lookUpBySoap, key, history) !== undefined;
  return keys.filter(isInAll).reverse();
}

const oneVehicle: Question = {
  step: 'Send it in one shape',
  question: `One object with these members, and no other: ${vehicleShape.told}.`,
  answerType: 'json',
  check(answer, history) {
    const keys = readInAll(history);
    const key = keys.find((each) => each === (answer as { plate?: unknown } | null)?.plate) ?? keys[0];
    const policy = key === undefined ? undefined : policyOf(key, history);
    const entry = key === undefined ? undefined : lookupOf(lookUpByRest, key, history);
    if (!policy || !entry)
      return 'Your log has no vehicle that you read in all three: as a policy, by SOAP v1 and by REST v2. Do the steps before first.';
    const vehicle = jsonOf(entry.answer);
    const right = {
      plate: key,
      vin: vehicle.vin_code ?? null,
      make: vehicle.make,
      model: vehicle.model,
      firstRegistered: vehicle.first_reg_date,
      engineCc: vehicle.engine_capacity_ccm ?? null,
      fuel: vehicle.fuel_type,
      ownedBy: vehicle.owner_type === 'LEGAL_PERSON' ? 'company' : 'person',
      insured: isInForce(policy),
      coverEnds: policy.endDate,
    };
    return vehicleShape.fault(answer, right) ?? { entry };
  },
};

/* Ask for no more than you need. */

/** Judges the token of a call that was done. */
function isNarrow({ token }: Entry, scope: string): Verdict {
  if (token === undefined || token.scope === scope) return token !== undefined;
  return `The token of this call has more than it needs: ${token.scope}. Get one for ${scope} alone, and make such a call with it.`;
}

const isNarrowCreate = (entry: Entry) =>
  entry.call === createPolicy && entry.status === 201 && isNarrow(entry, 'policies:write') === true;

const policyOfClaim = ({ sent }: Entry) => jsonOf(sent)?.policyNumber;

/** A claim that was registered with a token for it alone, on a policy that was created so. */
function isNarrowClaim(entry: Entry, history: History): Verdict {
  if (entry.call !== registerClaim || entry.status !== 201) return false;
  const verdict = isNarrow(entry, 'claims:write');
  if (verdict !== true) return verdict;
  const isOfPolicy = (each: Entry) => isNarrowCreate(each) && jsonOf(each.answer)?.id === policyOfClaim(entry);
  if (history.has(isOfPolicy)) return true;
  return 'The token is right, but the claim is on another policy. Register one on the policy that you created with a token for policies:write alone.';
}

function isNarrowRead(entry: Entry, history: History): Verdict {
  if (![readClaim, listClaims].includes(entry.call) || entry.status >= 400) return false;
  const claims = history.all((each) => isNarrowClaim(each, history.before(each)) === true);
  if (claims.length === 0) return false;
  const verdict = isNarrow(entry, 'claims:read');
  if (verdict !== true) return verdict;
  if (claims.some(({ answer }) => entry.path.endsWith(`/${jsonOf(answer)?.claimId}`))) return true;
  return entry.call === listClaims
    ? 'The token is right, but this was the list. Read the claim by its id.'
    : 'The token is right, but this is another claim. Read the one that you registered with a token for claims:write alone.';
}

/* What would you have logged? */

const systems = [
  { name: 'the vehicle registry', begin: '/vehicle-registry/' },
  { name: 'the insurer', begin: '/insurer/' },
  { name: 'the claims system', begin: '/claims/' },
] as const;

/** A request for credentials or a token is no part of the work. */
const isCallTo = ({ begin }: (typeof systems)[number], { kind, path }: Entry) =>
  kind === 'call' && path.startsWith(begin) && !/^\/insurer\/v1\/(?:auth\/|demo-clients)/.test(path);

const traceIdOf = ({ sent }: Entry) => traceOf(sent.headers.traceparent)?.traceId;

const isTracedTo = (system: (typeof systems)[number], traceId: string | undefined) => (entry: Entry) =>
  isCallTo(system, entry) && traceIdOf(entry) === traceId;

/** Judges a call to one of the systems, after those to the ones before it. */
const tracedTo =
  (system: (typeof systems)[number]): Step['judge'] =>
  (entry, history) => {
    if (!isCallTo(system, entry)) return false;
    const traceId = traceIdOf(entry);
    if (traceId === undefined) {
      if (entry.sent.headers.traceparent !== undefined)
        return 'The traceparent of this call is malformed, so it was ignored: the remark in the log says which form it has.';
      // A refused call may be one of any lesson, unless there is a trace already.
      const isMeant = entry.status < 400 || history.has((each) => traceIdOf(each) !== undefined);
      return isMeant && `This call to ${system.name} has no traceparent, so no trace id leads to it.`;
    }
    const missing = systems
      .slice(0, systems.indexOf(system))
      .find((before) => !history.has(isTracedTo(before, traceId)));
    return missing === undefined || `No call to ${missing.name} had this trace id. All three need the same one.`;
  };

const withoutPrefixAndQuery = (path: unknown) =>
  String(path)
    .replace(/^\/for\/[^/?]*/, '')
    .split('?', 1)[0];

const lineShape = new AnswerShape({
  traceId: {
    is: '32 hexadecimal digits',
    schema: text(traceIdPattern),
    wrong: 'is of no trace with calls to all three systems of which one was refused.',
  },
  requestId: {
    is: 'what the answer had as X-Request-Id',
    schema: text(),
    wrong: 'is not that of a refused call of the trace. In the log it is the id of the exchange.',
  },
  method: { is: 'in capitals', schema: text('^[A-Z]+$'), wrong: 'is not that of the refused call.' },
  path: {
    is: 'without the query',
    schema: text('^/'),
    wrong: 'is not that of the refused call.',
    isSame: (sent, right) => withoutPrefixAndQuery(sent) === right,
  },
  status: { is: 'a number', schema: { type: 'integer' }, wrong: 'is not that of the refused call.' },
});

const logLine: Question = {
  step: 'Send the line that finds the refused call',
  question: `One object with these members of the refused call, and no other, since a log is read by many: ${lineShape.told}.`,
  answerType: 'json',
  check(answer, history) {
    const isInAll = (entry: Entry) =>
      traceIdOf(entry) !== undefined && systems.every((each) => history.has(isTracedTo(each, traceIdOf(entry))));
    const ofTrace = history.all((entry) => systems.some((each) => isCallTo(each, entry)) && isInAll(entry));
    const refused = ofTrace.filter(({ status }) => status >= 400);
    const sent = answer as { requestId?: unknown } | null;
    const entry = refused.find(({ id }) => id === sent?.requestId) ?? refused.at(-1);
    if (ofTrace.length === 0) return 'Your log has no trace with calls to all three systems. Make them first.';
    if (!entry)
      return 'No call of your trace was refused, so there is nothing to complain of. Make one more with the same trace id, such as a claim on a policy that does not exist.';
    const { id: requestId, path, status } = entry;
    const right = { traceId: traceIdOf(entry), requestId, method: methodOf(entry), path, status };
    return lineShape.fault(answer, right) ?? { entry };
  },
};

/* Polling, events or a batch. */

/** What is asked about: so many claims, whose changes must be seen so soon. */
const watched = { claims: 6000, seconds: 10, limit: 60 };

/** How often a way that asks begins anew. */
const aMinute = 60 / watched.seconds;

/** Calls a minute by each way. */
const calls = {
  each: watched.claims * aMinute,
  list: Math.ceil(watched.claims / maxPageSize) * aMinute,
  changes: aMinute,
  longPoll: 60 / maxWait,
};

const ways = Object.keys(calls) as (keyof typeof calls)[];
const refusedWays = ways.filter((way) => calls[way] > watched.limit).sort();
const bestWay = ways.reduce((best, way) => (calls[way] < calls[best] ? way : best));

const callsBy = (is: string, how: string) => ({ is, schema: { type: 'number' }, wrong: `is wrong: ${how}.` });

const waysShape = new AnswerShape({
  each: callsBy('read each claim by its id', `each claim once in ${watched.seconds} seconds`),
  list: callsBy(
    'read all pages of the list, each as long as it can be',
    'see at /docs how many claims a page can have',
  ),
  changes: callsBy(
    'one page of the list with updatedSince, on which all changes are',
    `one call in ${watched.seconds} seconds`,
  ),
  longPoll: callsBy(
    'read the topic by calls that wait as long as they can, when nothing happens',
    'see at /docs how long a call can wait',
  ),
  refused: {
    is: 'a list of those of the four that the limit refuses',
    schema: { type: 'array', items: { enum: ways } },
    wrong: `does not follow from the numbers: compare each with ${watched.limit}.`,
    isSame: (sent, right) => String([...(sent as string[])].sort()) === String(right),
  },
  best: {
    is: `the way with the fewest calls that is in time: one of ${ways.join(', ')} and nightly, a file each night`,
    schema: { enum: [...ways, 'nightly'] },
    wrong: 'is not the one with the fewest calls of those that are in time.',
  },
});

const whichWay: Question = {
  step: 'Send the calls a minute of each way, and the best one',
  question: `One object with these members, the first four in calls a minute: ${waysShape.told}.`,
  answerType: 'json',
  check(answer, history) {
    const right = { ...calls, refused: refusedWays, best: bestWay };
    const entry = history.last(({ call, status }) => status === 200 && /^GET \/claims\/v1\/openapi\./.test(call));
    return waysShape.fault(answer, right) ?? { entry };
  },
};

/* A test that would have caught it. */

/** A call that succeeded by its status, and whose body can't be read. */
const isSpoilt = ({ status, drills }: Entry) => status < 400 && drills.includes('bad-json');

/** The calls of a run so far: those with its trace id. */
const ofRun = (traceId: string, history: History) =>
  history.all((each) => each.kind === 'call' && traceIdOf(each) === traceId);

const wentOn: EndedAttempt = {
  beginAgain:
    'Your test went on after the answer that can’t be read, so it did not look at it. Begin again: let the test stop there, and give its next run another trace id.',
};

function isStopped(entry: Entry, history: History): Verdict {
  const traceId = traceIdOf(entry);
  if (traceId === undefined)
    return isSpoilt(entry) && 'The drill hit this call, but without a traceparent nobody can tell which run it is of.';
  const before = ofRun(traceId, history);
  if (before.some(isSpoilt)) return wentOn;
  if (isSpoilt(entry)) return true;
  return before.length > 0 && 'The drill bad-json has hit no call of this run yet. Is it on?';
}

/** The calls of the latest run that the drill hit. Undefined if it went on after that. */
function stoppedRun(history: History): Entry[] | undefined {
  const hit = history.last((each) => isSpoilt(each) && traceIdOf(each) !== undefined);
  const run = hit && ofRun(traceIdOf(hit) as string, history);
  return run && run.findIndex(isSpoilt) === run.length - 1 ? run : undefined;
}

function isPassed(entry: Entry, history: History): Verdict {
  const stopped = entry.kind === 'call' ? stoppedRun(history) : undefined;
  if (!stopped) return false;
  const traceId = traceIdOf(entry);
  const ofStopped = traceIdOf(stopped[0] as Entry);
  if (traceId === undefined) {
    const [before] = history.latest(1);
    const isInRun = before && traceIdOf(before) !== undefined && traceIdOf(before) !== ofStopped;
    const isMeant = isInRun || entry.call === stopped[0]?.call;
    return isMeant && 'This call has no traceparent. Give all calls of a run the same trace id.';
  }
  if (traceId === ofStopped) return wentOn;
  if (isSpoilt(entry)) return 'The drill bad-json is still on. End it, and run the test again.';
  const run = [...ofRun(traceId, history), entry];
  const other = stopped.findIndex(({ call }, at) => at < run.length && call !== run[at]?.call);
  if (other >= 0)
    return `This is another test: call ${other + 1} of the run was ${run[other]?.call}, and of the one before ${stopped[other]?.call}.`;
  const again = run[stopped.length - 1];
  if (again && again.status >= 400)
    return `The call at which the test stopped was refused with ${again.status} this time. Run the test once more, so that it passes.`;
  return run.length > stopped.length;
}

export const betweenSystems: LessonTopic = {
  id: 'between-systems',
  title: 'Between systems',
  lessons: [
    {
      id: 'one-shape',
      title: 'One vehicle, three vocabularies',
      level: 2,
      goal: 'Insure a vehicle that the registry knows, and look the same one up by SOAP v1 and by REST v2. Each system has its own names, forms and ways to say that there is nothing. Map them to one shape of yours, which the question describes, and send it. Calls to the registry need /for/ and your `client_id` before their path, or your token.',
      why: 'Most of the work between systems is to say the same thing in the words of another one.',
      hints: [
        'Write a function for each source that returns the shape, or the part of it that it knows. What the three call otherwise: the plate, the fuel, the owner, a fact that is missing.',
        'Numbers with two letters and four digits are those of the registry, but not with XX or ZZ. SOAP leaves an element out where there is nothing and writes all as text; REST v2 leaves the member out and has numbers.',
        '`PLATE=LP-$((RANDOM % 9000 + 1000))` makes up a number. `curl $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"regNumber":"\'$PLATE\'"}\'`, then `curl $ROOT/for/$CLIENT_ID/vehicle-registry/v1 -H "Content-Type: text/xml" -d \'<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>\'$PLATE\'</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>\'` and `curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/$PLATE`.',
      ],
      sections: ['Vehicle data (legacy SOAP)', 'Versioning', 'Policy', 'States and transitions, Policy'],
      buildsOn: ['same-vehicle', 'create-policy'],
      remember:
        'Choose one shape of your own, and map each system to it at its border. Say there what a missing fact becomes.',
      without:
        'Each part of the program knows the words of each system. One renamed field is a change in forty places.',
      shortestWay: 3,
      way: [createPolicy, readPolicy, lookUpBySoap, lookUpByRest],
      steps: [
        { title: 'Insure a vehicle of the registry, or read its policy', judge: isPolicySeen },
        { title: 'Look the same vehicle up by SOAP v1', judge: lookedUpBy(lookUpBySoap) },
        { title: 'Look it up by REST v2', judge: lookedUpBy(lookUpByRest) },
      ],
      asks: oneVehicle,
    },
    {
      id: 'least-scope',
      title: 'A token for each job',
      level: 2,
      goal: 'Three programs work one after the other, and none may do more than its job. Create a policy with a token for `policies:write` alone. Register a claim on it with a token for `claims:write` alone. Read that claim with a token for `claims:read` alone.',
      why: 'What a program may do is what its thief may do, and what a mistake in it can do.',
      hints: [
        'A token request without the member scope gets all scopes. Ask for one, three times.',
        'The second part of a token, decoded, has its scopes. So has the answer of the token endpoint, as scope.',
        '`curl $ROOT/insurer/v1/auth/token -d grant_type=client_credentials -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET -d scope=claims:write` gets the second one. The id of the policy is the policyNumber of the claim.',
      ],
      sections: [
        'Authentication, 3',
        'Endpoints, 3',
        'Endpoints, 4',
        'Endpoints, rule 2',
        'Claims interface',
        'RFC 6749, section 3.3',
      ],
      buildsOn: ['scope-needed', 'claim-registered'],
      remember:
        'Give each program a token with only the scopes that it uses. Look at the token itself, not at the plan.',
      without:
        'The program that only registers claims has the rights of all others. A mistake in it cancels policies for an evening.',
      shortestWay: 6,
      way: [createPolicy, registerClaim, readClaim],
      steps: [
        {
          title: 'Create a policy with a token for policies:write alone',
          judge: (entry) => entry.call === createPolicy && entry.status === 201 && isNarrow(entry, 'policies:write'),
        },
        { title: 'Register a claim on it with a token for claims:write alone', judge: isNarrowClaim },
        { title: 'Read that claim with a token for claims:read alone', judge: isNarrowRead },
      ],
    },
    {
      id: 'log-line',
      title: 'What would you have logged?',
      level: 3,
      goal: 'A customer complains that something failed, and three systems took part. Make calls to the registry, the insurer and the claims system, in this order and with the same trace id in `traceparent`; have at least one of them refused, such as a claim on a policy that does not exist. Find that call by its trace id, and send the line that your own log should have of it.',
      why: 'When a customer calls, what you did not log is gone, and what you logged too much of is the next complaint.',
      hints: [
        'A traceparent has four parts with dashes between them: 00, 32 hexadecimal digits for the trace, 16 for the caller, and 01. The registry needs no token, but /for/ and your client_id before the path.',
        'The log of the range is searched by the parameter traceId of `GET /range/v1/me/exchanges`, the page Traffic by trace:. The id of an exchange is what its answer had as X-Request-Id.',
        '`TRACE="traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"` is the header of all three. `curl $ROOT/for/$CLIENT_ID/vehicle-registry/v2/vehicles/AB-1234 -H "$TRACE"`, then `curl $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "$TRACE"` and `curl -i $ROOT/claims/v1/claims -H "Authorization: Bearer $TOKEN" -H "$TRACE" -H "Content-Type: application/json" -d \'{"policyNumber":"AB-1234"}\'`. The last one is refused.',
      ],
      sections: ['The range', 'Errors, 1', 'Claims interface', 'Versioning'],
      buildsOn: ['claim-registered', 'same-vehicle'],
      remember:
        'Log of each call what finds it again: trace id, request id, method, path, status. Never log tokens, or more of people than you need.',
      without:
        'The customer has a time and a feeling. Three teams search three logs for an hour, and each finds nothing of its own.',
      shortestWay: 3,
      way: [
        ...[lookUpByRest, lookUpBySoap, listPolicies, createPolicy, readPolicy, registerClaim, listClaims, readClaim],
        ...['any 404', 'any 409', 'any 422', 'any 500'],
      ],
      steps: [
        { title: 'Call the vehicle registry with a traceparent', judge: tracedTo(systems[0]) },
        { title: 'Call the insurer with the same trace id', judge: tracedTo(systems[1]) },
        { title: 'Call the claims system with the same trace id', judge: tracedTo(systems[2]) },
      ],
      asks: logLine,
    },
    {
      id: 'which-way',
      title: 'Poll, listen or wait for the file',
      level: 2,
      goal: `You watch ${watched.claims.toLocaleString('en')} claims, and each change has to be seen within ${watched.seconds} seconds. The limit is ${watched.limit} calls a minute. Read in the description of the claims system how long a page can be, and how long a call to the topic can wait. Work out how many calls a minute each way takes, and choose one.`,
      why: 'To change the way later means to write the program anew, and a page of arithmetic shows before which one is right.',
      hints: [
        'The description is /claims/v1/openapi.yaml, and /docs shows it. Look at the parameters pageSize of the list and wait of the topic.',
        'To see each change in time, a way that asks has to begin anew once in that many seconds. A call that waits ends when its time is over, or when something happens.',
        'Each claim: claims × 60 / seconds. The list: pages × 60 / seconds, with the longest page. The long poll: 60 / the longest wait. A file each night has no calls, but when is a change seen?',
      ],
      sections: ['Limits, General rate', 'Claims interface', 'Versioning'],
      buildsOn: ['long-poll', 'retry-after'],
      remember:
        'Work out calls, delay and limit before you choose a way. Ask what happens when there is nothing new, and when there is much.',
      without:
        'The test with ten claims is fast. With six thousand the program meets the limit within a second, on its first day.',
      shortestWay: 1,
      way: ['GET /claims/v1/openapi.yaml', 'GET /claims/v1/openapi.json'],
      steps: [],
      asks: whichWay,
    },
    {
      id: 'test-that-fails',
      title: 'A test that would have caught it',
      level: 3,
      goal: 'Write a test of two calls or more that looks at each answer, such as one that creates a policy and reads it. All calls of a run have the same trace id in `traceparent`, and the next run has another one. Run it under the drill `bad-json`: it must stop at the call whose answer can’t be read, although the status is good. End the drill, and run the same test to its end.',
      why: 'A test that never failed may look at nothing. One that fails when the service is broken on purpose is worth its time.',
      hints: [
        'Let the test read each body as JSON, and look at a member of it. If that fails, the test ends there: no further call, no second try.',
        'What your test tidies up goes without the trace id. A drill can also hit some calls alone: its parameter calls.',
        '`curl $ROOT/range/v1/me/drills -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"name":"bad-json"}\'` starts it. Then `curl $ROOT/insurer/v1/policies -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -H "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" -d \'{"regNumber":"LP-\'$RANDOM$RANDOM\'"}\'`. End it with `curl -X DELETE $ROOT/range/v1/me/drills/bad-json -H "Authorization: Bearer $TOKEN"`, and make the same call and the next one with another trace id.',
      ],
      sections: ['The range', 'Endpoints, 4', 'Endpoints, 6', 'Errors, 1'],
      buildsOn: ['unreadable-answer'],
      remember: 'See each test fail once, with the fault that it is for. Look at what came, not only at the status.',
      without:
        'All tests are green for a year. Then a broken answer comes, and it turns out that none of them ever looked at a body.',
      shortestWay: 3,
      way: [createPolicy, readPolicy, listPolicies, registerClaim, readClaim, listClaims],
      steps: [
        { title: 'Run the test under the drill bad-json, until it stops', judge: isStopped },
        { title: 'Run the same test to its end, without the drill', judge: isPassed },
      ],
    },
  ],
};
