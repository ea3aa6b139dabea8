import { pointerTo } from '../../src/text/json-pointer.ts';
import { type Line, Lines } from './line.ts';

/*
 * JSON laid out for reading, a value on each line. It works on the text and not on what a parser makes of it: numbers stay as
 * they were written, a member that is there twice is shown twice, and of a text that was cut off the beginning is shown.
 */

const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\[\s\S])*")|([^\s{}[\],:"]+))/y;

interface Container {
  readonly close: '}' | ']';
  readonly pointer: string;
  /** Of a list: how many items it has so far. */
  items: number;
  /** Of an object: the name of the member whose value comes, as it was written. */
  name: string | undefined;
  /** Whether it has a line of its own already. */
  isOpen: boolean;
}

/** Undefined if it is no JSON, or would grow too long. `complete`: whether the text is all of it. */
export function jsonLines(text: string, complete: boolean): Line[] | undefined {
  if (complete && !isJson(text)) return undefined;
  if (!complete && !/^\s*[[{]/.test(text)) return undefined;
  const lines = new Lines();
  const open: Container[] = [];
  /** What stands on the current line so far, and the pointer of its value. */
  let line = '';
  let place: string | undefined;
  let fits = true;
  const end = (depth: number) => {
    if (line !== '') fits = lines.add(depth, line, place) && fits;
    line = '';
    place = undefined;
  };
  token.lastIndex = 0;
  let at = 0;
  for (let match = token.exec(text); match && fits; match = token.exec(text)) {
    at = token.lastIndex;
    const [, sign, string, word] = match;
    const inner = open.at(-1);
    if (sign === ',') {
      line += ',';
      end(open.length);
      if (inner) inner.name = undefined;
    } else if (sign === ':') {
      line += ': ';
    } else if (sign === '}' || sign === ']') {
      if (inner?.close !== sign) return undefined;
      open.pop();
      if (inner.isOpen) end(open.length + 1);
      line += sign;
    } else {
      if (inner && !inner.isOpen) {
        inner.isOpen = true;
        end(open.length - 1);
      }
      const isName = inner?.close === '}' && inner.name === undefined;
      if (isName) {
        if (string === undefined) return undefined;
        inner.name = string;
        place = inner.pointer + pointerTo(nameOf(string));
        line += string;
        continue;
      }
      const pointer = place ?? (inner ? `${inner.pointer}/${inner.items}` : '');
      if (inner?.close === ']') inner.items += 1;
      place = pointer;
      line += sign ?? string ?? word ?? '';
      if (sign === '{' || sign === '[')
        open.push({ close: sign === '{' ? '}' : ']', pointer, items: 0, name: undefined, isOpen: false });
    }
  }
  if (!fits) return undefined;
  const rest = text.slice(at).trim();
  if (rest !== '' && !rest.startsWith('"')) return undefined;
  if (rest !== '' && open.length > 0 && !open.at(-1)?.isOpen) end(open.length - 1);
  line += rest;
  end(open.length);
  return fits ? lines.list : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nameOf(string: string): string {
  try {
    return JSON.parse(string);
  } catch {
    return string.slice(1, -1);
  }
}
