/*
 * What is wrong with a text that is not JSON, for whoever wrote it. The scanner reads on behind a fault as if it had been
 * repaired, so that several are found at once: it takes single quotes for double ones, reads a comma that is missing, and
 * so on. Where the repair can't be known (a string without its end), it stops.
 *
 * Of what the text holds it repeats only punctuation, and words that are no secret: a body may hold one.
 */

import { codeName } from './code-points.ts';
import { objectText, promiseText } from './object-text.ts';

/** A place in a text, from 1 on. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The most kinds of faults that are told; of each kind the first place. */
const maxFaults = 5;

/** The fault of a text that has several values. */
export const secondValue = 'a second value begins, JSON is one value';

/** What the scanner reads next. */
type Awaited = 'value' | 'first item' | 'first name' | 'name' | 'colon' | 'comma' | 'end';

/** How many of the brackets that are missing at the end are shown. */
const shownCloses = 10;

/** Characters of a string that are neither quotes nor escapes nor control characters. */
const plain = /[^"'`´“”„‘’«»\\\p{Cc}]+/uy;

/** What quotes are closed by. JSON knows only straight double ones. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'’",
  '`': '`´',
  '“': '”“"',
  '”': '”"',
  '„': '“”"',
  '‘': "’‘'",
  '’': "’'",
  '«': '»',
};

/** The place of an offset in a text that begins at the line `first`. A line ends with `\n`, `\r` or both. */
export function positionOf(text: string, offset: number, first = 1): TextPosition {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: first - 1 + lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

export const positionText = ({ line, column }: TextPosition) => `line ${line}, column ${column}`;

/** What the whole of a text is that was taken for JSON, but for the white space around it. */
const otherForms: readonly (readonly [form: RegExp, wrong: string])[] = [
  [promiseText, 'found a promise that was made into a text: await it, then make JSON of its value'],
  [objectText, 'found an object that was made into a text: make JSON of it first, with JSON.stringify say'],
  [/^</, 'found <, which begins XML or HTML; send JSON'],
  [/^'[[{]/, `found ' before the JSON: it belongs to the command. In cmd.exe write -d "{\\"name\\": …}"`],
  [/^@?[\w./-]+\.json$/, 'found the name of a file, not its content: with curl write --data-binary @body.json'],
  [
    /^[\w.%+~-]+=[^{}"\s]*$/,
    'found a form (name=value), but Content-Type says application/json: send JSON, or where a form is taken call it application/x-www-form-urlencoded',
  ],
];

/**
 * What is wrong, each with its place, in the order of the text, which begins at the line `firstLine`; without full stops.
 * Nothing if the text is JSON.
 */
export function jsonFaults(text: string, firstLine = 1): string[] {
  const whole = text.trim();
  const other = otherForms.find(([form]) => form.test(whole));
  return other ? [`line ${firstLine}, column 1: ${other[1]}`] : new Scanner(text, firstLine).scan();
}

class Scanner {
  readonly #text: string;
  readonly #firstLine: number;
  #at = 0;
  #awaited: Awaited = 'value';
  /** Offset of a comma behind which nothing came yet. */
  #comma: number | undefined;
  /** The brackets that close what is open, the innermost last. */
  readonly #open: ('}' | ']')[] = [];
  /** By what is wrong: where first, and how often. */
  readonly #faults = new Map<string, { offset: number; count: number }>();
  #stopped = false;

  constructor(text: string, firstLine: number) {
    this.#text = text;
    this.#firstLine = firstLine;
  }

  scan(): string[] {
    while (!this.#stopped && this.#faults.size < maxFaults) {
      this.#skipBlank();
      const char = this.#text[this.#at];
      if (char === undefined) this.#end();
      else this.#step(char);
    }
    return [...this.#faults].slice(0, maxFaults).map(([wrong, { offset, count }]) => {
      const more = count > 1 ? ` (${count} times)` : '';
      return `${positionText(positionOf(this.#text, offset, this.#firstLine))}: ${wrong}${more}`;
    });
  }

  #fault(wrong: string, offset = this.#at): void {
    const known = this.#faults.get(wrong);
    if (known) known.count += 1;
    else this.#faults.set(wrong, { offset, count: 1 });
  }

  /** A fault behind which nothing can be told. */
  #stop(wrong: string, offset = this.#at): void {
    this.#fault(wrong, offset);
    this.#stopped = true;
  }

  /** Takes what the pattern, a sticky one, matches from here on. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }

  #skipBlank(): void {
    for (;;) {
      const start = this.#at;
      this.#take(/[ \t\r\n]+/y);
      const comment = this.#at;
      if (this.#take(/\/\/[^\r\n]*|#[^\r\n]*|\/\*.*?\*\/|\/\*.*/sy)) {
        this.#fault('a comment, which JSON does not have', comment);
        continue;
      }
      const space = this.#at;
      if (this.#take(/[\u00a0\u2000-\u200f\u2028\u2029\u3000\ufeff\v\f]/y)) {
        this.#fault(`found ${named(this.#text, space)}, JSON wants plain spaces`, space);
      }
      const unseen = this.#at;
      if (this.#take(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/uy))
        this.#fault(`found ${named(this.#text, unseen)}: remove it`, unseen);
      if (this.#at === start) return;
    }
  }

  #step(char: string): void {
    const awaited = this.#awaited;
    if (awaited === 'end') {
      const second = char === '{' || char === '[';
      this.#stop(second ? secondValue : `found ${named(this.#text, this.#at)} after the end of the JSON`);
    } else if (char === '}' || char === ']') this.#close(char);
    else if (awaited === 'comma') this.#readComma(char);
    else if (awaited === 'colon') this.#readColon(char);
    else if (char === ',') {
      const wanted = awaited === 'name' || awaited === 'first name' ? 'a name' : 'a value';
      this.#fault(this.#comma === undefined ? `found a comma, JSON wants ${wanted}` : 'a comma after a comma');
      if (this.#open.length === 0) this.#stopped = true;
      this.#comma = this.#at;
      this.#at += 1;
    } else {
      this.#comma = undefined;
      if (awaited === 'name' || awaited === 'first name') this.#readName(char);
      else this.#readValue(char);
    }
  }

  #close(char: '}' | ']'): void {
    const wanted = this.#open.pop();
    if (wanted === undefined) {
      this.#stop(`found ${char}, but nothing is open`);
      return;
    }
    if (this.#comma !== undefined) this.#fault(`a comma before ${char}`, this.#comma);
    else if (this.#awaited === 'colon' || this.#awaited === 'value') this.#fault(`found ${char}, JSON wants a value`);
    if (wanted !== char) this.#fault(`found ${char}, JSON wants ${wanted} here`);
    this.#comma = undefined;
    this.#at += 1;
    this.#awaitNext();
  }

  #awaitNext(): void {
    this.#awaited = this.#open.length > 0 ? 'comma' : 'end';
  }

  #readComma(char: string): void {
    const close = this.#open.at(-1);
    if (char === ',') {
      this.#comma = this.#at;
      this.#at += 1;
    } else if (char === ';' || char === '&') {
      this.#fault(`found ${char}, JSON wants a comma`);
      this.#at += 1;
    } else if (char === ':' || char === '=') this.#stop(`found ${char}, JSON wants a comma or ${close}`);
    else this.#fault('a comma is missing before this');
    this.#awaited = close === '}' ? 'name' : 'value';
  }

  #readColon(char: string): void {
    const start = this.#at;
    this.#awaited = 'value';
    if (char === ':') this.#at += 1;
    else if (this.#take(/=>?/y)) this.#fault('found =, JSON wants : after a name', start);
    else if (char === ',') {
      this.#fault('a name without a value');
      this.#awaited = 'comma';
    } else this.#fault('a : is missing before this, after a name');
  }

  #readName(char: string): void {
    const start = this.#at;
    this.#awaited = 'colon';
    if (this.#readString(char)) return;
    if (this.#take(/[^\s,:={}[\]"\p{C}]+/uy)) this.#fault('a name without double quotes around it', start);
    else this.#stop(`found ${named(this.#text, this.#at)}, JSON wants a name in double quotes`);
  }

  #readValue(char: string): void {
    const start = this.#at;
    if (this.#take(/\{\{[^{}"]{0,100}\}\}|\$\{[^{}"]{0,100}\}|<[^<>"]{0,100}>|\[object \w{1,100}\]/y)) {
      this.#fault('a placeholder or an object in the place of a value: put the value there, as JSON', start);
      this.#awaitNext();
      return;
    }
    if (char === '{' || char === '[') {
      this.#open.push(char === '{' ? '}' : ']');
      this.#awaited = char === '{' ? 'first name' : 'first item';
      this.#at += 1;
      return;
    }
    if (!this.#readString(char)) this.#readWord();
    this.#awaitNext();
  }

  /** Reads a number or a word; whether it is one of JSON, `faultOf` says. */
  #readWord(): void {
    const start = this.#at;
    const word = this.#take(/[^\s,:;{}[\]"\p{C}]+/uy);
    const wrong = word === '' ? `found ${named(this.#text, start)}, JSON wants a value` : faultOf(word);
    if (word === '') this.#stop(wrong as string);
    else if (wrong !== undefined) this.#fault(wrong, start);
    // A text of several words, say.
    if (wrong === bareText) this.#take(/[^,:{}[\]"\r\n]+/y);
    if (wrong === signAlone) this.#take(/[ \t]+[\d.]+/y);
  }

  /** Reads a string, in quotes of any kind. False if none begins here. */
  #readString(char: string): boolean {
    const start = this.#at;
    if (this.#take(/\\"/y)) {
      this.#fault('found \\", JSON wants " alone: the quotes were escaped once too often', start);
      if (!this.#take(/.*?\\"/sy)) this.#stop('the text ends in the middle of a string that begins here', start);
      return true;
    }
    if (!Object.hasOwn(closing, char)) return false;
    if (char !== '"') this.#fault(`found ${char}, JSON wants double quotes (")`);
    this.#at += 1;
    while (!this.#stopped) {
      this.#take(plain);
      const next = this.#text[this.#at];
      if (next === undefined) this.#stop('the text ends in the middle of a string that begins here', start);
      else if (closing[char]?.includes(next)) {
        this.#at += 1;
        break;
      } else if (next === '\\') this.#readEscape();
      else if (next < ' ') this.#readControl(next);
      else this.#at += 1;
    }
    return true;
  }

  #readEscape(): void {
    const start = this.#at;
    if (this.#take(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y)) return;
    this.#at += 2;
    const next = this.#text[start + 1];
    if (next === "'") this.#fault("found \\', JSON wants ' alone", start);
    else if (next === 'u') this.#fault('\\u wants four hexadecimal digits', start);
    else if (next !== undefined)
      this.#fault('a backslash that begins no escape of JSON: write \\\\ for a backslash', start);
  }

  #readControl(char: string): void {
    if (/[\r\n]/.test(char)) this.#stop('a line break inside a string: close its quotes, or write \\n');
    else
      this.#fault(
        char === '\t' ? 'a tab inside a string: write \\t' : `${named(this.#text, this.#at)} inside a string`,
      );
    this.#at += 1;
  }

  #end(): void {
    if (this.#awaited === 'end') this.#stopped = true;
    else if (this.#open.length === 0) this.#stop('the text ends here, JSON wants a value');
    else {
      const closes = this.#open.slice(-shownCloses).reverse().join('');
      const more = this.#open.length > shownCloses ? ' and more' : '';
      const middle = this.#awaited === 'comma' || this.#awaited.startsWith('first') ? '' : ' in the middle of a member';
      this.#stop(`the text ends here${middle}, JSON still wants ${closes}${more}`);
    }
  }
}

