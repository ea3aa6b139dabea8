import { pointerTo } from '../../text/json-pointer.ts';

/** A name that occurs twice in one object. */
export interface Duplicate {
  readonly name: string;
  /** Where the object has it (RFC 6901). */
  readonly pointer: string;
  /** Offsets of the two in the text. */
  readonly first: number;
  readonly second: number;
}

/** An object that is being read, whose names are kept with their offsets, or an array. */
interface Container {
  readonly names: Map<string, number> | undefined;
  /** The name or the index of the member that is being read; undefined where an object must have a name next. */
  at: string | number | undefined;
}

/**
 * The first name that an object of the document has twice. `value` is what `JSON.parse` made of `text`; of two it has the
 * last. A name has a colon behind it, so a document with as many members as its text has colons has none twice. To count
 * both costs next to nothing, and only other texts are searched.
 */
export function findDuplicate(text: string, value: unknown): Duplicate | undefined {
  return countColons(text) === countMembers(value) ? undefined : search(text);
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

/** Without recursion: a document can be nested deeper than the stack is. */
function countMembers(document: unknown): number {
  let count = 0;
  const open = [document];
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== 'object') continue;
    const members = Object.values(value);
    if (!Array.isArray(value)) count += members.length;
    for (const member of members) if (typeof member === 'object') open.push(member);
  }
  return count;
}

/** `text` is valid JSON. */
function search(text: string): Duplicate | undefined {
  const open: Container[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    const inside = open.at(-1);
    if (char === '{') open.push({ names: new Map(), at: undefined });
    else if (char === '[') open.push({ names: undefined, at: 0 });
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && inside) inside.at = typeof inside.at === 'number' ? inside.at + 1 : undefined;
    else if (char === '"') {
      const end = endOfString(text, at);
      if (inside?.names && inside.at === undefined) {
        const name = JSON.parse(text.slice(at, end)) as string;
        inside.at = name;
        const first = inside.names.get(name);
        if (first !== undefined)
          return { name, pointer: pointerTo(...open.map((each) => each.at ?? '')), first, second: at };
        inside.names.set(name, at);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The offset behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
