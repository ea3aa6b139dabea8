import type { Body, Exchange, Header } from '../exchanges/schemas.ts';

/** A place in which two exchanges differ. What one does not have is absent. */
export interface Difference {
  readonly where: string;
  readonly one?: string;
  readonly other?: string;
}

/** Headers that differ in any two answers, and say nothing. */
const incidental = /^(?:date|x-request-id|ratelimit.*)$/i;

/** The most places that are named. */
const most = 200;

/** Where two exchanges differ: method, URL, status, headers by name, bodies that are JSON member by member. */
export function differences(one: Exchange, other: Exchange): Difference[] {
  const [first, second] = [places(one), places(other)];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names]
    .filter((name) => first.get(name) !== second.get(name))
    .slice(0, most)
    .map((where) => ({ where, ...found('one', first.get(where)), ...found('other', second.get(where)) }));
}

const found = (name: 'one' | 'other', value: string | undefined) => (value === undefined ? {} : { [name]: value });

function places({ method, url, status, problem, request, response }: Exchange): Map<string, string> {
  const all = new Map([
    ['method', method],
    ['url', url],
    ['status', String(status)],
    ['problem', problem ?? 'none'],
  ]);
  addMessage(all, 'request', request.headers, request.body);
  addMessage(all, 'response', response.headers, response.body);
  return all;
}

function addMessage(all: Map<string, string>, of: string, headers: readonly Header[], body: Body | undefined): void {
  for (const { name, value } of headers) {
    if (!incidental.test(name)) all.set(`${of} header ${name.toLowerCase()}`, value);
  }
  if (body) addMembers(all, `${of} body `, parsed(body.text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** By JSON Pointer. The text of an exchange is at most 16 KiB, so it is not deep enough to matter. */
function addMembers(all: Map<string, string>, at: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    all.set(at.trimEnd(), typeof value === 'string' ? value : JSON.stringify(value));
    return;
  }
  for (const [name, member] of Object.entries(value)) addMembers(all, `${at}/${name}`, member);
}
