import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './target.ts';

/*
 * How the host names of webhooks become addresses. DNS servers are queried directly: the system's lookup would block one
 * of a few threads while it waits for a name server, so that a name server that never responds could delay all others.
 * Names that only this machine or its network know use the system's lookup (hosts file, multicast DNS): nobody outside
 * can put a slow server behind those.
 */

/** Milliseconds until the first of two queries times out; the second has twice as long. */
const dnsTimeout = 1500;

/** Milliseconds that the system's lookup may take. */
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
  // Created each time, since a laptop's name servers change with its network.
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
