import { ok } from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { hour } from '../../src/time/units.ts';
import { TestClock } from './clock.ts';
import { files, form, formType, part } from './documents.ts';
import type { Answer, CallOptions, LPlate } from './lplate.ts';
import { startLPlate, testSecrets } from './lplate.ts';
import { authorizationQuery, authorizePath, browse, callback, newChallenge, type Page, ticketIn } from './people.ts';
import { Receiver } from './receiver.ts';

/*
 * Every use case that writes, as something that can be done again and again for the same clients: for tests of what
 * PostgreSQL does when any two of them meet. They go through the public interfaces of two nodes, which share a database,
 * a clock and the processor.
 */

/** Nodes on one PostgreSQL database, and the learners whom all use cases concern. */
export class SharedService {
  readonly nodes: readonly LPlate[];
  readonly clock: TestClock;
  /** Takes deliveries, refuses them, or is gone for good, as the path says. */
  readonly receiver: Receiver;
  /** Answers that nothing explains: each is a failure of the service. */
  readonly broken: string[] = [];
  /** The vehicles that several want are others in each round. */
  round = 0;
  #learners: Learner[] = [];
  #calls = 0;
  #made = 0;

  private constructor(nodes: readonly LPlate[], clock: TestClock, receiver: Receiver) {
    this.nodes = nodes;
    this.clock = clock;
    this.receiver = receiver;
    const answers: Record<string, number> = { '/takes': 204, '/refuses': 500, '/gone': 410 };
    receiver.answer = ({ path }) => answers[path] ?? 404;
  }

  static async start(t: TestContext, url: string): Promise<SharedService> {
    const clock = new TestClock();
    const settings = {
      // One address, so that the tokens of one node are good for all; of this machine, so that receivers on it are called.
      publicUrl: 'http://localhost',
      ...{ webhookCallsPerHost: 1e6, webhookCallsPerClient: 1e6, policiesPerClient: 1e6, claimsPerClient: 1e6 },
      logLevel: 'fatal',
    } as const;
    const where = { name: 'postgres', location: async () => ({ url }) } as const;
    const nodes = [await startLPlate(t, where, settings, clock), await startLPlate(t, where, settings, clock)];
    return new SharedService(nodes, clock, await Receiver.open(t));
  }

  get learners(): readonly Learner[] {
    return this.#learners;
  }

