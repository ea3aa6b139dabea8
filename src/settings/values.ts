import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { savedText } from '../text/encoding.ts';
import { jsonFaults } from '../text/json-faults.ts';

/* What settings take: each turns a text into a value, or throws with what is accepted instead. */

/** On one line, with any content. */
const quoted = (text: string) => JSON.stringify(text);

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new Error(`${quoted(text)} is not valid; use a whole number ${range}`);
  };
}

export function wholeNumberOrOff(least: number, most?: number): (text: string) => number | 'off' {
  return (text) => {
    if (text === 'off') return text;
    try {
      return wholeNumber(least, most)(text);
    } catch (error) {
      throw new Error(`${(error as Error).message}, or off`);
    }
  };
}

const firstInstant = Date.UTC(2000, 0, 1);
const lastInstant = Date.UTC(2100, 0, 1) - 1;

/** Milliseconds since 1970. Clocks are moved ahead by years, and a year stays one of four digits. */
export function instantText(text: string): number {
  try {
    const { epochMilliseconds } = Temporal.Instant.from(text);
    if (epochMilliseconds >= firstInstant && epochMilliseconds <= lastInstant) return epochMilliseconds;
  } catch {
    // It is none.
  }
  throw new Error(`${quoted(text)} is not valid; use an instant from 2000 to 2099, such as 2026-03-01T09:00Z`);
}

export function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value) return value;
    throw new Error(`${quoted(text)} is not valid; use one of ${values.join(', ')}`);
  };
}

// An empty address would mean every network there is, an empty path the directory one happens to be in.
export function listenAddress(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new Error(`${quoted(text)} is not valid; use an address such as 127.0.0.1, or 0.0.0.0 for every network`);
}

export function path(text: string): string {
  if (text !== '' && !text.includes('\0')) return text;
  throw new Error(`${quoted(text)} is not valid; use the path of a directory`);
}

/** The text of a file of certificates. */
export function authorities(text: string): string {
  const wanted = 'a file of certificates in PEM';
  const pem = contentOf(text, wanted);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new Error(`${quoted(text)} is not valid; use ${wanted}`);
}

/** The path of a file in PEM that has such a part. It is read again later, so the path is the value. */
export function pemFile(part: 'CERTIFICATE' | 'PRIVATE KEY'): (text: string) => string {
  return (text) => {
    const wanted = `a file with a ${part.toLowerCase()} in PEM`;
    if (contentOf(text, wanted).includes(`${part}-----`)) return text;
    throw new Error(`${quoted(text)} is not valid; use ${wanted}`);
  };
}

/** The content of a file of JSON. */
export function jsonFile(text: string): object {
  const value = parsed(text, contentOf(text, 'a file of JSON'));
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw new Error(`${quoted(text)} is not valid; it must contain a JSON object`);
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${quoted(path)} is not JSON: ${jsonFaults(text).join('; ')}`);
  }
}

/** The text of a file, as an editor or a shell saved it. */
function contentOf(path: string, wanted: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    // What a relative path leads to depends on where the program was started.
    throw new Error(`${unread(error as NodeJS.ErrnoException, quoted(resolve(path)))}; use ${wanted}`);
  }
  const text = savedText(bytes);
  if (text === undefined) throw new Error(`${quoted(path)} is in another encoding than UTF-8; save it in UTF-8`);
  return text;
}

function unread({ code, message }: NodeJS.ErrnoException, path: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${path}`;
  if (code === 'EISDIR') return `${path} is a directory`;
  return `${path} can't be read: ${code === 'EACCES' ? 'permission denied' : message}`;
}

function origin(text: string): string {
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (plain) return url.origin;
  throw new Error(
    `${quoted(text)} is not valid; use an origin such as https://insurer.example:8443, without a path, or auto`,
  );
}

/** Of a page, such as that of a school. */
export function pageUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href;
  throw new Error(`${quoted(text)} is not valid; use the URL of a page, such as https://school.example/api`);
}

/** Up to 100 characters. */
export function shownText(text: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(text) && text.trim() === text) return text;
  throw new Error(`${quoted(text)} is not valid; use 1 to 100 characters, without a space at the ends`);
}

/** Empty for `auto`. */
export function originOrAuto(text: string): string {
  return text === 'auto' ? '' : origin(text);
}

export function postgresUrl(text: string): string {
  if (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  const wanted = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded';
  throw new Error(`not a PostgreSQL URL; use ${wanted}; or leave :PASSWORD out and set DATABASE_PASSWORD`);
}

export function share(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1) return value;
  throw new Error(`${quoted(text)} is not valid; use a number from 0 to 1, such as 0.1`);
}

/** The addresses and ranges of a list, or undefined when one of them is none. */
function ranges(text: string): string[] | undefined {
  const list = text.split(',').map((range) => range.trim());
  return list.every(isRange) ? list : undefined;
}

// The library would take shortened and octal addresses as well, and IPv4 written as IPv6, which no check meets.
function isRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (isIP(address) === 0 || /%|^::ffff:/i.test(address)) return false;
  return bits === undefined || (isIPv4(address) ? ipaddr.IPv4 : ipaddr.IPv6).isValidCIDR(text);
}

export function addressRanges(text: string): string[] {
  const list = ranges(text);
  if (list) return list;
  throw new Error(`${quoted(text)} is not valid; use addresses such as 10.0.0.0/8,192.168.1.1`);
}

export function redisAddress(text: string): string {
  if (/^rediss?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error('not a Redis URL; use redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss:// for TLS');
}

export function brokers(text: string): string[] {
  const list = text.split(',').map((broker) => broker.trim());
  if (list.every((broker) => /^([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/.test(broker))) return list;
  throw new Error(`${quoted(text)} is not valid; use brokers such as kafka-1:9092,kafka-2:9092`);
}

/** Whether a broker is given by address and not by name. */
export function isAddress(broker: string): boolean {
  return isIP(broker.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) !== 0;
}

export function userName(text: string): string {
  if (text !== '' && !/[\0\r\n]/.test(text)) return text;
  throw new Error(`${quoted(text)} is not valid; use a name`);
}

/** Unlike a secret of ours, one that others have chosen. */
export function password(text: string): string {
  if (text !== '' && !/[\0\r\n]/.test(text)) return text;
  throw new Error('not valid; use a password on one line');
}

export function proxies(text: string): false | number | string[] {
  if (/^\d+$/.test(text)) return wholeNumber(0, 99)(text) || false;
  const list = ranges(text);
  if (list) return list;
  throw new Error(`${quoted(text)} is not valid; use a number of proxies, or addresses such as 10.0.0.0/8,192.168.1.1`);
}

/** A secret of at least so many characters. */
export function secretText(least: number): (text: string) => string {
  return (text) => {
    if (/^[\x21-\x7e]{1,200}$/.test(text) && text.length >= least) return text;
    throw new Error(`not valid; use ${least} to 200 visible ASCII characters without spaces`);
  };
}
