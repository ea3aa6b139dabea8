import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../src/settings/config.ts';
import type { Engine } from './engines.ts';
import { type LPlate, startLPlate } from './lplate.ts';

/** A service, and the paths of all its routes with the methods that they take. */
export async function startServed(
  t: TestContext,
  engine: Engine,
  settings: Partial<Config>,
): Promise<{ lplate: LPlate; routes: Map<string, string[]> }> {
  const servers: FastifyInstance[] = [];
  const register = async (server: FastifyInstance) => void servers.push(server);
  const extraSystems = () => [{ name: 'none', problems: {}, addresses: [], documents: [], register }];
  const lplate = await startLPlate(t, engine, settings, undefined, { extraSystems });
  return { lplate, routes: servedBy(servers[0] as FastifyInstance) };
}

function servedBy(server: FastifyInstance): Map<string, string[]> {
  const served = new Map<string, string[]>();
  const above: string[] = [];
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', name = '', methods] = /^([│├└─\s]*)(\S.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    above.length = Math.max(indent.length / 4 - 1, 0);
    above.push(name);
    const path = above.join('');
    if (methods) served.set(path, [...(served.get(path) ?? []), ...methods.split(', ')]);
  }
  return served;
}
