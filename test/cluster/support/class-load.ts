import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { extent } from '../../support/extent.ts';
import { type TestClient, testSecrets } from '../../support/lplate.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import type { Nodes } from './nodes.ts';

/*
 * A class at work: learners and trainers who call the nodes one call after the other, with a pause in between, and what is
 * measured of it. Answers are not checked against the descriptions here, so that this process has time to spare and a wait
 * is the server's.
 */

/** What a trainer does for all learners at once. */
export type Act = 'move all clocks' | 'codes for all' | 'look' | 'reset all';

export interface Trainers {
  /** What each of them does, again and again. */
  readonly acts: readonly (readonly Act[])[];
  readonly pauseMs: number;
}

export interface Call {
  readonly by: 'learner' | 'trainer';
  readonly what: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

/** Calls of all learners together in a second, if no answer took any time: so few that the machine has time to spare. */
const callsPerSecond = extent(60, 120);

/** A learner's way. Each begins it at another place, so that at any time all of it is done by somebody. */
const way = [
  ...[
    'create',
    'create',
    'claim',
    'create',
    'create',
    'create',
    'list',
    'create',
    'create',
    'create',
    'import',
    'create',
  ],
  ...['create', 'move', 'create', 'create', 'log', 'create', 'create', 'create', 'fleet', 'create', 'create', 'create'],
  ...[
    'read',
    'create',
    'create',
    'create',
    'capstone',
    'create',
    'create',
    'claim',
    'create',
    'create',
    'create',
    'reset',
  ],
] as const;

const capstones = ['bad-line', 'month-end', 'night-shift', 'moving-day'] as const;

const linesOfImport = 20;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly json: any;
}

interface Send {
  readonly token?: string;
  readonly json?: object;
  readonly lines?: readonly object[];
}

export class ClassAtWork {
  readonly #nodes: Nodes;
  readonly #postgres: PostgresServer;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #learners: Learner[] = [];
  #calls: Call[] = [];
  #until = 0;

  private constructor(nodes: Nodes, postgres: PostgresServer) {
    this.#nodes = nodes;
    this.#postgres = postgres;
  }

  /** Has so many learners join. */
  static async begin(nodes: Nodes, postgres: PostgresServer, learners: number): Promise<ClassAtWork> {
    const work = new ClassAtWork(nodes, postgres);
    const lanes = Array.from({ length: 10 }, async () => {
      while (work.#learners.length < learners) await work.#join();
    });
    await Promise.all(lanes);
    return work;
  }

  /** Has all learners work for so many seconds, and trainers too, if there are any. */
  async work(seconds: number, trainers?: Trainers): Promise<Measured> {
    const logged = (await this.#postgres.log()).length;
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    this.#calls = [];
    this.#until = performance.now() + seconds * 1000;
    const all = this.#learners.map((learner) => this.#learn(learner));
    for (const [trainer, acts] of trainers?.acts.entries() ?? [])
      all.push(this.#train(trainer, acts, trainers?.pauseMs ?? 0));
    await Promise.all(all);
    stalls.disable();
    const log = (await this.#postgres.log()).slice(logged);
    return new Measured(this.#calls, seconds, stalls.max / 1e6, log);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #join(): Promise<void> {
    const number = this.#learners.length;
    const learner = { number, node: number % this.#nodes.count, step: number, plates: 0 } as Learner;
    this.#learners.push(learner);
    const { json } = await this.#send(learner.node, 'POST', '/insurer/v1/demo-clients');
    Object.assign(learner, { id: json.client_id, secret: json.client_secret });
    await this.#renewToken(learner);
  }

  async #learn(learner: Learner): Promise<void> {
    const rest = (1000 * this.#learners.length) / callsPerSecond;
    // Not all at once.
    await pause((rest * learner.number) / this.#learners.length);
    while (performance.now() < this.#until) {
      const step = way[learner.step++ % way.length] as (typeof way)[number];
      await this.#step(learner, step);
      await this.#rest(rest * (0.5 + Math.random()));
    }
  }

  async #step(learner: Learner, step: (typeof way)[number]): Promise<void> {
    const regNumber = () => `L${learner.number}X${learner.plates++}`;
    const me = '/range/v1/me';
    const { policy } = learner;
    if (step === 'create') {
      const { status, json } = await this.#call(learner, step, 'POST', '/insurer/v1/policies', {
        json: { regNumber: regNumber() },
      });
      if (status === 201) learner.policy = json.id;
    } else if (step === 'import') {
      const lines = Array.from({ length: linesOfImport }, () => ({ regNumber: regNumber() }));
      await this.#call(learner, step, 'POST', '/insurer/v1/policy-imports', { lines });
    } else if (step === 'list') {
      await this.#call(learner, step, 'GET', '/insurer/v1/policies');
    } else if (step === 'log') {
      await this.#call(learner, step, 'GET', `${me}/exchanges`);
    } else if (step === 'move') {
      await this.#call(learner, step, 'POST', `${me}/clock`, { json: { advance: 'PT1M' } });
    } else if (step === 'fleet') {
      await this.#call(learner, step, 'POST', `${me}/fleet`);
    } else if (step === 'reset') {
      await this.#call(learner, step, 'POST', `${me}/reset`);
      learner.policy = undefined;
    } else if (step === 'capstone') {
      const runs = `${me}/capstones/${capstones[learner.number % capstones.length]}/runs`;
      const { status, json } = await this.#call(learner, step, 'POST', runs);
      // Before its drills hit the learner's next calls.
      if (status === 201) await this.#call(learner, 'end capstone', 'DELETE', `${runs}/${json.number}`);
    } else if (step === 'read' && policy) {
      await this.#call(learner, step, 'GET', `/insurer/v1/policies/${policy}`);
    } else if (step === 'claim' && policy) {
      await this.#call(learner, step, 'POST', '/claims/v1/claims', {
        json: { policyNumber: policy, paceSeconds: 1 },
      });
    }
  }

  async #train(trainer: number, acts: readonly Act[], pauseMs: number): Promise<void> {
    await pause(500 + trainer * 200);
    for (let turn = trainer; performance.now() < this.#until; turn += 1) {
      await this.#act(turn % this.#nodes.count, acts[turn % acts.length] as Act);
      await this.#rest(pauseMs);
    }
  }

  /** For so many milliseconds, or until the work is over. */
  async #rest(ms: number): Promise<void> {
    await pause(Math.max(0, Math.min(ms, this.#until - performance.now())));
  }

  async #act(node: number, act: Act): Promise<void> {
    const [method, path, json] = {
      'move all clocks': ['POST', 'clock', { advance: 'PT1M' }] as const,
      'codes for all': ['POST', 'transfers'] as const,
      look: ['GET', 'learners?pageSize=500'] as const,
      'reset all': ['POST', 'reset'] as const,
    }[act];
    const token = testSecrets.trainerToken;
    await this.#measured('trainer', act, () =>
      this.#send(node, method, `/range/v1/trainer/${path}`, { token, ...(json && { json }) }),
    );
  }

  /** A call of a learner, who gets a new token when the clock has brought the old one to its end. */
  async #call(learner: Learner, what: string, method: string, path: string, send: Send = {}): Promise<Answer> {
    const call = () =>
      this.#measured('learner', what, () => this.#send(learner.node, method, path, { ...send, token: learner.token }));
    const answer = await call();
    if (answer.status !== 401) return answer;
    await this.#measured('learner', 'token', () => this.#renewToken(learner));
    return call();
  }