/** Words of other languages, and what JSON has for them. */
const words: Readonly<Record<string, string>> = {
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
  None: 'null',
  NULL: 'null',
  Null: 'null',
  nil: 'null',
  undefined: 'null, or no such member',
};

const literals = ['true', 'false', 'null'];

/** The fault of a word that is nothing else. */
const bareText = 'text without double quotes around it';

const signAlone = 'a sign without a number behind it';

/** What is wrong with a word that was meant as a number. The first that fits is told. */
const numberFaults: readonly (readonly [form: RegExp, wrong: string])[] = [
  [
    /^[+-]?0\d+(?:\.\d*)?(?:e[+-]?\d*)?$/i,
    'a number that begins with 0: leave the 0 out, or put a text in double quotes',
  ],
  [/^[+-]+$/, signAlone],
  [/^[+-]{2}[\d.]/, 'more than one sign before a number'],
  [/^\+[\d.]/, 'found + before a number: leave it out'],
  [/^-?0[xob]/i, 'a number that is not decimal'],
  [/^-?(?:\.\d+|\d+\.)(?:e[+-]?\d*)?$|^-?\.$/i, 'a number needs digits before and after its point'],
  [/^-?\d+(?:\.\d+)?e[e+-]*\d*$/i, 'a number needs digits after its e, with one sign before them at most'],
  [/^-?\d(?=\d*_)[\d_]*(?:\.[\d_]+)?$/, 'found _ in a number: leave it out'],
  [/^-?\d+(?:\.\d+)?[a-z]{1,2}$/i, 'a number with letters behind it: leave them out, or put a text in double quotes'],
  [/^[+-]?\p{Nd}+$/u, 'a number in digits of another script: write 0 to 9'],
  [/^[+.-]*\d[\de.+-]*$/i, 'neither a number of JSON nor a text in double quotes'],
];

/** Says what is wrong with a word or number that stands where a value may be; undefined if JSON has it. */
function faultOf(word: string): string | undefined {
  if (literals.includes(word) || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) return undefined;
  if (Object.hasOwn(words, word)) return `found ${word}, JSON wants ${words[word]}`;
  if (/^[+-]?(?:nan|inf(?:inity)?)$/i.test(word)) return `found ${word}, JSON wants a number or null`;
  if (/^\d+(?:-\d+)+$/.test(word)) return bareText;
  return numberFaults.find(([form]) => form.test(word))?.[1] ?? bareText;
}

/** The character at a place in words. Letters and digits may be part of a secret. */
function named(text: string, at: number): string {
  const code = text.codePointAt(at) as number;
  const char = String.fromCodePoint(code);
  if (char === ',') return 'a comma';
  if (/\p{L}/u.test(char)) return 'a letter';
  if (/\p{N}/u.test(char)) return 'a digit';
  if (/^[!-~]$/.test(char)) return char;
  return `the character ${codeName(code)}`;
}
