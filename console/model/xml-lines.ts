import { type Line, Lines } from './line.ts';

/*
 * XML laid out for reading. It is tolerant, since what was sent may be wrong or cut off: what is no XML any more stands at
 * the end as it is. Attributes stay as they were written.
 */

interface Part {
  readonly kind: 'start' | 'empty' | 'end' | 'text' | 'other';
  readonly text: string;
}

const tag = /<(?:[^<>"']|"[^"]*"|'[^']*')*>/y;

const wrapped: readonly (readonly [begin: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];

function* partsOf(text: string): Generator<Part> {
  let at = 0;
  while (at < text.length) {
    const next = partAt(text, at);
    yield next;
    at += next.text.length;
  }
}

function partAt(text: string, at: number): Part {
  if (text[at] !== '<') {
    const end = text.indexOf('<', at);
    return { kind: 'text', text: text.slice(at, end < 0 ? undefined : end) };
  }
  for (const [begin, close] of wrapped) {
    if (!text.startsWith(begin, at)) continue;
    const end = text.indexOf(close, at);
    const kind = begin === '<![CDATA[' ? 'text' : 'other';
    return { kind, text: text.slice(at, end < 0 ? undefined : end + close.length) };
  }
  tag.lastIndex = at;
  const found = tag.exec(text)?.[0];
  if (found === undefined) return { kind: 'other', text: text.slice(at) };
  if (found.startsWith('</')) return { kind: 'end', text: found };
  if (found.startsWith('<!')) return { kind: 'other', text: found };
  return { kind: found.endsWith('/>') ? 'empty' : 'start', text: found };
}

/** Undefined if it does not begin as XML, or would grow too long. */
export function xmlLines(text: string): Line[] | undefined {
  if (!/^\s*\uFEFF?<[\w?!]/.test(text)) return undefined;
  const lines = new Lines();
  const parts = [...partsOf(text)];
  let depth = 0;
  for (let at = 0; at < parts.length; at += 1) {
    const { kind, text: own } = parts[at] as Part;
    if (kind === 'end') depth = Math.max(0, depth - 1);
    let shown = own.trim();
    if (shown === '') continue;
    if (kind === 'start') {
      // An element with nothing but text in it has one line.
      const [first, second] = [parts[at + 1], parts[at + 2]];
      if (first?.kind === 'end') {
        shown += first.text;
        at += 1;
      } else if (first?.kind === 'text' && second?.kind === 'end') {
        shown += first.text + second.text;
        at += 2;
      } else {
        if (!addAll(lines, depth, shown)) return undefined;
        depth += 1;
        continue;
      }
    }
    if (!addAll(lines, depth, shown)) return undefined;
  }
  return lines.list;
}

function addAll(lines: Lines, depth: number, text: string): boolean {
  return text.split(/\r?\n/).every((line, at) => lines.add(depth, at === 0 ? line : line.trimStart()));
}

/** What a SOAP envelope says. */
export interface Soap {
  /** The name of the element in its body, without a prefix: `GetVehicleDataRequest`, `Fault`. */
  readonly operation: string;
  /** The elements in that which have text, in their order. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** Undefined if there is no envelope, or nothing in its body. */
export function soapOf(text: string): Soap | undefined {
  const way: string[] = [];
  let operation: string | undefined;
  const fields: { name: string; value: string }[] = [];
  let value: string | undefined;
  for (const { kind, text: own } of partsOf(text)) {
    if (kind === 'text') {
      if (value !== undefined) value += plain(own);
    } else if (kind === 'end') {
      if (value !== undefined && way.length > 2 && inBody(way))
        fields.push({ name: way.at(-1) as string, value: value.trim() });
      value = undefined;
      way.pop();
    } else if (kind === 'start' || kind === 'empty') {
      const name = /^<(?:[^\s/>:]*:)?([^\s/>:]+)/.exec(own)?.[1] ?? '';
      if (way.length === 2 && inBody(way)) operation ??= name;
      value = kind === 'start' ? '' : undefined;
      if (kind === 'start') way.push(name);
    }
  }
  return operation === undefined ? undefined : { operation, fields: fields.filter((field) => field.value !== '') };
}

const inBody = ([envelope, body]: readonly string[]) => envelope === 'Envelope' && body === 'Body';

/** Text of XML without its references. */
export function plain(text: string): string {
  if (text.startsWith('<![CDATA[')) return text.slice(9, text.endsWith(']]>') ? -3 : undefined);
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities.get(name) ?? entity;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