  async #renewToken(learner: Learner): Promise<Answer> {
    const json = { client_id: learner.id, client_secret: learner.secret };
    const answer = await this.#send(learner.node, 'POST', '/insurer/v1/auth/token', { json });
    if (answer.status === 200) learner.token = answer.json.access_token;
    return answer;
  }

  async #measured(by: Call['by'], what: string, call: () => Promise<Answer>): Promise<Answer> {
    const began = performance.now();
    const answer = await call().catch((error: Error) => ({ status: 0, json: error.message }));
    this.#calls.push({ by, what, status: answer.status, ms: performance.now() - began });
    return answer;
  }

  #send(node: number, method: string, path: string, { token, json, lines }: Send = {}): Promise<Answer> {
    const body = lines?.map((line) => JSON.stringify(line)).join('\n') ?? (json && JSON.stringify(json));
    const headers = {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': lines ? 'application/x-ndjson' : 'application/json' }),
      ...(body && { 'Content-Length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#nodes.program(node).url}${path}`, { method, headers, agent: this.#agent });
      sent.on('error', reject);
      sent.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('error', reject);
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          // What this learner goes on with is in short answers.
          const isShort = text.length < 10_000 && response.headers['content-type']?.includes('json');
          resolve({ status: response.statusCode ?? 0, json: isShort ? JSON.parse(text) : undefined });
        });
      });
      sent.end(body);
    });
  }
}

interface Learner extends TestClient {
  readonly number: number;
  /** Its node: as a load balancer has it that keeps a learner with one. Drills are known there first. */
  readonly node: number;
  step: number;
  plates: number;
  /** Its last policy. */
  policy: string | undefined;
}

/** What came of some seconds. */
export class Measured {
  readonly calls: readonly Call[];
  /** Milliseconds for which this process itself, and so most likely the machine, stood still at the most. */
  readonly stall: number;
  readonly policiesPerSecond: number;
  /** The lines of PostgreSQL's log about deadlocks, and about locks that somebody waited longer than a second for. */
  readonly deadlocks: readonly string[];
  readonly lockWaits: readonly string[];

  constructor(calls: readonly Call[], seconds: number, stall: number, log: string) {
    this.calls = calls;
    this.stall = stall;
    const created = calls.filter(({ what, status }) => what === 'create' && status === 201);
    this.policiesPerSecond = created.length / seconds;
    this.deadlocks = log
      .split(/^(?=.*ERROR: {2}deadlock detected)/m)
      .slice(1)
      .map((lines) => lines.slice(0, 2000));
    this.lockWaits = log.split('\n').filter((line) => line.includes('still waiting for'));
  }

  /** Milliseconds that this share of the learners' calls took at the most. */
  within(share: number): number {
    const times = this.calls.filter(({ by }) => by === 'learner').map(({ ms }) => ms);
    return times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0;
  }

  /** For the one who reads how it went. */
  toString(): string {
    const longest = this.calls.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
    const moves = this.calls.filter(({ what }) => what === 'move all clocks').map(({ ms }) => Math.round(ms));
    return [
      `${this.calls.length} calls`,
      `${this.policiesPerSecond.toFixed(1)} policies a second`,
      `${this.deadlocks.length} deadlocks`,
      `${this.lockWaits.length} waits for a lock of over a second`,
      `${this.calls.filter(({ ms }) => ms > 1000).length} calls over a second`,
      `half within ${Math.round(this.within(0.5))} ms, 99 % within ${Math.round(this.within(0.99))} ms`,
      `longest ${longest.map(({ what, ms }) => `${what} ${Math.round(ms)} ms`).join(', ')}`,
      ...(moves.length > 0 ? [`moves of all took ${moves.join(', ')} ms`] : []),
      `answers ${JSON.stringify(statuses(this.calls))}`,
      `the test itself stood still for ${Math.round(this.stall)} ms`,
    ].join('; ');
  }
}

/** How often each status was answered. */
export function statuses(calls: readonly Call[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of calls) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
