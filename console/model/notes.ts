import type { Exchange, ExchangeSummary, Problem } from '../api/types.ts';
import type { BodyView } from './body-view.ts';

/*
 * What is said of an exchange, remarks and the errors of its problem, each beside what it is about where that can be told.
 */

export interface Note {
  /** `refused`: why the call was refused. `remark`: what is worth knowing. */
  readonly kind: 'refused' | 'remark';
  readonly text: string;
}

type Places = ReadonlyMap<string, readonly Note[]>;

export interface Notes {
  /** Of the whole exchange. */
  readonly all: readonly Note[];
  /** By the name of the parameter, the name of the header in lower case, the place of the line. */
  readonly query: Places;
  readonly requestHeaders: Places;
  readonly answerHeaders: Places;
  readonly body: Places;
}

class Sorted implements Notes {
  readonly all: Note[] = [];
  readonly query = new Map<string, Note[]>();
  readonly requestHeaders = new Map<string, Note[]>();
  readonly answerHeaders = new Map<string, Note[]>();
  readonly body = new Map<string, Note[]>();

  put(where: 'query' | 'requestHeaders' | 'answerHeaders' | 'body', place: string, note: Note): void {
    const map = this[where];
    map.set(place, [...(map.get(place) ?? []), note]);
  }
}

/** `sent`: how the body of the request is shown; its lines are what notes stand beside. */
export function notesOf(exchange: Exchange, sent: BodyView | undefined): Notes {
  const notes = new Sorted();
  const known: Known = {
    query: new Set(queryOf(exchange.url).map(({ name }) => name)),
    sent: new Set(exchange.request.headers.map(({ name }) => name.toLowerCase())),
    answered: new Set(exchange.response.headers.map(({ name }) => name.toLowerCase())),
    body: placesOf(sent),
  };
  for (const error of problemOf(exchange)?.errors ?? []) putError(notes, known, error);
  for (const remark of exchange.remarks) if (!isSaid(remark, exchange)) putRemark(notes, known, remark);
  return notes;
}

/** Whether what is said of the refusal names the drill itself: then its remark says the same once more. */
function isSaid(remark: string, exchange: Exchange): boolean {
  const [, drill] = /by the drill `([\w-]+)`/.exec(remark) ?? [];
  if (drill === 'cut-connections') return true;
  return drill !== undefined && (problemOf(exchange)?.detail.includes(`The drill ${drill} `) ?? false);
}

interface Known {
  readonly query: ReadonlySet<string>;
  readonly sent: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
  readonly body: ReadonlySet<string>;
}

function placesOf(view: BodyView | undefined): Set<string> {
  if (!view) return new Set();
  const parts = 'lines' in view ? view.lines : view.kind === 'form' ? view.fields : [];
  return new Set(parts.map(({ place }) => place).filter((place) => place !== undefined));
}

type FieldError = NonNullable<Problem['errors']>[number];

/** What the list of errors says and has no place stands with the problem, so nothing is lost. */
function putError(
  notes: Sorted,
  { query, sent, body }: Known,
  { detail, pointer, parameter, header }: FieldError,
): void {
  const kind = 'refused';
  if (pointer !== undefined) {
    let place = pointer;
    while (!body.has(place) && place !== '') place = place.slice(0, place.lastIndexOf('/'));
    if (!body.has(place)) return;
    // What is missing is told where it would stand.
    const text = place === pointer ? detail : `${pointer.slice(place.length + 1)}: ${detail}`;
    notes.put('body', place, { kind, text });
  } else if (parameter !== undefined && query.has(parameter)) notes.put('query', parameter, { kind, text: detail });
  else if (header !== undefined && sent.has(header.toLowerCase()))
    notes.put('requestHeaders', header.toLowerCase(), { kind, text: detail });
}

const ignored = 'Ignored, since nothing here has these names: ';

/** Names of headers without a hyphen; others would be common words. */
const plainHeaders = /\b(?:Authorization|Link|Location|ETag)\b/g;
const hyphenated = /\b[A-Za-z]+(?:-[A-Za-z]+)+\b/g;

function putRemark(notes: Sorted, known: Known, remark: string): void {
  if (remark.startsWith(ignored)) {
    const names = remark.slice(ignored.length).replace(/\.$/, '').split(', ');
    const left = names.filter((name) => !putIgnored(notes, known, name));
    if (left.length > 0) notes.all.push({ kind: 'remark', text: `${ignored}${left.join(', ')}.` });
    return;
  }
  const note = { kind: 'remark', text: remark } as const;
  if (remark.startsWith('The token expires ') && known.sent.has('authorization')) {
    notes.put('requestHeaders', 'authorization', note);
    return;
  }
  const named = [...(remark.match(hyphenated) ?? []), ...(remark.match(plainHeaders) ?? [])].map((name) =>
    name.toLowerCase(),
  );
  const inAnswer = named.find((name) => known.answered.has(name));
  const inRequest = named.find((name) => known.sent.has(name));
  // Remarks of lessons tell a story of several calls.
  if (remark.startsWith('Lesson “')) notes.all.push(note);
  else if (inAnswer !== undefined) notes.put('answerHeaders', inAnswer, note);
  else if (inRequest !== undefined) notes.put('requestHeaders', inRequest, note);
  else notes.all.push(note);
}

function putIgnored(notes: Sorted, { query, body }: Known, item: string): boolean {
  const [where, encoded = ''] = item.split('/', 2);
  const name = decoded(encoded);
  const note = { kind: 'remark', text: 'Ignored: nothing here has this name.' } as const;
  if (where === 'query' && query.has(name)) {
    notes.put('query', name, note);
    return true;
  }
  const pointer = name === '' ? '' : `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const place = body.has(pointer) ? pointer : `/${name}`;
  if (where !== 'body' || !body.has(place)) return false;
  notes.put(
    'body',
    place,
    pointer === '' ? { kind: 'remark', text: 'This request takes no body: it was ignored.' } : note,
  );
  return true;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parameters of a URL, in their order. */
export function queryOf(url: string): { readonly name: string; readonly value: string }[] {
  const query = url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}

/** The problem that was answered, as RFC 9457 has it. */
export function problemOf({ response }: Pick<Exchange, 'response'>): Problem | undefined {
  const type = response.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  if (!type.includes('problem+json') || !response.body) return undefined;
  try {
    const body = JSON.parse(response.body.text);
    return typeof body?.title === 'string' && typeof body.detail === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The page on what an exchange was refused with; SOAP faults have none. */
export function problemPage({ problem }: Pick<ExchangeSummary, 'problem'>): string | undefined {
  return problem !== null && /^[a-z][a-z-]*$/.test(problem) ? `/problems/${problem}` : undefined;
}
