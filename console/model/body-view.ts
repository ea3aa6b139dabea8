import { pointerTo } from '../../src/text/json-pointer.ts';
import { type Body, textOf } from './exchange-body.ts';
import { jsonLines } from './json-lines.ts';
import { type Line, Lines } from './line.ts';
import { type Soap, soapOf, xmlLines } from './xml-lines.ts';

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** How a body is best read. */
export type BodyView =
  | { readonly kind: 'json' | 'events'; readonly lines: readonly Line[] }
  | { readonly kind: 'xml'; readonly lines: readonly Line[]; readonly soap: Soap | undefined }
  | { readonly kind: 'form'; readonly fields: readonly Field[] }
  /** `about`: what is odd about it. */
  | { readonly kind: 'text'; readonly about?: string }
  | { readonly kind: 'binary' };

interface Field {
  readonly name: string;
  readonly value: string;
  /** As a JSON pointer. */
  readonly place: string;
}

export function bodyView(body: Body, headers: readonly Header[]): BodyView {
  if (body.encoding === 'base64') return { kind: 'binary' };
  if (body.omitted) return { kind: 'text' };
  const { text, complete } = body;
  const type = headerValue(headers, 'content-type')?.toLowerCase() ?? '';
  if (type.includes('x-www-form-urlencoded')) return { kind: 'form', fields: formFields(text) };
  if (type.includes('event-stream')) return { kind: 'events', lines: eventLines(text) };
  if (type.includes('xml')) {
    const lines = xmlLines(text);
    return lines ? { kind: 'xml', lines, soap: soapOf(text) } : { kind: 'text', about: notOf('XML') };
  }
  const json = jsonLines(text, complete);
  if (json) return { kind: 'json', lines: json };
  return type.includes('json') ? { kind: 'text', about: notOf('JSON') } : { kind: 'text' };
}

/** What `bodyView` shows, as lines of plain text. */
export function plainLines(body: Body, headers: readonly Header[]): string[] {
  const view = bodyView(body, headers);
  if ('lines' in view) return view.lines.map(({ text }) => text);
  if (view.kind === 'form') return view.fields.map(({ name, value }) => `${name} = ${value}`);
  return textOf(body).split(/\r?\n/);
}

export function headerValue(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}

const notOf = (format: string) => `Its Content-Type says ${format}, but it can’t be read as that.`;

function formFields(text: string): Field[] {
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value, place: pointerTo(name) }));
}

/** Server-sent events, with the JSON in their data laid out. */
function eventLines(text: string): Line[] {
  const lines = new Lines();
  for (const line of text.split(/\r?\n/)) {
    const data = /^data: ?(.*)$/.exec(line)?.[1];
    const json = data === undefined ? undefined : jsonLines(data, true);
    if (!json || json.length === 1) lines.add(0, line);
    else {
      lines.add(0, 'data:');
      for (const { text: part } of json) lines.add(1, part);
    }
  }
  return lines.list;
}
