import { join } from 'node:path';
import { create } from './cases.ts';
import { scratchDirectory } from './cleanup.ts';
import { insure, type Learner, newLearner } from './learner.ts';
import type { Load } from './load.ts';
import { type Compared, compare, type Effort } from './pairs.ts';
import { startLPlate } from './servers.ts';

/** The same requests by HTTPS (A) and by HTTP (B), both HTTP/1.1 on connections that stay open. */
export async function https(effort: Effort, told: (what: string) => void): Promise<Record<string, Compared>> {
  const requests: Record<string, (learner: Learner, paths: string[]) => Load> = {
    'read a policy': ({ authorization }, paths) => ({ method: 'GET', paths, headers: authorization }),
    'create a policy': (learner) => create(learner),
  };
  const compared: Record<string, Compared> = {};
  for (const [what, load] of Object.entries(requests)) {
    told(`${what}, by HTTPS and by HTTP`);
    const [a, b] = [await open(what, 'self'), await open(what, 'off')];
    compared[what] = await compare([a.server, load(a.learner, a.paths)], [b.server, load(b.learner, b.paths)], effort);
    await Promise.all([a.server.stop(), b.server.stop()]);
  }
  return compared;
}

async function open(what: string, tls: 'self' | 'off') {
  const directory = join(scratchDirectory(), `${what.replaceAll(' ', '-')}-tls-${tls}`);
  // By HTTP, since fetch would want to verify.
  const before = await startLPlate(directory);
  const learner = await newLearner(before.url);
  const paths = await insure(before.url, learner, 20);
  await before.stop();
  return { learner, paths, server: await startLPlate(directory, { TLS: tls }) };
}
