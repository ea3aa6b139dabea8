import { type StageName, stageNames } from '../examination-stages.ts';
import type { Difference } from './difference.ts';
import type { Known } from './known.ts';
import type { Answer, Sent, Side } from './side.ts';

interface Half {
  readonly sent: Sent;
  readonly answer: Answer;
}

/** What is wrong with a header of your side; the end of a sentence. */
type Check = (
  right: string,
  given: string,
  calls: { reference: Half; yours: Half; known: Known },
) => string | undefined;

/** The headers that the interface promises, where the reference has them. All others are free. */
const checks: Readonly<Record<string, Check>> = {
  'WWW-Authenticate': (right, given) => {
    const [of, to] = [right, given].map((challenge) => challenge.split(' ')[0]?.toLowerCase());
    if (of !== to) return `has the scheme ${to}; ${of} is right`;
    for (const name of ['error', 'scope']) {
      const [wanted, found] = [right, given].map((challenge) => parameterOf(challenge, name));
      if (wanted !== undefined && words(wanted) !== words(found ?? ''))
        return `has ${found === undefined ? `no ${name}` : `${name}="${found}"`}; ${name}="${wanted}" is right`;
    }
    return undefined;
  },
  Allow: (right, given) => {
    const [of, to] = [right, given].map((methods) =>
      methods
        .split(',')
        .map((method) => method.trim().toUpperCase())
        .filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
        .sort()
        .join(', '),
    );
    return of === to ? undefined : `is ${given}; ${of} is right`;
  },
  Location: (right, given, { reference, yours, known }) => {
    const [wanted, found] = [translated(right, reference, known.reference, known), placeOf(given, yours, known.yours)];
    return wanted === found ? undefined : `leads to ${found}; ${wanted} is right`;
  },
  Link: (right, given, { reference, yours, known }) => {
    const [wanted, found] = [linksOf(right), linksOf(given)];
    for (const rel of [...wanted.keys(), ...found.keys()]) {
      const [of, to] = [wanted.get(rel), found.get(rel)];
      if (to === undefined) return `has no rel="${rel}", which is there`;
      if (of === undefined) return `has rel="${rel}", which is not there`;
      const [target, place] = [translated(of, reference, known.reference, known), placeOf(to, yours, known.yours)];
      if (target !== place) return `leads with rel="${rel}" to ${place}; ${target} is right`;
    }
    return undefined;
  },
  ETag: (right, given, { reference, known }) => {
    if (!/^(W\/)?"[^"]*"$/.test(given)) return `is ${given}; a tag in double quotes is right`;
    if (given.startsWith('W/')) return `is ${given}, a weak tag, which fits no If-Match`;
    // Tags of two policies may be equal: they are compared within one.
    const of =
      reference.sent.method === 'POST' && reference.answer.status === 201
        ? reference.answer.headers.location
        : undefined;
    const resource = new URL(of ?? reference.sent.url, reference.sent.url).pathname.replace(/\/cancel$/, '');
    return known.idFault(`${resource} ${right}`, `${resource} ${given}`) && changed(given);
  },
  'Retry-After': (right, given) => {
    const most = Math.max(60, 2 * Number(right));
    const fits = /^\d+$/.test(given) && Number(given) <= most;
    return fits ? undefined : `is ${given}; a whole number of seconds, at most ${most}, is right`;
  },
  'Idempotency-Replayed': same,
  'RateLimit-Limit': same,
  'RateLimit-Remaining': same,
  'RateLimit-Reset': (_, given) => (/^\d+$/.test(given) ? undefined : `is ${given}; a number of seconds is right`),
};

function same(right: string, given: string): string | undefined {
  return right === given ? undefined : `is ${given}; ${right} is right`;
}

const changed = (given: string) => `is ${given}: a tag changes with the policy, and only with it`;

const all = new Intl.ListFormat('en-GB');

/** The stages from which on a header is compared, where that is not the first. */
const stageOf: Readonly<Record<string, StageName>> = { Link: 'list-and-pages', ETag: 'preconditions' };

/** Headers that a service need not have at a stage. */
export function headersAfter(stage: string): string[] {
  const names: readonly string[] = stageNames;
  return Object.keys(stageOf).filter((header) => names.indexOf(stageOf[header] as string) > names.indexOf(stage));
}

/** @param later headers that are not compared */
export function headerDifference(
  reference: Half,
  yours: Half,
  known: Known,
  later: readonly string[],
): Difference | undefined {
  // The SOAP service says in its headers what comes after it. That is for whoever ends one to say.
  const isSoap = known.reference.pathOf(reference.sent.url) === '/vehicle-registry/v1';
  const headerOf = ({ answer }: Half, name: string) => {
    const value = answer.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const names = Object.keys(checks).filter((name) => !later.includes(name) && (!isSoap || name === 'Allow'));
  const missing = names.filter(
    (name) => headerOf(reference, name) !== undefined && headerOf(yours, name) === undefined,
  );
  if (missing[0] !== undefined) {
    const says = `The answer of your service has no header ${all.format(missing)}.`;
    return { place: `header:${missing[0]}`, says };
  }
  for (const name of names) {
    const [right, given] = [headerOf(reference, name), headerOf(yours, name)];
    if (given === undefined) continue;
    const place = `header:${name}`;
    if (right === undefined) {
      // That an answer is a repetition is said of a repetition alone.
      if (name !== 'Idempotency-Replayed') continue;
      return { place, says: `The answer of your service has the header ${name}, which is not there.` };
    }
    const says = checks[name]?.(right, given, { reference, yours, known });
    if (says !== undefined) return { place, says: `The header ${name} ${says}.` };
  }
  if (!/(^|\/)auth\/token$/.test(reference.sent.url.pathname) || reference.answer.status !== 200) return undefined;
  if (/no-store/i.test(yours.answer.headers['cache-control'] ?? '')) return undefined;
  const says = 'The answer of your service has no Cache-Control: no-store, so a token may be kept on its way.';
  return { place: 'header:Cache-Control', says };
}

/** The words of a text, where their order does not count. */
export const words = (text: string) => [...new Set(text.split(/\s+/).filter(Boolean))].sort().join(' ');

function parameterOf(challenge: string, name: string): string | undefined {
  const [, quoted, plain] = new RegExp(`[\\s,]${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? [];
  return quoted ?? plain;
}

/** The targets of a `Link`, by their relations. */
function linksOf(header: string): Map<string, string> {
  const links = [...header.matchAll(/<([^<>]*)>([^<]*)/g)];
  return new Map(
    links.flatMap(([, target = '', parameters = '']) =>
      words(parameterOf(` ${parameters.replaceAll(';', ' ')}`, 'rel') ?? '')
        .split(' ')
        .map((rel) => [rel, target] as const),
    ),
  );
}

/** What an address leads to, as the descriptions write it, whichever origin it names. */
function placeOf(address: string, { sent }: Half, side: Side): string {
  if (!URL.canParse(address, sent.url)) return address;
  const url = new URL(address, sent.url);
  url.searchParams.sort();
  return side.pathOf(url) + url.search;
}

/** The same of the reference, with the ids of your side. */
function translated(address: string, half: Half, side: Side, known: Known): string {
  return placeOf(address, half, side)
    .split(/([/?&=])/)
    .map((part) => known.yoursOf(part) ?? part)
    .join('');
}
