import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './target.ts';

/*
 * How the names of webhooks become addresses. The servers of the DNS are asked directly: the system's own way would
 * hold one of a few threads for as long as a name server keeps it waiting, so that a subscriber whose name server
 * never answers could delay all others. Names that only this machine or its network know go the system's way (hosts
 * file, multicast DNS): nobody outside can put a slow server behind those.
 */

/** Milliseconds that the first of two tries waits; the second waits twice as long. */
const dnsTimeout = 1500;

/** Milliseconds that the system's own way may take. */
const lookupTimeout = 5000;

/** What the public DNS does not have: no dot, or one of these at the end. */
const localNames = /^[^.]+$|\.(localhost|local|internal|home\.arpa|lan|home|corp|test|example|invalid)$/i;

/** Finds the addresses of a name. `servers` are those of the DNS; default: the system's. */
export function resolveNames(servers?: readonly string[]): Resolve {
  return (text) => {
    const name = text.replace(/\.$/, '');
    return localNames.test(name) ? querySystem(name) : queryDns(name, servers);
  };
}

async function queryDns(name: string, servers: readonly string[] | undefined): Promise<string[]> {
  // Made anew each time, since a laptop's name servers change with its network.
  const dns = new Resolver({ timeout: dnsTimeout, tries: 2 });
  if (servers) dns.setServers(servers);
  const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  // That there is no address counts only when it was said of both kinds.
  throw reasons.find(({ code }) => code !== 'ENOTFOUND' && code !== 'ENODATA') ?? reasons[0];
}

async function querySystem(name: string): Promise<string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the lookup took too long')), lookupTimeout);
  try {
    const found = await Promise.race([lookup(name, { all: true }), late]);
    return found.map(({ address }) => address);
  } finally {
    clearTimeout(timer);
  }
}
