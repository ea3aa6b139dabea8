import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { Config } from '../settings/config.ts';
import { listensToAll } from '../settings/network-origins.ts';
import { networkAddresses } from '../settings/networks.ts';

export interface Hosts {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

/** By what callers may reach this machine. */
export interface MachineNames extends Hosts {
  /** Those among them that callers are told. */
  readonly told: readonly string[];
  /** The name of the machine, without its domain; absent where callers are told another one. */
  readonly machine?: string | undefined;
}

/** Of each network that this machine is in, without those that lead only to itself. */
function outwardAddresses(): { readonly address: string }[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // A link-local address needs the name of the interface, which is another on each machine.
  return all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
}

/** What a certificate of this machine must name. */
export function machineNames(config: Pick<Config, 'host' | 'publicUrl' | 'publicUrlGiven'>): MachineNames {
  const own = hostname().toLowerCase();
  const [label = ''] = own.split('.');
  const publicHost = new URL(config.publicUrl).hostname.replace(/^\[|\]$/g, '');
  const told = usable([
    ...[config.host.replace(/%.*/, ''), publicHost],
    ...(listensToAll(config) ? networkAddresses().map(({ address }) => address) : []),
  ]);
  const found = ['localhost', own, `${label}.local`, '127.0.0.1', '::1'];
  const all = usable([...found, ...outwardAddresses().map(({ address }) => address), ...told]);
  const [names, addresses] = [all.filter((each) => isIP(each) === 0), all.filter((each) => isIP(each) !== 0)];
  return { names, addresses, told, machine: !config.publicUrlGiven && isName(label) ? label : undefined };
}

/** Those that a certificate can have, each once. */
function usable(hosts: readonly string[]): string[] {
  return [...new Set(hosts)].filter((host) => (isIP(host) ? host !== '0.0.0.0' && host !== '::' : isName(host)));
}

function isName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(text);
}
