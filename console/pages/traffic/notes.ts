import { pointerTo } from '../../../src/text/json-pointer.ts';
import { problemIn } from '../../api/problem.ts';
import type { Exchange, Problem } from '../../api/types.ts';
import { type BodyView, headerValue } from '../../model/body-view.ts';
import { decoded, queryOf } from '../../model/url.ts';

/*
 * What is said of an exchange, remarks and the errors of its problem, each beside what it is about where that can be told.
 */

export interface Note {
  /** `refused`: why the call was refused. `remark`: what is worth knowing. */
  readonly kind: 'refused' | 'remark';
  readonly text: string;
}

type Remark = NonNullable<Exchange['notes']>[number];
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
    query: new Set(queryOf(exchange.url).keys()),
    sent: new Set(exchange.request.headers.map(({ name }) => name.toLowerCase())),
    answered: new Set(exchange.response.headers.map(({ name }) => name.toLowerCase())),
    body: placesOf(sent),
  };
  for (const error of problemOf(exchange)?.errors ?? []) putError(notes, known, error);
  // Calls of before there were notes have remarks alone.
  for (const text of exchange.notes ? [] : exchange.remarks) notes.all.push({ kind: 'remark', text });
  for (const remark of exchange.notes ?? []) if (!isSaid(remark, exchange)) putRemark(notes, known, remark);
  return notes;
}

/** Whether what stands in its place says that the drill did it: then its remark says the same once more. */
function isSaid({ drill }: Remark, exchange: Exchange): boolean {
  return drill === 'cut-connections' || (drill === 'unavailable' && problemOf(exchange) !== undefined);
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

function putRemark(notes: Sorted, known: Known, { text, header, names }: Remark): void {
  if (names) {
    const left = names.filter((name) => !putIgnored(notes, known, name));
    if (left.length === 0) return;
    const ignored = `Ignored, since nothing here has these names: ${left.join(', ')}.`;
    notes.all.push({ kind: 'remark', text: ignored });
    return;
  }
  const note = { kind: 'remark', text } as const;
  const name = header?.toLowerCase() ?? '';
  if (known.answered.has(name)) notes.put('answerHeaders', name, note);
  else if (known.sent.has(name)) notes.put('requestHeaders', name, note);
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
  const place = name === '' ? '' : pointerTo(name);
  if (where !== 'body' || !body.has(place)) return false;
  notes.put(
    'body',
    place,
    place === '' ? { kind: 'remark', text: 'This request takes no body: it was ignored.' } : note,
  );
  return true;
}

/** The problem that was answered, as RFC 9457 has it. */
export function problemOf({ response }: Pick<Exchange, 'response'>): Problem | undefined {
  const type = headerValue(response.headers, 'content-type') ?? '';
  return type.includes('problem+json') && response.body ? problemIn(response.body.text) : undefined;
}
