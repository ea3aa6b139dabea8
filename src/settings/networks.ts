import { networkInterfaces } from 'node:os';

/** An address of this machine in a network, and the range of that network. */
export interface NetworkAddress {
  readonly address: string;
  /** Such as `192.168.1.0/24`. */
  readonly range: string;
}

/** Networks that only exist on this machine, for containers and virtual machines. */
const virtual = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|utun|tun|tap)/i;

/** The IPv4 addresses by which others reach this machine: those of real networks first. */
export function networkAddresses(interfaces = networkInterfaces()): readonly NetworkAddress[] {
  return Object.entries(interfaces)
    .sort(([one], [other]) => Number(virtual.test(one)) - Number(virtual.test(other)))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address, netmask }) => ({ address, range: rangeOf(address, netmask) }));
}

/** The ranges of these networks, as they are now. */
export const networkRanges = () => [...new Set(networkAddresses().map(({ range }) => range))];

/** Milliseconds between two looks at the networks of a machine that may be carried from one to another. */
export const networksEveryMs = 2000;

function rangeOf(address: string, netmask: string): string {
  const mask = netmask.split('.').map(Number);
  const first = address.split('.').map((part, at) => Number(part) & (mask[at] ?? 0));
  const bits = mask.reduce((sum, part) => sum + part.toString(2).replaceAll('0', '').length, 0);
  return `${first.join('.')}/${bits}`;
}
