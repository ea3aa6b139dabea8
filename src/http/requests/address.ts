import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key under which the calls from an IP address are counted: an IPv4 address whole, an IPv6 address by its first
 * 64 bits, since one household or host has at least that many to itself. IPv4 written as IPv6 (`::ffff:192.0.2.1`)
 * counts as IPv4. What is no address counts as `unknown`, so a key is never longer than an address, whoever sent it.
 *
 * Specification: Limits, general rate.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (address !== latest.address) latest = { address, key: keyOf(address) };
  return latest.key;
}

/** Those of this machine are told as `127.0.0.1`: `localhost` means two of them, and one caller may come from each. */
export function oneLoopback(address: string): string {
  return address === '::1' || (address.startsWith('127.') && isIPv4(address)) ? '127.0.0.1' : address;
}

// A caller seldom comes alone: a connection brings several requests, a classroom many.
let latest = { address: '', key: 'unknown' };

function keyOf(address: string): string {
  // The form a server that listens on both families sees most; the parser would take five times as long for it.
  const v4 = oneLoopback(address.startsWith('::ffff:') ? address.slice(7) : address);
  // Rebuilt rather than returned: a piece cut out of a long header would keep the whole header in memory.
  if (isIPv4(v4)) return ipaddr.IPv4.parse(v4).toString();

  const zone = address.indexOf('%');
  const bare = zone === -1 ? address : address.slice(0, zone);
  if (!isIPv6(bare)) return 'unknown';
  const parsed = ipaddr.IPv6.parse(bare);
  if (parsed.isIPv4MappedAddress()) return oneLoopback(parsed.toIPv4Address().toString());
  if (parsed.range() === 'loopback') return oneLoopback('::1');
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`;
}

/**
 * Makes plain addresses of those in `X-Forwarded-For`, to which some proxies add a port: `203.0.113.7:51234`,
 * `[2001:db8::1]:443`, `[2001:db8::1]`. So that a caller counts as one, and a proxy is known by its address, whatever
 * port it had. An IPv6 address that could have a port or not, such as `2001:db8::1:443`, has none.
 */
export function dropPorts(headers: IncomingHttpHeaders): void {
  const list = headers['x-forwarded-for'];
  if (typeof list === 'string') headers['x-forwarded-for'] = list.split(',').map(withoutPort).join(', ');
}

function withoutPort(entry: string): string {
  const text = entry.trim();
  if (isIP(text) !== 0) return text;
  const address = /^\[(.*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/:\d{1,5}$/, '');
  // What is no address may be anything, and is counted and logged in the place of one.
  return isIP(address) === 0 ? 'unknown' : address;
}
