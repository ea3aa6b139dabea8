import { join } from 'node:path';
import { create, list } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { insure, type Learner, newLearner } from './learner.ts';
import type { Load } from './load.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { startLPlate } from './servers.ts';

/** The same requests with `PUBLIC_URL=auto` (A), where URLs follow each request, and with an origin that is set (B). */
export async function auto(effort: Effort, told: (what: string) => void): Promise<Record<string, Compared>> {
  const requests: Record<string, (learner: Learner, paths: string[]) => Load> = {
    'read a policy': ({ authorization }, paths) => ({ method: 'GET', paths, headers: authorization }),
    // Its answers have a URL each: in Location, and in Link.
    'create a policy': (learner) => create(learner),
    'list 10 of 20 policies': (learner) => list(learner, 1, 10),
  };
  const compared: Record<string, Compared> = {};
  for (const [what, load] of Object.entries(requests)) {
    told(`${what}, with PUBLIC_URL=auto and with one that is set`);
    const [a, b] = [await open(what, { PUBLIC_URL: 'auto' }), await open(what, {})];
    compared[what] = await compare([a.server, load(a.learner, a.paths)], [b.server, load(b.learner, b.paths)], effort);
    await Promise.all([a.server.stop(), b.server.stop()]);
  }
  return compared;
}

async function open(what: string, settings: Record<string, string>) {
  const name = `${what.replaceAll(' ', '-')}-url-${settings.PUBLIC_URL ?? 'set'}`;
  const server = await startLPlate(join(scratchDirectory(), name), settings);
  const learner = await newLearner(server.url);
  return { server, learner, paths: await insure(server.url, learner, 20) };
}
