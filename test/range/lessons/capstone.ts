import { equal } from 'node:assert/strict';
import type { LPlate, TestClient } from '../../support/lplate.ts';
import {
  authorizationQuery,
  callback,
  exchange,
  letIn,
  newChallenge,
  refresh,
  type TestPerson,
} from '../../support/people.ts';
import { newPlate } from './lesson.ts';

/** Somebody who runs capstones over a line that fails. */
export interface Runner extends TestClient {
  readonly lplate: LPlate;
  /** A call with the token. Undefined if it was cut, or its answer is not what an interface sends. */
  send(method: string, path: string, options?: Sent): Promise<Received | undefined>;
  /** The same again and again until there is an answer that is no 503. */
  insist(method: string, path: string, options?: Sent): Promise<Received>;
  renew(): Promise<void>;
}

export interface Sent {
  readonly json?: unknown;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

export interface Received {
  readonly status: number;
  readonly etag: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any;
}

export async function newRunner(lplate: LPlate, client?: TestClient): Promise<Runner> {
  const { id, secret, token } = client ?? (await lplate.client());

  const runner: Runner = {
    ...{ id, secret, token },
    lplate,

    async send(method, path, { json, body: text, headers = {} } = {}) {
      try {
        const response = await fetch(runner.lplate.url + path, {
          method,
          headers: { Authorization: `Bearer ${runner.token}`, 'Content-Type': 'application/json', ...headers },
          body: json === undefined ? (text ?? null) : JSON.stringify(json),
        });
        const body = JSON.parse(await response.text());
        return { status: response.status, etag: response.headers.get('etag') ?? '', json: body };
      } catch {
        return undefined;
      }
    },

    async insist(method, path, options) {
      for (;;) {
        const answer = await runner.send(method, path, options);
        if (answer && answer.status !== 503) return answer;
      }
    },

    async renew() {
      const { id: client_id, secret: client_secret } = runner;
      const { json } = await runner.insist('POST', '/insurer/v1/auth/token', { json: { client_id, client_secret } });
      runner.token = json.access_token;
    },
  };
  return runner;
}

export async function start({ lplate, token }: TestClient & { lplate: LPlate }, capstone: string, level = 1) {
  const path = `/range/v1/me/capstones/${capstone}/runs?level=${level}`;
  const { status, json, text } = await lplate.call('POST', path, { token });
  equal(status, 201, text);
  return json;
}

export async function report({ lplate, token }: Runner, lesson: string, answer: unknown) {
  const sent = { token, json: { lesson, answer } };
  const { status, json, text } = await lplate.call('POST', '/range/v1/me/answers', sent);
  equal(status, 200, text);
  return json;
}

/** What the list says of one capstone. */
export async function standing({ lplate, token }: Runner, capstone: string) {
  return (await lplate.call('GET', `/range/v1/me/capstones/${capstone}`, { token })).json;
}

/** Lets a second pass, with what is due in it. */
export async function second(lplate: LPlate): Promise<void> {
  lplate.clock.advance(1000);
  // The clock of the client is moved behind the desk.
  await lplate.catchUp();
  await lplate.catchUp();
}

/** How often each kind of fault is in a run. */
export function kinds({ faults }: { faults: { kind: string }[] }): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const topic = '/claims/v1/topics/claims.status-changed';

/** How a consumer goes wrong. */
export interface Carelessness {
  /** Processes each event that comes. */
  readonly keepsDuplicates?: true;
  /** After a failure it goes on with what comes then. */
  readonly forgetsItsPlace?: true;
  /** Stops when its token has expired. */
  readonly keepsItsToken?: true;
  /** Processes each batch from its end. */
  readonly backwards?: true;
  /** Stops at an event that has a member more. */
  readonly isStrict?: true;
}

/** Consumes the events of a shift and returns the report. `each` is called before each second. */
export async function consume(
  runner: Runner,
  given: { claims: string[] },
  careless: Carelessness = {},
  each: (at: number) => Promise<void> = async () => {},
): Promise<{ claims: Record<string, string>; events: string[] }> {
  const claims: Record<string, string> = Object.fromEntries(given.claims.map((id) => [id, 'REGISTERED']));
  const events: string[] = [];
  const known = new Set<string>();
  let after = 'earliest';
  for (let at = 1; at <= 50; at += 1) {
    await each(at);
    await second(runner.lplate);
    const answer = await runner.send('GET', `${topic}?limit=200&after=${after}`);
    if (answer?.status === 401 && !careless.keepsItsToken) await runner.renew();
    if (answer?.status !== 200) {
      if (careless.forgetsItsPlace) after = 'latest';
      continue;
    }
    after = answer.json.next;
    const batch = careless.backwards ? answer.json.events.toReversed() : answer.json.events;
    for (const { eventId, eventVersion, data } of batch) {
      if (careless.isStrict && eventVersion !== '1.0') break;
      if (known.has(eventId) && !careless.keepsDuplicates) continue;
      known.add(eventId);
      events.push(eventId);
      claims[data.claimId] = data.newStatus;
    }
  }
  return { claims, events };
}

/** Updates the fleet at the month's end and returns the report. `between` is called between each reading and its update. */
export async function updateFleet(
  { insist, send }: Runner,
  { holder, newHolder }: { holder: string; newHolder: string },
  {
    withoutIfMatch = false,
    between = async () => {},
  }: { withoutIfMatch?: boolean; between?: () => Promise<void> } = {},
): Promise<{ updated: string[] }> {
  const policies = '/insurer/v1/policies';
  const { json } = await insist('GET', `${policies}?pageSize=500`);
  const mine = json.items.filter(
    (policy: { holder: string; status: string }) =>
      policy.holder === holder && ['active', 'updated'].includes(policy.status),
  );
  const updated: string[] = [];
  for (const { id } of mine) {
    for (;;) {
      const read = await insist('GET', `${policies}/${id}`);
      if (!withoutIfMatch && read.json.holder === newHolder) updated.push(id);
      if (!withoutIfMatch && read.json.holder !== holder) break;
      await between();
      const headers: Record<string, string> = withoutIfMatch ? {} : { 'If-Match': read.etag };
      const answer = await send('PUT', `${policies}/${id}`, { json: { holder: newHolder }, headers });
      if (withoutIfMatch && answer?.status === 200) {
        updated.push(id);
        break;
      }
    }
  }
  return { updated };
}

/** Creates the policies of the orders and returns the report. */
export async function createAll(
  runner: Runner,
  { orders }: { orders: { holder: string; coverageOption: string }[] },
  { withoutKey = false } = {},
): Promise<{ policies: Record<string, string> }> {
  const policies: Record<string, string> = {};
  for (const order of orders) {
    const plate = newPlate();
    for (let tries = 0; policies[order.holder] === undefined; tries += 1) {
      // Without a key the number must be another one: the first may have been insured. A letter, since dashes don't count.
      const regNumber = `${plate}X${withoutKey ? tries : 0}`;
      const headers: Record<string, string> = withoutKey ? {} : { 'Idempotency-Key': order.holder.replace(' ', '-') };
      const answer = await runner.send('POST', '/insurer/v1/policies', { json: { regNumber, ...order }, headers });
      if (answer && ![201, 409].includes(answer.status)) throw new Error(JSON.stringify(answer));
      if (answer?.status === 201) policies[order.holder] = answer.json.id;
    }
  }
  return { policies };
}

interface Row {
  readonly regNumber: string;
  readonly holder: string;
  readonly coverageOption: string;
}

/** What a run of moving day gives. */
export interface Move {
  readonly rows: readonly Row[];
  readonly codes: Readonly<Record<string, string>>;
  readonly claims: string[];
}

/** How a move goes wrong. */
export interface MoveCarelessness extends Carelessness {
  /** Has no new secret, or gets it and does not use it, or is mistaken in it once. */
  readonly secret?: 'none' | 'unused' | 'mistaken';
  /** Asks SOAP again after 410. */
  readonly insistsOnSoap?: true;
  /** Cancels the policies that are in the way, and imports again. */
  readonly makesRoom?: true;
  /** Leaves out what was refused. */
  readonly leavesRefused?: true;
  /** On level 2: starts the import anew after the crash. */
  readonly importsAnew?: true;
}

const imports = '/insurer/v1/policy-imports';

/** Moves forty policies, second by second, and returns the report. On level 2 a second worker follows the claims. */
export async function moveAll(
  runner: Runner,
  { rows, codes, claims }: Move,
  careless: MoveCarelessness = {},
  follower: Runner = runner,
) {
  const { insist, lplate } = runner;
  const policies: Record<string, string> = {};
  const makes: Record<string, string> = {};
  const refused: string[] = [];
  let [id, sent] = ['', rows];

  async function importRows(those: readonly Row[], key = those[0]?.holder.replace(' ', '-') ?? ''): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': key };
    const body = those.map((row) => JSON.stringify(row)).join('\n');
    ({ id } = (await insist('POST', imports, { body, headers })).json);
    sent = those;
  }

