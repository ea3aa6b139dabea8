import { runsIn, withoutEscapes } from './secret-finder.ts';

/*
 * Finds the name of a person in texts, to take it out. It looks at a text as it stands, and at what it says once its escapes,
 * base64 and hexadecimal are read, some levels deep, as secret-finder.ts does. A short name also occurs within other words: it
 * is one only where no letter or digit stands beside it.
 */

/** Stands in the place of a name. */
export const erased = 'erased';

/** Characters of a name that occurs within other words, or in what is random, by chance. */
const shortName = 4;

/** How many encodings deep a name is looked for, and the characters that are read for one text. */
const deepest = 4;
const mostRead = 200_000;

/** Characters from which on a text may have been cut: nothing is cut to fewer but what ends in `…`. */
const shortestCut = 200;

const beside = '[\\p{Lu}\\p{Ll}\\p{Nd}]';

export class NameFinder {
  /** The name. */
  readonly name: string;
  readonly #forms: readonly string[];
  readonly #pattern: RegExp;
  readonly #isShort: boolean;

  constructor(name: string) {
    this.name = name;
    // A text that was read from bytes has one character for each.
    this.#forms = [...new Set([name, Buffer.from(name).toString('latin1')])];
    this.#isShort = name.length <= shortName;
    const any = this.#forms.map((each) => RegExp.escape(each)).join('|');
    this.#pattern = new RegExp(this.#isShort ? `(?<!${beside})(?:${any})(?!${beside})` : any, 'gu');
  }

  /** The text without the name. Where it is encoded, nothing is left of the text. The same text where it is not in it. */
  erase(text: string): string {
    const plain = this.#withoutBeginning(text.replaceAll(this.#pattern, erased));
    return this.#isEncoded(plain, 0, { left: mostRead }) ? erased : plain;
  }

  /**
   * Tells whether a file has the name as a text: in UTF-8, Latin-1, or UTF-16 of either order, as a PDF may. A short one is
   * in many files by chance, and in none for this.
   */
  isInBytes(bytes: Uint8Array): boolean {
    if (this.#isShort) return false;
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const wide = Buffer.from(this.name, 'utf16le');
    return [...this.#forms.map((each) => Buffer.from(each, 'latin1')), wide, Buffer.from(wide).swap16()].some((each) =>
      file.includes(each),
    );
  }

  /** The same of all texts within a value of JSON. */
  eraseWithin<T>(value: T): T {
    if (typeof value === 'string') return this.erase(value) as T;
    if (Array.isArray(value)) return value.map((each) => this.eraseWithin(each)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.eraseWithin(each)])) as T;
  }

  /** Without the beginning of the name where a text was cut within it. */
  #withoutBeginning(text: string): string {
    if (this.#isShort) return text;
    const parts = text.split('…');
    const last = parts.pop() as string;
    const shown = parts.map((part) => `${this.#withoutEnd(part)}…`).join('');
    return shown + (text.length < shortestCut ? last : this.#withoutEnd(last));
  }

  #withoutEnd(text: string): string {
    for (const form of this.#forms)
      for (let length = form.length - 1; length >= shortName; length -= 1)
        if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + erased;
    return text;
  }

  #isIn(text: string, depth: number, read: { left: number }): boolean {
    read.left -= text.length;
    return read.left < 0 || text.search(this.#pattern) >= 0 || this.#isEncoded(text, depth, read);
  }

  #isEncoded(text: string, depth: number, read: { left: number }): boolean {
    if (depth === deepest) return false;
    const plain = withoutEscapes(text);
    if (plain !== text && this.#isIn(plain, depth + 1, read)) return true;
    if (this.#isShort) return false;
    const isInBytes = (bytes: Buffer) => this.#isIn(bytes.toString('latin1'), depth + 1, read);
    return runsIn(text, this.name.length).some(
      ([, run]) =>
        (/^[\da-f]*$/i.test(run) && [0, 1].some((from) => isInBytes(Buffer.from(run.slice(from), 'hex')))) ||
        [0, 1, 2, 3].some((from) => isInBytes(Buffer.from(run.slice(from), 'base64'))),
    );
  }
}
