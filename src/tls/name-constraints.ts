import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Hosts } from './machine-names.ts';

/*
 * What a class authority can sign for: names that lead to a machine of the room, in the form of RFC 5280, section
 * 4.2.1.10. Whoever gets its key can pretend to be no other, to nobody who trusts it.
 */

/** Permitted in each: these names with all below them, and the networks that lead nowhere else. */
const local = [
  ...['localhost', 'local'],
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'],
];

/** Its identifier, and that whoever does not understand it must refuse the certificate. */
const criticalExtension = Buffer.from('0603551d1e0101ff', 'hex');

/** The value of the extension: all that is local, and the names and addresses of this machine. */
export function nameConstraints({ names, addresses }: Hosts): Buffer<ArrayBuffer> {
  const own = [...names, ...addresses].filter((host) => !local.some((base) => isWithin(host, base)));
  return der(0x30, der(0xa0, ...[...local, ...own].map(subtree)));
}

/** Whether a certificate has such constraints, critical and with all that is local. */
export function isConstrained(certificate: Buffer): boolean {
  return certificate.includes(criticalExtension) && local.every((base) => certificate.includes(subtree(base)));
}

/** Whether one that has them can sign for a host. */
export function permits(certificate: Buffer, host: string): boolean {
  if (local.some((base) => isWithin(host, base))) return true;
  const labels = isIP(host) ? [] : host.split('.');
  const bases = [host, ...labels.map((_, at) => labels.slice(at).join('.'))];
  return bases.some((base) => certificate.includes(subtree(base)));
}

function isWithin(host: string, base: string): boolean {
  if (!base.includes('/')) return host === base || host.endsWith(`.${base}`);
  if (!isIP(host)) return false;
  const [address, network] = [ipaddr.parse(host), ipaddr.parseCIDR(base)];
  return address.kind() === network[0].kind() && address.match(network);
}

/** A permitted subtree: a name, or a network as its address and mask. */
function subtree(base: string): Buffer<ArrayBuffer> {
  const [text = '', bits] = base.split('/');
  if (!isIP(text)) return der(0x30, der(0x82, Buffer.from(base)));
  const address = ipaddr.parse(text);
  const mask =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.subnetMaskFromPrefixLength(Number(bits ?? 32))
      : ipaddr.IPv6.subnetMaskFromPrefixLength(Number(bits ?? 128));
  return der(0x30, der(0x87, Buffer.from([...address.toByteArray(), ...mask.toByteArray()])));
}

/** A value with its tag and its length. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer<ArrayBuffer> {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), content]);
}