  /** Notes what became of the rows of the last import. Returns those that were refused. */
  async function result(): Promise<Row[]> {
    equal((await insist('GET', `${imports}/${id}`)).json.status, 'completed');
    const failed: Row[] = [];
    for (const { line, policyId } of (await insist('GET', `${imports}/${id}/rows?pageSize=500`)).json.items) {
      const row = sent[line - 1] as Row;
      if (policyId === null) failed.push(row);
      else policies[row.regNumber] = policyId;
    }
    return failed;
  }

  async function renewSecret(): Promise<void> {
    if (careless.secret === 'none') return;
    const { json } = await lplate.call('POST', '/range/v1/me/secret', { token: runner.token });
    if (careless.secret === 'unused') return;
    runner.secret = json.client_secret;
    follower.secret = runner.secret;
    if (careless.secret !== 'mistaken') return;
    const wrong = { client_id: runner.id, client_secret: `${runner.secret}x` };
    equal((await lplate.call('POST', '/insurer/v1/auth/token', { json: wrong })).status, 401);
  }

  /** After the crash. */
  async function beginAgain(): Promise<void> {
    await runner.renew();
    await importRows(rows, careless.importsAnew && 'anew');
  }

  /** All that was refused and can be put right. */
  async function importAgain(): Promise<void> {
    const failed = await result();
    const isOld = ({ coverageOption }: Row) => coverageOption in codes;
    refused.push(...failed.filter((row) => !isOld(row)).map(({ regNumber }) => regNumber));
    if (careless.makesRoom) {
      const { items } = (await insist('GET', `/insurer/v1/policies?regNumber=${refused[0]}`)).json;
      await insist('POST', `/insurer/v1/policies/${items[0].id}/cancel`);
    }
    if (careless.leavesRefused) return;
    await importRows(
      failed.filter(isOld).map((row) => ({ ...row, coverageOption: codes[row.coverageOption] as string })),
    );
  }