  /** Two learners who are there, whatever became of those before. */
  async assemble(): Promise<void> {
    this.round += 1;
    // The range counts the calls of a minute.
    this.clock.advance(60_000);
    this.#learners = this.#learners.filter(({ gone }) => !gone);
    while (this.#learners.length < 2) this.#learners.push(await this.newLearner());
    await Promise.all(this.#learners.map((learner) => learner.renewToken()));
    if (this.#learners.some(({ gone }) => gone)) await this.assemble();
  }

  async newLearner(): Promise<Learner> {
    const { json } = await this.call('POST', '/demo-clients');
    return new Learner(this, json.client_id, json.client_secret);
  }

  /** A number that nobody else got. */
  next(): number {
    this.#made += 1;
    return this.#made;
  }

  #nextNode(): LPlate {
    return this.nodes[this.#calls++ % this.nodes.length] as LPlate;
  }

  /** A page for a browser, on one node after the other. */
  async open(path: string, fields?: Record<string, string>): Promise<Page> {
    const page = await browse(this.#nextNode(), path, fields);
    if (page.status >= 500) this.broken.push(`${path}: ${page.status} ${page.text}`);
    return page;
  }

  /** On one node after the other. */
  async call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    const node = this.#nextNode();
    const answer = await node.call(method, path, options).catch((error: Error) => {
      // It is not as described.
      return { status: 500, headers: new Headers(), text: error.message, json: undefined };
    });
    const isOfDrill = answer.status === 503 && answer.text.includes('The drill ');
    if (answer.status >= 500 && !isOfDrill) this.broken.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  trainer(method: string, path: string, json?: unknown): Promise<Answer> {
    const options = { token: testSecrets.trainerToken, ...(json !== undefined && { json }) };
    return this.call(method, `/range/v1/trainer${path}`, options);
  }

  /** What is done once a second, on every node: what is due after so much more time. */
  async jobs(milliseconds = 0): Promise<void> {
    this.clock.advance(milliseconds);
    await Promise.all(this.nodes.map((node) => node.catchUp()));
  }
}

/** A client with what it owns, as far as it knows: others reset and remove it. */
export class Learner {
  readonly service: SharedService;
  readonly id: string;
  secret: string;
  gone = false;
  /** When its latest run began, by the clock of the service. */
  capstoneBegan = 0;
  policies: string[] = [];
  /** By the path of the receiver. */
  readonly subscriptions = new Map<string, string>();
  /** Of a consent that holds, as far as it knows. Who uses it takes it away. */
  refreshToken: string | undefined;
  #token = '';

  constructor(service: SharedService, id: string, secret: string) {
    this.service = service;
    this.id = id;
    this.secret = secret;
  }

  async renewToken(): Promise<boolean> {
    const json = { client_id: this.id, client_secret: this.secret };
    const answer = await this.service.call('POST', '/auth/token', { json });
    // Its secret was replaced, or it was removed.
    if (answer.status === 401) this.gone = true;
    else if (done(answer)) this.#token = answer.json.access_token;
    return done(answer);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const send = () => this.service.call(method, path, { ...options, token: this.#token });
    const answer = await send();
    // Somebody has moved its clock, so that the token has expired.
    return answer.status === 401 && (await this.renewToken()) ? send() : answer;
  }

  me(method: string, path: string, json?: unknown): Promise<Answer> {
    return this.call(method, `/range/v1/me${path}`, json === undefined ? {} : { json });
  }

  async insure(regNumber = `OWN-${this.service.next()}`): Promise<boolean> {
    const headers = { 'Idempotency-Key': `key-${this.service.next()}` };
    const answer = await this.call('POST', '/policies', { json: { regNumber }, headers });
    if (done(answer)) this.policies.push(answer.json.id);
    return done(answer);
  }

  /** One in force, a new one unless there is one. */
  async policy(): Promise<string> {
    if (this.policies.length === 0) await this.insure();
    return this.policies.at(-1) ?? 'pol-none';
  }

  /** Does something with a policy, and forgets it if it is not there any more. */
  async withPolicy(act: (policy: string) => Promise<Answer>): Promise<boolean> {
    const policy = await this.policy();
    const answer = await act(policy);
    if (!done(answer)) this.policies = this.policies.filter((each) => each !== policy);
    return done(answer);
  }

  async subscribe(path: string): Promise<string | undefined> {
    const url = new URL(path, this.service.receiver.url).href;
    const via = path === '/relayed' ? 'relay' : 'direct';
    const json = path === 'inbox' ? { via: 'inbox', answers: [503] } : { url, via };
    const answer = await this.call('POST', '/claims/v1/subscriptions', { json });
    if (!done(answer)) return undefined;
    this.subscriptions.set(path, answer.json.id);
    return answer.json.id;
  }

  /** Does something with a subscription, a new one unless there is one, and forgets it if it is not there any more. */
  async withSubscription(path: string, act: (below: string) => Promise<Answer>): Promise<boolean> {
    const id = this.subscriptions.get(path) ?? (await this.subscribe(path));
    const answer = await act(`/claims/v1/subscriptions/${id}`);
    if (answer.status === 404) this.subscriptions.delete(path);
    return done(answer);
  }

  test(path: string): Promise<boolean> {
    return this.withSubscription(path, (below) => this.call('POST', `${below}/test`));
  }

  /** Has a relay, which answers what it is handed, while something is done. */
  async withRelay(act: () => Promise<boolean>): Promise<boolean> {
    const ended = new AbortController();
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${this.#token}` };
    const { signal } = ended;
    const stream = await fetch(`${this.service.nodes[0]?.url}/range/v1/me/relay`, { headers, signal });
    const answer = async () => {
      for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        for (const [, id] of piece.matchAll(/^id: (.+)$/gm)) await this.me('POST', `/relay/${id}`, { status: 204 });
      }
    };
    const answered = answer().catch(() => {});
    try {
      return stream.ok && (await act());
    } finally {
      ended.abort();
      await answered;
    }
  }

  /** Somebody lets its app in: the code, with the verifier; undefined if it did not come to that. */
  async letIn(): Promise<{ code: string; verifier: string } | undefined> {
    const { verifier, challenge } = newChallenge();
    const path = `${authorizePath}?${authorizationQuery(this.id, { code_challenge: challenge })}`;
    const { json } = await this.me('GET', '/people');
    const { userName = '', password = '' } = json?.items?.[0] ?? {};
    const ticket = ticketIn(await this.service.open(path, { userName, password })) ?? '';
    const form = { ticket, decision: 'allow', scope: 'policies:read' };
    const { redirect } = await this.service.open(path, form);
    const code = redirect?.searchParams.get('code');
    return code ? { code, verifier } : undefined;
  }

  /** Asks the endpoints for tokens as this client. */
  ask(path: string, json: object): Promise<Answer> {
    return this.service.call('POST', path, { json: { client_id: this.id, client_secret: this.secret, ...json } });
  }

  exchange({ code, verifier }: { code: string; verifier: string }): Promise<Answer> {
    const grant = { grant_type: 'authorization_code', redirect_uri: callback };
    return this.ask('/auth/token', { ...grant, code, code_verifier: verifier });
  }

  /** A refresh token that nobody else uses, of a new consent unless there is one. */
  async takeRefreshToken(): Promise<string | undefined> {
    const held = this.refreshToken;
    this.refreshToken = undefined;
    const granted = held === undefined ? await this.letIn() : undefined;
    return granted ? (await this.exchange(granted)).json?.refresh_token : held;
  }

  claim(): Promise<boolean> {
    return this.withPolicy((policyNumber) =>
      this.call('POST', '/claims/v1/claims', { json: { policyNumber, paceSeconds: 1 } }),
    );
  }
}

export interface UseCase {
  readonly name: string;
  /** Once for each learner before it is done several times at once. */
  readonly prepare?: (learner: Learner) => Promise<unknown>;
  /** Tells whether it was done; it may be refused for what others do meanwhile. */
  readonly act: (learner: Learner) => Promise<boolean>;
}

const done = ({ status }: Answer) => status < 300;

const ofMe =
  (method: string, path: string, json?: unknown): UseCase['act'] =>
  async (learner) =>
    done(await learner.me(method, path, json));

const ofTrainer =
  (method: string, path: string | ((learner: Learner) => string), json?: unknown): UseCase['act'] =>
  async (learner) =>
    done(await learner.service.trainer(method, typeof path === 'string' ? path : path(learner), json));

const learnerPath = (below: string) => (learner: Learner) => `/learners/${learner.id}${below}`;

const registerCallback = ofMe('PUT', '/redirect-uris', { redirectUris: [callback] });

/** Somebody may let its app in, and has done so. */
async function holdConsent(learner: Learner): Promise<void> {
  await registerCallback(learner);
  learner.refreshToken = await learner.takeRefreshToken();
}

const capstone = '/capstones/night-shift/runs';

/** Starts one unless one is on. */
async function startCapstone(learner: Learner): Promise<void> {
  if (done(await learner.me('POST', capstone))) learner.capstoneBegan = learner.service.clock.now();
}

/** Something is on its way to receivers, and a claim to its end. */
async function busy(learner: Learner): Promise<void> {
  await learner.test('/takes');
  await learner.test('/refuses');
  await learner.claim();
}

export const useCases: readonly UseCase[] = [
  { name: 'create a policy', act: (learner) => learner.insure() },
  {
    name: 'create a policy for a vehicle that others want',
    act: (learner) => learner.insure(`SHARED-${learner.service.round}-${learner.service.next() % 5}`),
  },
  {
    name: 'update a policy',
    prepare: (learner) => learner.policy(),
    act: (learner) =>
      learner.withPolicy((id) => learner.call('PUT', `/policies/${id}`, { json: { holder: `${Math.random()}` } })),
  },
  {
    name: 'cancel a policy',
    prepare: (learner) => learner.insure(),
    async act(learner) {
      const cancelled = await learner.withPolicy((id) => learner.call('POST', `/policies/${id}/cancel`));
      learner.policies.pop();
      return cancelled;
    },
  },
  {
    name: 'import policies for vehicles that others want',
    async act(learner) {
      const plates = Array.from({ length: 6 }, (_, at) => `SHARED-${learner.service.round}-${at}`);
      if (learner === learner.service.learners[0]) plates.reverse();
      const body = plates.map((regNumber) => JSON.stringify({ regNumber })).join('\n');
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const answer = await learner.call('POST', '/policy-imports', { body, headers });
      await learner.service.jobs();
      return done(answer);
    },
  },
  {
    name: 'make a statement',
    async act(learner) {
      const answer = await learner.call('POST', '/statements', { json: { month: '2026-03', format: 'csv' } });
      await learner.service.jobs();
      return done(answer);
    },
  },
  {
    name: 'erase a holder',
    prepare: (learner) => learner.insure(),
    async act(learner) {
      const answer = await learner.call('POST', '/erasures', { json: { holder: 'Ada Example' } });
      await learner.service.jobs(3000);
      return done(answer);
    },
  },
  { name: 'register a claim', prepare: (learner) => learner.policy(), act: (learner) => learner.claim() },
  {
    name: 'add a document to a claim',
    async act(learner) {
      const { json } = await learner.call('GET', '/claims/v1/claims?pageSize=500');
      const claim = json?.items?.at(-1)?.claimId;
      if (!claim) return false;
      const body = new Uint8Array(form(part(files.jpeg)));
      const headers = { 'Content-Type': formType };
      return done(await learner.call('POST', `/claims/v1/claims/${claim}/documents`, { body, headers }));
    },
  },
  {
    name: 'the desk, the fan-out, deliveries and the schedules of capstones',
    prepare: busy,
    async act({ service }) {
      await service.jobs(1000);
      return true;
    },
  },
  {
    name: 'create and delete a subscription',
    async act(learner) {
      const path = `/takes?${learner.service.next()}`;
      const id = await learner.subscribe(path);
      learner.subscriptions.delete(path);
      return id !== undefined && done(await learner.call('DELETE', `/claims/v1/subscriptions/${id}`));
    },
  },
  {
    name: 'put an event into an inbox',
    act: (learner) => learner.test('inbox'),
  },
  { name: 'test a subscription', act: (learner) => learner.test('/takes') },
  { name: 'test a subscription that refuses', act: (learner) => learner.test('/refuses') },
  {
    name: 'deliver by a relay that comes, answers and goes',
    act: (learner) =>
      learner.withRelay(async () => {
        const tested = await learner.test('/relayed');
        await learner.service.jobs();
        return tested;
      }),
  },
  {
    name: 'redeliver',
    prepare: (learner) => learner.test('/takes'),
    act: (learner) =>
      learner.withSubscription('/takes', async (below) => {
        const { json } = await learner.call('GET', `${below}/deliveries?pageSize=1`);
        return learner.call('POST', `${below}/deliveries/${json?.items?.[0]?.number ?? 1}/redeliver`);
      }),
  },
  {
    name: 'enable a subscription',
    prepare: (learner) => learner.test('/gone'),
    async act(learner) {
      const enabled = await learner.withSubscription('/gone', (below) => learner.call('POST', `${below}/enable`));
      await learner.test('/gone');
      return enabled;
    },
  },
  {
    name: 'renew the secret of a subscription',
    act: (learner) => learner.withSubscription('/takes', (below) => learner.call('POST', `${below}/secret`)),
  },
  { name: 'get a token', act: (learner) => learner.renewToken() },
  {
    name: 'get a token under the drill rotate-key',
    prepare: ofMe('POST', '/drills', { name: 'rotate-key', parameters: { publishedFor: 0 } }),
    act: (learner) => learner.renewToken(),
  },
  { name: 'register where people are sent back to', act: registerCallback },
  { name: 'make people', prepare: ofMe('POST', '/reset'), act: ofMe('GET', '/people') },
  {
    name: 'let an app in, which exchanges its code twice at once',
    prepare: registerCallback,
    async act(learner) {
      const granted = await learner.letIn();
      if (!granted) return false;
      const answers = await Promise.all([learner.exchange(granted), learner.exchange(granted)]);
      return answers.some(done);
    },
  },
  {
    name: 'refresh',
    prepare: holdConsent,
    async act(learner) {
      const token = await learner.takeRefreshToken();
      const grant = { grant_type: 'refresh_token', refresh_token: token ?? 'none' };
      const answer = await learner.ask('/auth/token', grant);
      if (done(answer)) learner.refreshToken = answer.json.refresh_token;
      return done(answer);
    },
  },
  {
    name: 'revoke a token',
    prepare: holdConsent,
    async act(learner) {
      const token = await learner.takeRefreshToken();
      return token !== undefined && done(await learner.ask('/auth/revoke', { token }));
    },
  },
  {
    name: 'withdraw a consent',
    prepare: holdConsent,
    async act(learner) {
      const { json } = await learner.me('GET', '/consents?pageSize=1');
      return done(await learner.me('DELETE', `/consents/${json?.items?.[0]?.consentId ?? 'none'}`));
    },
  },
  {
    name: 'renew the secret of a client',
    async act(learner) {
      const answer = await learner.me('POST', '/secret');
      if (done(answer)) learner.secret = answer.json.client_secret;
      return done(answer);
    },
  },
  { name: 'get a code for another browser', act: ofMe('POST', '/transfer') },
  {
    name: 'use a code for another browser',
    async act(learner) {
      const { json } = await learner.service.trainer('POST', `/learners/${learner.id}/transfer`);
      const answer = await learner.service.call('POST', '/range/v1/transfers', {
        json: { code: json?.code ?? 'none' },
      });
      if (done(answer)) learner.secret = answer.json.client_secret;
      return done(answer);
    },
  },
  { name: 'a code for a learner', act: ofTrainer('POST', learnerPath('/transfer')) },
  { name: 'codes for all', act: ofTrainer('POST', '/transfers') },
  { name: 'move the own clock', prepare: busy, act: ofMe('POST', '/clock', { advance: 'PT1M' }) },
  { name: 'move the clocks of all', prepare: busy, act: ofTrainer('POST', '/clock', { advance: 'PT1M' }) },
  { name: 'reset the own client', prepare: busy, act: ofMe('POST', '/reset') },
  { name: 'reset all', prepare: busy, act: ofTrainer('POST', '/reset') },
  { name: 'reset the fleet', act: ofTrainer('POST', '/fleet/reset') },
  {
    name: 'a client comes and removes itself',
    async act({ service }) {
      const passer = await service.newLearner();
      return done(await passer.me('DELETE', ''));
    },
  },
  { name: 'remove a client', prepare: busy, act: ofTrainer('DELETE', learnerPath('')) },
  { name: 'remove all', prepare: busy, act: ofTrainer('DELETE', '/learners') },
  { name: 'get a fleet to practise with', act: ofMe('POST', '/fleet') },
  { name: 'start a drill', act: ofMe('POST', '/drills', { name: 'duplicate-events' }) },
  {
    name: 'end a drill',
    async act(learner) {
      await learner.me('POST', '/drills', { name: 'duplicate-events' });
      return done(await learner.me('DELETE', '/drills/duplicate-events'));
    },
  },
  {
    name: 'meet the sequence of a drill',
    prepare: ofMe('POST', '/drills', { name: 'bad-json', parameters: { sequence: Array(20).fill('pass') } }),
    act: async (learner) => done(await learner.call('GET', '/insurer/v1/policies')),
  },
  {
    name: 'meet the sequence of a drill for all',
    prepare: ofTrainer('POST', '/drills', { name: 'bad-json', parameters: { sequence: Array(20).fill('pass') } }),
    act: async (learner) => done(await learner.call('GET', '/insurer/v1/policies')),
  },
  { name: 'start a drill for a learner', act: ofTrainer('POST', learnerPath('/drills'), { name: 'duplicate-events' }) },
  { name: 'start a drill for all', act: ofTrainer('POST', '/drills', { name: 'duplicate-events' }) },
  { name: 'take a hint', act: ofMe('POST', '/lessons/credentials/hints') },
  { name: 'open a lesson', act: ofMe('PUT', '/open-lesson', { lessonId: 'wsdl' }) },
  { name: 'close the open lesson', act: ofMe('DELETE', '/open-lesson') },
  { name: 'take lessons again, a month later', act: ofMe('POST', '/month-later') },
  { name: 'begin a lesson again', act: ofMe('DELETE', '/lessons/credentials') },
  {
    name: 'answer a lesson',
    act: async (learner) => done(await learner.me('POST', '/answers', { lesson: 'token-decoded', answer: learner.id })),
  },
  {
    name: 'start and end a capstone',
    async act(learner) {
      const started = await learner.me('POST', capstone);
      return done(started) && done(await learner.me('DELETE', `${capstone}/${started.json.number}`));
    },
  },
  {
    name: 'report a capstone',
    prepare: startCapstone,
    async act(learner) {
      const { clock } = learner.service;
      // It may be over, by the time of others: then once more.
      for (let time = 0; time < 2; time += 1) {
        clock.advance(Math.max(0, learner.capstoneBegan + 51_000 - clock.now()));
        const answer = { lesson: 'night-shift', answer: { claims: {}, events: [] } };
        const reported = done(await learner.me('POST', '/answers', answer));
        await startCapstone(learner);
        if (reported) return true;
      }
      return false;
    },
  },
  {
    name: 'report a stage of an own insurer',
    act: ofMe('PUT', '/examinations/token', { outcome: 'passed', at: '2026-03-02T10:15:30Z', seed: 7 }),
  },
  {
    name: 'change the nickname',
    act: async (learner) => done(await learner.me('PATCH', '', { nickname: `Team ${learner.service.next()}` })),
  },
  { name: 'ask for help', act: ofMe('POST', '/help', { message: 'My signature is always wrong.' }) },
  {
    name: 'a word to a learner',
    act: ofTrainer('PUT', learnerPath('/note'), { text: 'Look at the header Location.' }),
  },
  { name: 'read the own log, which writes what waits', act: ofMe('GET', '/exchanges') },
  { name: 'an announcement', act: ofTrainer('PUT', '/announcement', { text: 'Lunch is at 12:30.' }) },
  {
    name: 'housekeeping',
    // Kept answers are a day old by then, and events a week in their turn.
    async prepare({ service }) {
      service.clock.advance(13 * hour);
    },
    async act({ service }) {
      await Promise.all(service.nodes.map((node) => node.housekeeping()));
      return true;
    },
  },
];

ok(new Set(useCases.map(({ name }) => name)).size === useCases.length, 'names are unique');
