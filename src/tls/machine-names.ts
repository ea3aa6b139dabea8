import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { Config } from '../settings/config.ts';

/** By what callers may reach this machine. */
export interface MachineNames {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

/** Of each network that this machine is in, without those that lead only to itself. */
function outwardAddresses(): { readonly address: string }[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // A link-local address needs the name of the interface, which is another on each machine.
  return all.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
}

/** What a certificate of this machine must name. */
export function machineNames({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): MachineNames {
  const own = hostname().toLowerCase();
  const [label = ''] = own.split('.');
  const publicHost = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  const all = [
    ...['localhost', own, `${label}.local`, '127.0.0.1', '::1'],
    ...outwardAddresses().map(({ address }) => address),
    ...[host.replace(/%.*/, ''), publicHost],
  ];
  const wanted = [...new Set(all)].filter((each) => each !== '0.0.0.0' && each !== '::');
  return { names: wanted.filter(isName), addresses: wanted.filter((each) => isIP(each) !== 0) };
}

/** A name that a certificate can have. */
function isName(text: string): boolean {
  return isIP(text) === 0 && text.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(text);
}