  async function lookUpAll(): Promise<void> {
    if (!careless.leavesRefused) await result();
    for (let times = 0; times < (careless.insistsOnSoap ? 2 : 1); times += 1) {
      // Of two calls of one instant none came later.
      lplate.clock.advance(1);
      const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
      const soap = await lplate.call('POST', `/for/${runner.id}/vehicle-registry/v1`, { body: '<none/>', headers });
      equal(soap.status, 410);
    }
    for (const regNumber of Object.keys(policies))
      makes[regNumber] = (await insist('GET', `/vehicle-registry/v2/vehicles/${regNumber}`)).json.make;
  }

  // An import of all rows takes ten seconds.
  const late = careless.importsAnew ? 8 : 0;
  const work: Record<number, () => Promise<void>> = {
    1: () => importRows(rows),
    5: renewSecret,
    ...(follower !== runner && { 10: beginAgain }),
    [14 + late]: importAgain,
    [22 + late]: lookUpAll,
  };
  const { events } = await consume(follower, { claims }, careless, async (at) => work[at]?.());
  return { policies, makes, refused, events };
}

/** What a run of the night job gives. */
interface Nights {
  readonly nights: readonly { readonly fromSecond: number; readonly untilSecond: number }[];
  readonly statement: Readonly<Record<string, string>>;
}

