import { join } from 'node:path';
import { create } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { insure, type Learner, newLearner } from './learner.ts';
import type { Load } from './load.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { type LPlate, startLPlate } from './servers.ts';

/** Clients of a class that works at the same time. */
const classSize = 30;

interface Room {
  readonly server: LPlate;
  readonly learners: readonly Learner[];
  /** Policies of the first learner. */
  readonly paths: string[];
}

/** The same requests with the range on (A) and with `RANGE=off` (B): what it costs to keep what was called. */
export async function range(effort: Effort, told: (what: string) => void): Promise<Record<string, Compared>> {
  const requests: Record<string, (room: Room) => Load> = {
    'read a policy': ({ learners, paths }) => ({ method: 'GET', paths, headers: first(learners).authorization }),
    'create a policy': ({ learners }) => create(first(learners)),
    [`create, by ${classSize} clients`]: ({ learners }) => ({
      ...create(first(learners)),
      turns: learners.map(({ authorization }) => authorization),
    }),
  };
  const [on, off] = [await open('on'), await open('off')];
  const compared: Record<string, Compared> = {};
  for (const [what, load] of Object.entries(requests)) {
    told(`${what}, with the range and without`);
    compared[what] = await compare([on.server, load(on)], [off.server, load(off)], effort);
  }
  await Promise.all([on.server.stop(), off.server.stop()]);
  return compared;
}

async function open(setting: 'on' | 'off'): Promise<Room> {
  const server = await startLPlate(join(scratchDirectory(), `range-${setting}`), { RANGE: setting });
  const learners: Learner[] = [];
  for (let count = 0; count < classSize; count += 1) learners.push(await newLearner(server.url));
  return { server, learners, paths: await insure(server.url, first(learners), 20) };
}

function first(learners: readonly Learner[]): Learner {
  return learners[0] as Learner;
}
