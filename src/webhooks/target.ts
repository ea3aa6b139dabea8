import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../settings/config.ts';
import { networkRanges } from '../settings/networks.ts';

/* Subscribers choose the URL that this service calls. These checks stop calls into its own network. */

/** What may be called besides public addresses. */
export interface TargetRules {
  /** Addresses and CIDR ranges of `WEBHOOK_ALLOW`. One that can't be read allows nothing. */
  readonly allowed: readonly string[];
  /** Whether this machine itself may be called. */
  readonly loopback: boolean;
  /** Whether less is allowed because the request came from a web page of another origin: for the text of a refusal. */
  readonly foreignOrigin?: true;
}

/** An address that was checked; IPv4 written as IPv6 becomes IPv4. */
export interface Target {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Why a target is not called: the end of a sentence, for the one who chose it. */
export interface Refusal {
  readonly refused: string;
}

/** All addresses of a name; rejects when there are none, with the codes of `node:dns`. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const maxUrlLength = 2048;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** All that is not public, the narrower range first. The keys end the sentence "its address is …". */
const blocked = Object.entries({
  "a cloud's metadata address": ['168.63.129.16/32', '169.254.169.254/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  loopback: ['127.0.0.0/8', '::1/128'],
  unspecified: ['0.0.0.0/8', '::/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  "in a carrier's internal network": ['100.64.0.0/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32'],
  'reserved for documentation': ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  'reserved for benchmarks': ['198.18.0.0/15', '2001:2::/48'],
  // IPv4-compatible and -translated, NAT64, Teredo, 6to4: some gateway may turn them into any IPv4 address.
  'IPv4 wrapped in IPv6': ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  // Of IPv4 also relays and sinks that answer everywhere (6to4, AMT, AS112): no server of a subscriber is there.
  reserved: [
    ...['192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24', '240.0.0.0/4'],
    ...['2001::/23', '2620:4f:8000::/48'],
  ],
}).map(([kind, ranges]) => ({ kind, ranges: ranges.map((range) => ipaddr.parseCIDR(range)) }));

/** Outside of it no IPv6 address is public. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Loopback is allowed if only this machine can reach the service: its users could call it themselves. */
export function targetRules(
  config: Pick<Config, 'host' | 'publicUrl' | 'trustProxy' | 'webhookAllow' | 'webhookAllowFollows'>,
): TargetRules {
  const local = isLoopback(config.host) && isLoopback(hostOf(new URL(config.publicUrl)));
  return {
    get allowed() {
      return config.webhookAllowFollows ? networkRanges() : config.webhookAllow;
    },
    loopback: local && config.trustProxy === false,
  };
}

/** The rules for one subscription, which may call public addresses only if another origin created it. */
export function rulesFor(foreign: boolean, rules: TargetRules): TargetRules {
  if (!foreign) return rules;
  const less = rules.loopback || rules.allowed.length > 0;
  return { allowed: [], loopback: false, ...(less && { foreignOrigin: true }) };
}

/** What can be said of a webhook's URL by itself. The URL comes back without a fragment, which is never sent. */
export function checkUrl(text: string): URL | Refusal {
  if (text.length > maxUrlLength) return { refused: `it is longer than ${maxUrlLength} characters` };
  const url = URL.parse(text);
  if (!url) return { refused: 'it is not a URL; send one such as https://partner.example/webhooks' };
  if (!/^https?:$/.test(url.protocol)) return { refused: 'it must begin with http:// or https://' };
  if (url.username || url.password) {
    return {
      refused: 'it contains a user or password; leave them out, and verify the signature of deliveries instead',
    };
  }
  if (url.port === '0') return { refused: 'its port is 0, where nothing can listen' };
  url.hash = '';
  // What is not ASCII has grown by now.
  if (url.href.length > maxUrlLength) return { refused: `it is longer than ${maxUrlLength} characters once encoded` };
  return url;
}

/** Whether an address, as a resolver tells it, may be called. */
export function mayCall(address: string, rules: TargetRules): boolean {
  const read = readAddress(address);
  return read !== undefined && refusalFor(read, rules) === undefined;
}

/**
 * The addresses that a webhook can be sent to. All addresses of a name must be allowed, or a retry could use the blocked
 * one. The refusal never contains an address: it would reveal names of an internal network.
 */
export async function findTarget(url: URL, rules: TargetRules, resolve: Resolve): Promise<Target[] | Refusal> {
  const host = hostOf(url);
  let found: readonly string[];
  try {
    found = isIP(host) ? [host] : await resolve(host);
  } catch (error) {
    return { refused: lookupFault(error) };
  }
  if (found.length === 0) return { refused: lookupFault({ code: 'ENODATA' }) };
  const targets = new Map<string, Target>();
  for (const text of found) {
    const address = readAddress(text);
    if (!address) return { refused: 'its address is not one that can be called' };
    const refused = refusalFor(address, rules);
    if (refused !== undefined) return { refused };
    targets.set(address.toString(), { address: address.toString(), family: address.kind() === 'ipv4' ? 4 : 6 });
  }
  return [...targets.values()];
}

/** Why an address is not called; undefined when it may be. */
function refusalFor(address: Address, rules: TargetRules): string | undefined {
  if (rules.allowed.some((range) => contains(range, address))) return undefined;
  const kind = kindOf(address);
  if (kind === undefined || (kind === 'loopback' && rules.loopback)) return undefined;
  if (rules.foreignOrigin)
    return `its address is ${kind}; a web page of another origin can have the service call public addresses only. Send the request with curl or a program, without an Origin header, or in a browser from the console at an address that the start of the service printed`;
  const local =
    'webhooks can call this machine only if other machines can’t reach the service, or if the setting WEBHOOK_ALLOW lists the address';
  const open = 'webhooks can only call public addresses and those that the setting WEBHOOK_ALLOW lists';
  return `its address is ${kind}; ${kind === 'loopback' ? local : open}`;
}

/** What kind of address it is; undefined when it is a public one. */
function kindOf(address: Address): string | undefined {
  const within = (range: [Address, number]) => range[0].kind() === address.kind() && address.match(range);
  const kind = blocked.find(({ ranges }) => ranges.some(within))?.kind;
  if (kind !== undefined || address.kind() === 'ipv4') return kind;
  if (!address.match(globalUnicast)) return 'reserved';
  // ISATAP: the last half is 0:5efe or 200:5efe and an IPv4 address, whatever comes before.
  const [, , , , fourth = 0, fifth] = (address as ipaddr.IPv6).parts;
  return fifth === 0x5efe && (fourth & 0xfdff) === 0 ? 'IPv4 wrapped in IPv6' : undefined;
}

/**
 * Takes no octal or shortened form and no zone. IPv6 is read by way of URL, which has one spelling for each address:
 * ipaddr.js takes `::192.0.2.1` for `::ffff:192.0.2.1`, which is another one.
 */
function readAddress(text: string): Address | undefined {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  const url = isIPv6(text) ? URL.parse(`http://[${text}]`) : null;
  if (!url) return undefined;
  const address = ipaddr.IPv6.parse(hostOf(url));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Whether an address or CIDR range contains the address. */
function contains(range: string, address: Address): boolean {
  const [text = '', bits] = range.split('/');
  const base = readAddress(text);
  if (base?.kind() !== address.kind()) return false;
  const whole = base.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !/^\d+$/.test(bits)) return false;
  const length = bits === undefined ? whole : Number(bits);
  return length <= whole && address.match(base, length);
}

/** Whether a host is this machine, by its name or an address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = readAddress(host);
  return address !== undefined && kindOf(address) === 'loopback';
}

/** The host without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

export const noAddress = 'its host name has no address; check the spelling';

function lookupFault(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return noAddress;
  return 'its host name could not be looked up; try again later';
}