/** How a night job goes wrong. */
export interface NightCarelessness {
  /** Begins where it has ended the last time, and not a minute before. */
  readonly withoutOverlap?: true;
  /** Believes a status until it is told of another one. */
  readonly keepsExpired?: true;
  /** A night that it does not read. */
  readonly skips?: number;
  /** The last night that it reads. */
  readonly stopsAfter?: number;
  /** Takes a file as far as it came for all of it. */
  readonly booksShortFile?: true;
}

/** The file of a statement, over as many calls as it takes; or what comes of it first. */
async function fileOf({ lplate, token }: Runner, path: string, isOneCall = false): Promise<string> {
  let [bytes, whole] = [Buffer.alloc(0), Number.POSITIVE_INFINITY];
  while (bytes.length < whole) {
    const range: Record<string, string> = bytes.length > 0 ? { Range: `bytes=${bytes.length}-` } : {};
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity', ...range };
    const response = await fetch(lplate.url + path, { headers });
    if (response.status === 200) whole = Number(response.headers.get('content-length'));
    try {
      for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes = Buffer.concat([bytes, chunk]);
    } catch {
      if (isOneCall) break;
    }
  }
  return bytes.toString();
}

/** Keeps a copy over three nights, second by second, and returns the report. On level 2 a second worker has the statement. */
export async function keepCopy(
  runner: Runner,
  { nights, statement }: Nights,
  careless: NightCarelessness = {},
  other: Runner = runner,
) {
  const copy = new Map<string, { updatedAt: string; status: string; endDate: string }>();
  let watermark = '2000-01-01T00:00:00.000Z';

  async function read(): Promise<void> {
    const back = careless.withoutOverlap ? 0 : 60_000;
    let from = new Date(Date.parse(watermark) - back).toISOString();
    for (;;) {
      const { status, json } = await runner.insist('GET', `/insurer/v1/policies?updatedSince=${from}&pageSize=500`);
      if (status === 401) await runner.renew();
      if (status !== 200) continue;
      for (const { id, ...policy } of json.items) copy.set(id, policy);
      const last = json.items.at(-1)?.updatedAt ?? watermark;
      if (last > watermark) watermark = last;
      if (json.items.length < 500) return;
      from = last;
    }
  }

  const statements = '/insurer/v1/statements';
  const { id } = (await other.insist('POST', statements, { json: statement })).json;
  const premiums: Record<string, string> = {};
  const last = nights.at(-1)?.untilSecond ?? 0;
  for (let at = 1; at <= last + 1; at += 1) {
    await second(runner.lplate);
    if (at === 6) {
      const file = await fileOf(other, `${statements}/${id}/content`, careless.booksShortFile);
      for (const line of file.split('\r\n').slice(1)) {
        const [, , coverage = '', , , premium] = line.split(';');
        if (premium === undefined) continue;
        const cents = Number((premiums[coverage] ?? '0').replace('.', '')) + Number(premium.replace(',', ''));
        premiums[coverage] = (cents / 100).toFixed(2);
      }
    }
    const night = nights.findIndex(({ fromSecond }) => fromSecond + 2 === at) + 1;
    const isRead = night > 0 && night !== careless.skips && night <= (careless.stopsAfter ?? night);
    if (isRead) await read();
  }
  await runner.renew();
  const today = watermark.slice(0, 10);
  const isOver = ({ status, endDate }: { status: string; endDate: string }) =>
    !careless.keepsExpired && endDate < today && ['active', 'updated'].includes(status);
  const rows = [...copy].map(([key, policy]) => [
    key,
    `${policy.updatedAt} ${isOver(policy) ? 'expired' : policy.status}`,
  ]);
  return { policies: Object.fromEntries(rows) as Record<string, string>, statement: { id, premiums } };
}

/** A person of a run of the broker’s app. */
type RunPerson = Omit<TestPerson, 'policies'>;

