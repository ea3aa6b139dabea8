import { join } from 'node:path';
import { create } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { insure, insurer, type Learner, newLearner } from './learner.ts';
import type { Load } from './load.ts';
import type { Measured } from './measure.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { type LPlate, startLPlate } from './servers.ts';

/** Clients of a class that works at the same time. */
const classSize = 30;

const crowdSize = 10_000;

type Setting = 'on' | 'off';

interface Room {
  readonly server: LPlate;
  readonly learners: readonly Learner[];
  /** Policies of the first learner. */
  readonly paths: string[];
}

/**
 * The same requests with the range on (A) and with `RANGE=off` (B): what it costs to keep what was called. Of two equal
 * servers the one that is started and asked first takes more time, so each is the first one once.
 */
export async function range(effort: Effort, told: (what: string) => void): Promise<Record<string, Compared>> {
  const requests: Record<string, (room: Room) => Load> = {
    'read a policy': ({ learners, paths }) => ({ method: 'GET', paths, headers: first(learners).authorization }),
    'create a policy': ({ learners }) => create(first(learners)),
    [`create, by ${classSize} clients`]: ({ learners }) => ({
      ...create(first(learners)),
      turns: learners.map(({ authorization }) => authorization),
    }),
  };
  const compared: Record<string, Compared> = {};
  for (const [what, load] of Object.entries(requests)) {
    told(`${what}, with the range and without`);
    const measured = async (first: Setting, second: Setting) => {
      const [a, b] = [await open(first), await open(second)];
      const found = await compare([a.server, load(a)], [b.server, load(b)], effort);
      await Promise.all([a.server.stop(), b.server.stop()]);
      return found;
    };
    const [one, other] = [await measured('on', 'off'), await measured('off', 'on')];
    compared[what] = {
      a: between(one.a, other.b),
      b: between(one.b, other.a),
      ratio: Math.sqrt(one.ratio / other.ratio),
    };
  }
  return compared;
}

function between(one: Measured, other: Measured): Measured {
  const mean = (name: keyof Measured) => Math.sqrt(one[name] * other[name]);
  return { perSecond: mean('perSecond'), p50: mean('p50'), p99: mean('p99'), cpu: mean('cpu') };
}

export interface Crowded {
  /** Megabytes that the process had more than before, at the most. */
  readonly memory: number;
  /** Milliseconds of the slowest answer, and of the one that 99 of 100 were quicker than. */
  readonly slowest: number;
  readonly p99: number;
}

/** What 10,000 clients that call at the same time cost with the range (A) and with `RANGE=off` (B). */
export async function crowd(calls: number, told: (what: string) => void): Promise<{ a: Crowded; b: Crowded }> {
  told(`${crowdSize} clients, with the range and without`);
  return { a: await crowded('on', calls), b: await crowded('off', calls) };
}

/** Each client makes so many calls, with 16 KiB each, under its personal prefix. */
async function crowded(setting: Setting, calls: number): Promise<Crowded> {
  const own = { RANGE: setting, DEMO_CLIENTS_PER_DAY: '0' };
  const server = await startLPlate(join(scratchDirectory(), `crowd-${setting}`), own);
  const ids: string[] = [];
  await inParallel(crowdSize, async () => {
    const answer = await fetch(`${server.url}${insurer}/demo-clients`, { method: 'POST' });
    ids.push(((await answer.json()) as { client_id: string }).client_id);
  });
  const before = (await server.usage()).memory;
  const body = `{"regNumber":"AB-1234","note":"${'x'.repeat(16_000)}"}`;
  const headers = { 'Content-Type': 'application/json' };
  const took: number[] = [];
  let memory = 0;
  await inParallel(crowdSize * calls, async (number) => {
    const url = `${server.url}/for/${ids[number % crowdSize]}${insurer}/signed/policy-check`;
    const begun = performance.now();
    await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
    took.push(performance.now() - begun);
    if (number % 1000 === 0) memory = Math.max(memory, (await server.usage()).memory - before);
  });
  await server.stop();
  took.sort((x, y) => x - y);
  return { memory, slowest: took.at(-1) ?? 0, p99: took[Math.floor(took.length * 0.99)] ?? 0 };
}

async function inParallel(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

let rooms = 0;

async function open(setting: Setting): Promise<Room> {
  rooms += 1;
  const server = await startLPlate(join(scratchDirectory(), `range-${rooms}`), { RANGE: setting });
  const learners: Learner[] = [];
  for (let count = 0; count < classSize; count += 1) learners.push(await newLearner(server.url));
  return { server, learners, paths: await insure(server.url, first(learners), 20) };
}

function first(learners: readonly Learner[]): Learner {
  return learners[0] as Learner;
}
