import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scratchDirectory } from './cleanup.ts';
import { insure, insurer, type Learner, newLearner } from './learner.ts';
import { type LPlate, startLPlate } from './servers.ts';

/** Learners of a large class, each of whom calls once a second. */
const classSize = 200;

export interface Class {
  /** Milliseconds of an answer: the middle one, and the one that 99 of 100 were quicker than. */
  readonly p50: number;
  readonly p99: number;
  /** Seconds of processor time for each second. */
  readonly cpu: number;
  /** Milliseconds from a call until it was judged, at the most. Where nearly nothing is judged, of one lesson. */
  readonly judgedWithin: number;
  readonly solved: number;
}

/**
 * The same class with all lessons (A) and with a single one (B), in turn: what it costs to judge. The range keeps the calls
 * in both.
 */
export async function lessons(
  { rounds, seconds }: { rounds: number; seconds: number },
  told: (what: string) => void,
): Promise<{ a: Class; b: Class }> {
  told(`${classSize} learners, with all lessons and with one`);
  const file = join(scratchDirectory(), 'lessons.json');
  await writeFile(file, JSON.stringify({ path: ['coverage-options'] }));
  const [a, b] = [await open('all', {}), await open('one', { LESSONS: file })];
  for (let round = 0; round < rounds; round += 1) for (const room of [a, b]) await work(room, seconds);
  const found = { a: await outcome(a), b: await outcome(b) };
  await Promise.all([a.server.stop(), b.server.stop()]);
  return found;
}

interface Room {
  readonly server: LPlate;
  readonly learners: { readonly learner: Learner; readonly policy: string; calls: number }[];
  /** When all were there, in milliseconds since 1970. */
  readonly openedAt: number;
  readonly took: number[];
  cpu: number;
  seconds: number;
}

async function open(name: string, own: Record<string, string>): Promise<Room> {
  const server = await startLPlate(join(scratchDirectory(), `lessons-${name}`), own);
  const learners: Room['learners'] = [];
  for (let count = 0; count < classSize; count += 1) {
    const learner = await newLearner(server.url);
    const [policy = ''] = await insure(server.url, learner, 1, `L${count}`);
    learners.push({ learner, policy, calls: 0 });
  }
  return { server, learners, openedAt: Date.now(), took: [], cpu: 0, seconds: 0 };
}

/** Each learner calls once a second, spread over the second. */
async function work(room: Room, seconds: number): Promise<void> {
  const before = await room.server.cpu();
  const begun = performance.now();
  await Promise.all(
    room.learners.map(async (each, number) => {
      for (let second = 0; second < seconds; second += 1) {
        await pause(Math.max(0, begun + (second + number / classSize) * 1000 - performance.now()));
        await call(room, each, number);
      }
    }),
  );
  room.cpu += (await room.server.cpu()) - before;
  room.seconds += (performance.now() - begun) / 1000;
}

/** What learners do: what is right, what is refused, and now and then what solves a lesson. */
async function call({ server, took }: Room, each: Room['learners'][0], number: number): Promise<void> {
  const { learner, policy, calls } = each;
  each.calls += 1;
  const { id, authorization } = learner;
  const json = { ...authorization, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ regNumber: `C${number}-${calls}`, holder: 'Ada Example' });
  const kinds: [string, RequestInit][] = [
    [`${insurer}/policies`, { headers: authorization }],
    [policy, { headers: authorization }],
    [`${insurer}/policies`, { method: 'POST', headers: json, body }],
    [`${insurer}/policies`, { method: 'POST', headers: json, body: body.replace(/C\d+-\d+/, `L${number}-1`) }],
    [`/for/${id}${insurer}/coverage-options`, {}],
    [policy, { method: 'PUT', headers: json, body: '{"holder":"Bea Example"}' }],
    [`/for/${id}${insurer}/policies`, {}],
    [`${insurer}/policies/pol-none`, { headers: authorization }],
  ];
  const [path, options] = kinds[calls % kinds.length] as [string, RequestInit];
  const begun = performance.now();
  await (await fetch(server.url + path, options)).arrayBuffer();
  took.push(performance.now() - begun);
}

async function outcome({ server, learners, openedAt, took, cpu, seconds }: Room): Promise<Class> {
  let [judgedWithin, solved] = [0, 0];
  for (const { learner } of learners) {
    const answer = await fetch(`${server.url}/range/v1/me/lessons?pageSize=500`, { headers: learner.authorization });
    const { items } = (await answer.json()) as { items: { solvedAt: string | null; proof: { startedAt: string } }[] };
    for (const { solvedAt, proof } of items) {
      // To open the class was a flood.
      if (!solvedAt || Date.parse(proof.startedAt) < openedAt) continue;
      solved += 1;
      judgedWithin = Math.max(judgedWithin, Date.parse(solvedAt) - Date.parse(proof.startedAt));
    }
  }
  took.sort((x, y) => x - y);
  const at = (share: number) => took[Math.floor(took.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), cpu: cpu / seconds, judgedWithin, solved };
}