/** How the broker’s app goes wrong. People by their user names. */
export interface AppCarelessness {
  readonly leavesOut?: string;
  /** Asks everybody this many seconds late. */
  readonly lateBy?: number;
  readonly asksRefuserAgain?: string;
  readonly usesCodeTwice?: string;
  readonly refreshesTwice?: string;
  /** Sends people to the authorization endpoint when a token has expired. */
  readonly neverRefreshes?: true;
  readonly stopsAtExpiry?: true;
  /** Reads no policies before the end. */
  readonly readsLate?: true;
  /** Calls again with a token that was refused, before it looks why. */
  readonly callsOn?: true;
  readonly keepsData?: true;
  readonly asksWhoLeft?: true;
  readonly forgetsRobbed?: true;
}

interface Session {
  access: string;
  refresh: string;
}

/** Serves ten people, second by second, and returns the report. */
export async function serveAll(
  runner: Runner,
  { people }: { people: RunPerson[] },
  careless: AppCarelessness = {},
): Promise<{ policies: Record<string, string[]>; refused: string[] }> {
  const { lplate, token } = runner;
  await lplate.call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: [callback] } });
  const sessions = new Map<RunPerson, Session>();
  const policies: Record<string, string[]> = {};
  const refused: string[] = [];
  const used = new Set<RunPerson>();

  async function ask(person: RunPerson): Promise<void> {
    const { verifier, challenge } = newChallenge();
    const query = authorizationQuery(runner.id, { code_challenge: challenge, scope: 'policies:read' });
    const back = await letIn(lplate, query, person);
    const code = back.get('code');
    if (code === null) {
      equal(back.get('error'), 'access_denied');
      refused.push(person.userName);
      return;
    }
    const { json } = await exchange(lplate, runner, code, verifier);
    sessions.set(person, { access: json.access_token, refresh: json.refresh_token });
    if (careless.usesCodeTwice !== person.userName || used.has(person)) return;
    used.add(person);
    await exchange(lplate, runner, code, verifier);
  }

  async function read(person: RunPerson, session: Session): Promise<void> {
    const answer = await lplate.call('GET', '/policies', { token: session.access });
    if (answer.status === 200) {
      policies[person.userName] = answer.json.items.map(({ id }: { id: string }) => id);
      return;
    }
    if (careless.stopsAtExpiry) return;
    if (careless.neverRefreshes) {
      await ask(person);
      return read(person, sessions.get(person) as Session);
    }
    if (careless.callsOn) {
      // Of two calls of one instant none came later.
      lplate.clock.advance(1);
      await lplate.call('GET', '/policies', { token: session.access });
    }
    const { status, json } = await refresh(lplate, runner, session.refresh);
    if (status === 200) {
      if (careless.refreshesTwice === person.userName) await refresh(lplate, runner, session.refresh);
      Object.assign(session, { access: json.access_token, refresh: json.refresh_token });
      return careless.refreshesTwice === person.userName ? undefined : read(person, session);
    }
    sessions.delete(person);
    const hasLeft = json.detail.startsWith('The person has changed their mind');
    if (hasLeft && !careless.keepsData) delete policies[person.userName];
    if (hasLeft ? !careless.asksWhoLeft : careless.forgetsRobbed) return;
    await ask(person);
    const anew = sessions.get(person);
    if (anew && !hasLeft) await read(person, anew);
  }

  const late = careless.lateBy ?? 0;
  // Before anything happens, after one has left, and after the tokens have expired.
  const reading = careless.readsLate ? [32] : [2, 22, 32];
  for (let at = 1; at <= 35; at += 1) {
    await second(lplate);
    if (at === 1 + late) {
      for (const person of people) if (person.userName !== careless.leavesOut) await ask(person);
      for (const person of people) if (person.userName === careless.asksRefuserAgain) await ask(person);
    }
    if (at > late && reading.includes(at)) for (const [person, session] of [...sessions]) await read(person, session);
  }
  await runner.renew();
  return { policies, refused: [...new Set(refused)] };
}
