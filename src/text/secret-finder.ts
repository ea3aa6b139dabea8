import { placeholderForm, secretPlaceholder } from './redacted.ts';
import { codeLength, plainCode, possibleCodes } from './transfer-code.ts';

/*
 * Finds what is secret in a text: the values that the service knows, and whatever has the form of a secret that it gives
 * out. It looks at the text as it stands, and at what it says once its escapes, base64 and hexadecimal are read, some levels
 * deep. It works on texts, not on values: a body that nobody can parse is searched as well. What is found is a place in the
 * text as it stands.
 *
 * It meets every text that is kept. So each step first looks for what can't be absent, and only what may be encoded is read.
 */

/** A place in a text, from `start` up to `end`. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** The token that stands there; absent of any other secret. */
  readonly token?: string;
}

/** Secrets of the settings that are shorter occur by chance; they are found by their place only. */
const shortestKnown = 6;

/** How many encodings deep a secret is looked for, and the characters that are read for one text. */
const deepest = 4;
const mostRead = 100_000;

/** Values that are known to be no secrets. Callers can make some. */
const mostPublic = 10_000;

/** Characters of a client's secret; those of a webhook and signatures are longer. */
const secretLength = 43;

/** A character of a token, and those of its shortest first part. */
const ofToken = /[\w.-]/;
const shortestHeader = 'eyJ'.length + 8;

/** The secret of a webhook, also percent-encoded. */
const webhookSecret = /whsec_[\w+/=%-]+/g;

const names = '(?:secret|token|password|passwd|api[_-]?key|assertion|authori[sz]ation|private[_-]?key|signature)';
const member = new RegExp(
  `${names}["']\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s"',{}[\\]]+)`,
  'gi',
);
const field = new RegExp(`${names}=([^&\\s"']+)`, 'gi');
const element = new RegExp(`${names}>([^<]+)`, 'gi');

/** What a look at ten characters, which may be a code, takes of what is read of a text. */
const readByCode = 4;

/** A code that gives a client a new secret by its place, as it is shown, or typed without its dash. */
const transferCode = /\bcode["']\s*:\s*["']([\da-z]{5}[ -][\da-z]{5}|(?=[a-z]*\d)[\da-z]{10})(?=["'])/gi;

/** The credentials of HTTP Basic. */
const basic = /\bbasic\s+([\w+/-]{4,}={0,2})/gi;

/** Names and numbers: nothing that tells of a secret, or that one may be encoded in, but the word of HTTP Basic. */
const words = /^[A-Za-z\d .,-]*$/;

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/**
 * What stands for a character: percent-encoding, escapes of JSON and of languages, character references; or for none: the
 * zeros of UTF-16.
 */
const escaped =
  /(?:%u|\\u)([\da-f]{4})|\\u\{([\da-f]{1,6})\}|%([\da-f]{2})|\\x([\da-f]{2})|\\([^%&\0])|&#x([\da-f]{1,6})(?:;|(?=&#))|&#(\d{1,7})(?:;|(?=&#))|&(amp|lt|gt|quot|apos);|\0/gi;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The shortest runs that may be an encoded code. */
const shortestRunOfCode = Math.ceil((codeLength * 4) / 3);
const hexRunsOfCode = new RegExp(`[\\da-f]{${2 * codeLength},}`, 'gi');

/** A line end within base64. */
const lineEnd = /(?<=[\w+/]{16})\r?\n[ \t]?(?=[\w+/]{4})/g;
const shortestLine = 16;

/** Codes that are known by their value, wherever they stand. */
interface Codes {
  readonly isEmpty: boolean;
  has(code: string): boolean;
}

export class SecretFinder {
  readonly #known: RegExp | undefined;
  /** The known values, of which a cut text may end with the beginning. */
  readonly #values: readonly string[];
  /** Characters of the shortest secret that nothing beside it tells of. */
  readonly #shortest: number;
  /** Characters of the shortest run that may be an encoded secret, and runs that may be one in hexadecimal. */
  readonly #shortestRun: number;
  readonly #hexRuns: RegExp;
  readonly #public = new Set<string>();
  #codes: Codes | undefined;

  /** `known`: the values that are secret, whatever their form. */
  constructor(known: readonly (string | undefined)[] = []) {
    this.#values = known.filter((each) => each !== undefined).filter((each) => each.length >= shortestKnown);
    const forms = this.#values.flatMap((each) => [
      each,
      encodeURIComponent(each),
      JSON.stringify(each).slice(1, -1),
      // A text that was read from bytes has one character for each.
      Buffer.from(each).toString('latin1'),
    ]);
    // The longest first: one may begin with another.
    const texts = [...new Set(forms)].sort((a, b) => b.length - a.length).map((each) => RegExp.escape(each));
    this.#known = texts.length > 0 ? new RegExp(texts.join('|'), 'g') : undefined;
    this.#shortest = Math.min(secretLength, ...forms.map((each) => each.length));
    this.#shortestRun = Math.min(secretLength, Math.ceil((this.#shortest * 4) / 3));
    this.#hexRuns = new RegExp(`[\\da-f]{${2 * this.#shortest},}`, 'gi');
  }

  /** Takes values for what they are: public, though they look like secrets. More than so many are hidden all the same. */
  exempt(values: Iterable<string>): void {
    for (const value of values) if (this.#public.size < mostPublic) this.#public.add(value);
  }

  /** Looks for codes that hold, too. */
  findCodes(codes: Codes): void {
    this.#codes = codes;
  }

  /** Tells whether there is a secret or a token in a text. */
  isIn(text: string): boolean {
    return this.find(text).length > 0;
  }

  /** The text with placeholders in the places of secrets and tokens. */
  hide(text: string): string {
    return replaceFound(text, this.find(text), ({ start, end }) => secretPlaceholder(end - start));
  }

  /** The places of secrets and tokens, in their order, none over another. */
  find(text: string): Found[] {
    const shortest = this.#hasCodes ? codeLength : this.#shortest;
    if (text.length < shortest && words.test(text) && !text.includes('asic ')) return [];
    const found = this.#find(text, 0, { left: mostRead });
    if (found.length < 2) return found;
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    const joined: Found[] = [];
    for (const next of found) {
      const last = joined.at(-1);
      if (!last || next.start >= last.end) joined.push(next);
      else if (next.end > last.end) joined[joined.length - 1] = { start: last.start, end: next.end };
    }
    return joined;
  }

  get #hasCodes(): boolean {
    return this.#codes?.isEmpty === false;
  }

  #find(text: string, depth: number, read: { left: number }): Found[] {
    const found: Found[] = [];
    const add = (start: number, length: number) => found.push({ start, end: start + length });
    const rest = text.includes('eyJ') ? withoutTokens(text, found) : text;
    if (this.#known) for (const { 0: value, index } of rest.matchAll(this.#known)) add(index, value.length);
    if (rest.includes('whsec_'))
      for (const { 0: value, index } of rest.matchAll(webhookSecret)) add(index, value.length);
    if (rest.includes('asic ')) for (const match of rest.matchAll(basic)) if (isBasic(match[1])) add(...placeOf(match));
    // In the text itself: the value of a member may be a token with something before it.
    if (/["']/.test(text)) for (const match of text.matchAll(member)) addValue(match, found);
    if (text.includes('code')) for (const match of text.matchAll(transferCode)) add(...placeOf(match));
    if (text.includes('=')) for (const match of text.matchAll(field)) addValue(match, found);
    if (text.includes('</')) for (const match of text.matchAll(element)) addValue(match, found);
    if (this.#hasCodes) this.#findHeldCodes(rest, found, read);
    for (const [index, run] of runsIn(rest, this.#hasCodes ? shortestRunOfCode : this.#shortestRun)) {
      const parts = partsOfSecretForm(run);
      for (const [start, length] of parts)
        if (!this.#public.has(run.slice(start, start + length))) add(index + start, length);
      if (parts.length === 0 && depth < deepest && this.#isEncoded(run, depth, read)) add(index, run.length);
    }
    if (text.includes('…')) this.#findCut(text, found);
    if (depth === deepest) return found;
    if (hasEscapes(text)) found.push(...this.#findEscaped(text, escaped, depth, read));
    if (isWrapped(text)) found.push(...this.#findEscaped(text, lineEnd, depth, read));
    return found;
  }

  #findHeldCodes(text: string, found: Found[], read: { left: number }): void {
    for (const [start, typed] of possibleCodes(text)) {
      read.left -= readByCode;
      if (read.left < 0) {
        found.push({ start: 0, end: text.length });
        return;
      }
      if (this.#codes?.has(plainCode(typed))) found.push({ start, end: start + typed.length });
    }
  }

  #findEscaped(text: string, escapes: RegExp, depth: number, read: { left: number }): Found[] {
    read.left -= text.length;
    if (read.left < 0) return [{ start: 0, end: text.length }];
    const { plain, source } = unescaped(text, escapes);
    if (plain.length === text.length) return [];
    return this.#find(plain, depth + 1, read).map(({ start, end, token }) => ({
      start: source(start),
      end: source(end),
      ...(token !== undefined && { token }),
    }));
  }

  /** Tells whether a run of characters is base64 or hexadecimal with a secret in it. It may begin within other letters. */
  #isEncoded(run: string, depth: number, read: { left: number }): boolean {
    const isSecret = (bytes: Buffer) => {
      read.left -= bytes.length;
      return read.left < 0 || this.#find(bytes.toString('latin1'), depth + 1, read).length > 0;
    };
    for (const [digits] of run.matchAll(this.#hasCodes ? hexRunsOfCode : this.#hexRuns)) {
      for (const from of [0, 1]) if (isSecret(Buffer.from(digits.slice(from), 'hex'))) return true;
    }
    // Base64 of a text has some; most paths have none.
    if (!/[A-Z]/.test(run)) return false;
    return [0, 1, 2, 3].some((from) => isSecret(Buffer.from(run.slice(from), 'base64')));
  }

  /** Finds the beginning of a known value where a text was cut. */
  #findCut(text: string, found: Found[]): void {
    for (let at = text.indexOf('…'); at >= 0; at = text.indexOf('…', at + 1)) {
      for (const value of this.#values) {
        for (let length = value.length - 1; length >= shortestKnown - 2; length -= 1) {
          if (!text.endsWith(value.slice(0, length), at)) continue;
          found.push({ start: at - length, end: at });
          break;
        }
      }
    }
  }
}

/** The text with something else in the places that were found. */
export function replaceFound(text: string, found: readonly Found[], by: (place: Found) => string): string {
  if (found.length === 0) return text;
  let replaced = '';
  let from = 0;
  for (const place of found) {
    replaced += text.slice(from, place.start) + by(place);
    from = place.end;
  }
  return replaced + text.slice(from);
}

/** Which characters base64 may have, in both its alphabets, by their codes. */
const ofRun = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0));
const isOfRun = (text: string, at: number) => ofRun[text.charCodeAt(at)] === 1;

/** The runs of such characters that are so long. It looks at a few characters only: most runs are short. */
export function runsIn(text: string, least: number): [index: number, run: string][] {
  const found: [number, string][] = [];
  let from = 0;
  while (from + least <= text.length) {
    // Backwards: what is no such character ends all runs that are long enough and begin before it.
    let at = from + least - 1;
    while (at >= from && isOfRun(text, at)) at -= 1;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let end = from + least;
    while (end < text.length && isOfRun(text, end)) end += 1;
    found.push([from, text.slice(from, end)]);
    from = end + 1;
  }
  return found;
}

/** Tells whether a line of base64 goes on in the next. */
function isWrapped(text: string): boolean {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const end = text[at - 1] === '\r' ? at - 1 : at;
    let begin = end;
    while (begin > 0 && end - begin < shortestLine && isOfRun(text, begin - 1)) begin -= 1;
    if (end - begin === shortestLine) return true;
  }
  return false;
}

/** The text with spaces in the places of tokens, which are added to what was found. */
function withoutTokens(text: string, found: Found[]): string {
  let [rest, from] = ['', 0];
  for (let begin = text.indexOf('eyJ'); begin >= 0; begin = text.indexOf('eyJ', from)) {
    let end = begin;
    while (end < text.length && ofToken.test(text[end] as string)) end += 1;
    const run = text.slice(begin, end);
    const start = begin + (startOfToken(run) ?? run.length);
    rest += text.slice(from, start) + ' '.repeat(end - start);
    if (start < end) found.push({ start, end, token: text.slice(start, end) });
    from = end;
  }
  return rest + text.slice(from);
}

/** Where the first part begins that may be the header of a token: with `eyJ`, and with another part behind it. */
function startOfToken(run: string): number | undefined {
  let from = 0;
  for (let dot = run.indexOf('.'); dot >= 0; dot = run.indexOf('.', from)) {
    const at = run.indexOf('eyJ', from);
    if (at < 0) return undefined;
    if (dot - at >= shortestHeader) return at;
    from = dot + 1;
  }
  return undefined;
}

/** The place of what a pattern captured at the end of what it found. */
function placeOf({ 0: all, 1: value = '', index }: RegExpExecArray): [start: number, length: number] {
  return [index + all.length - value.length, value.length];
}

/** Adds the value of a member or field whose name says that it is secret. */
function addValue(match: RegExpExecArray, found: Found[]): void {
  const value = match[1] as string;
  const [start, length] = placeOf(match);
  const quote = /^["']/.test(value) ? 1 : 0;
  const closed = quote === 1 && length > 1 && value.endsWith(value[0] as string) ? 1 : 0;
  const [from, to] = [start + quote, start + length - closed];
  if (value === 'null' || isPlaceholder(match.input, from, to)) return;
  // A token is shown as one.
  if (to > from && !found.some((each) => each.token !== undefined && each.start <= from && each.end >= to))
    found.push({ start: from, end: to });
}

const placeholder = new RegExp(placeholderForm, 'y');

/** Tells whether a placeholder stands there: what was kept of an answer is searched again with the call that it is of. */
function isPlaceholder(text: string, from: number, to: number): boolean {
  placeholder.lastIndex = from;
  return placeholder.test(text) && placeholder.lastIndex >= to;
}

function isBasic(credentials = ''): boolean {
  const decoded = Buffer.from(credentials, 'base64').toString('latin1');
  return decoded.includes(':') && /^[\x20-\x7e]*$/.test(decoded);
}

const urlSafe = /[\w-]{43,}/g;
const standard = /[A-Za-z\d+/]{43,}/g;

/** The places in a run of characters that may be secrets of ours, in either alphabet of base64. */
function partsOfSecretForm(run: string): [start: number, length: number][] {
  const found: [number, number][] = [];
  if (run.length < secretLength) return found;
  const rest = run.replaceAll(urlSafe, (part, index: number) => {
    const other = part.includes('-') ? part.replaceAll(uuid, '') : part;
    if (other.length < secretLength || !isRandom(other)) return part;
    found.push([index, part.length]);
    return ' '.repeat(part.length);
  });
  for (const { 0: part, index } of rest.matchAll(standard)) if (isRandom(part)) found.push([index, part.length]);
  return found;
}

const minDistinct = 18;
const minChanges = 12;

/** Capitals that there must be where there is no digit, as in names in camel case. */
const withoutDigits = 6;

/** With so many letters of each case, which names don't have, fewer changes will do. */
const manyOfCase = 8;
const fewChanges = 6;

/**
 * Tells whether characters look random: many different ones, of both cases, which change their kind all the time. All but one
 * in tens of millions of secrets do; words and paths lack one of these.
 */
function isRandom(text: string): boolean {
  if (!/[A-Z]/.test(text)) return false;
  isSeen.fill(0);
  let [lower, upper, digits, distinct, changes, before] = [0, 0, 0, 0, 0, -1];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kinds[code] as number;
    if (isSeen[code] === 0) distinct += 1;
    isSeen[code] = 1;
    if (kind === Kind.lower) lower += 1;
    else if (kind === Kind.upper) upper += 1;
    else if (kind === Kind.digit) digits += 1;
    if (kind !== before) changes += 1;
    before = kind;
    // What comes after it takes nothing of this back.
    if (distinct < minDistinct || changes < fewChanges) continue;
    if (changes >= minChanges && lower >= 2 && upper >= (digits > 0 ? 2 : withoutDigits)) return true;
    if (lower >= manyOfCase && upper >= manyOfCase) return true;
  }
  return false;
}

const Kind = { other: 0, lower: 1, upper: 2, digit: 3 } as const;

/** The kinds of characters by their codes. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return Kind.lower;
  if (/[A-Z]/.test(character)) return Kind.upper;
  return /\d/.test(character) ? Kind.digit : Kind.other;
});

/** Which codes a text has had. One for all texts, since a flood brings many. */
const isSeen = new Uint8Array(128);

/** The text without one level of escapes and the line ends within base64: the same text where there is none. */
export function withoutEscapes(text: string): string {
  const joined = isWrapped(text) ? text.replaceAll(lineEnd, '') : text;
  return hasEscapes(joined) ? unescaped(joined, escaped).plain : joined;
}

function hasEscapes(text: string): boolean {
  return (
    text.includes('%') ||
    text.includes('\\') ||
    (text.includes('&') && /&(?:#|\w{2,4};)/.test(text)) ||
    text.includes('\0')
  );
}

/** The text without one level of escapes, and where a character of it stands in the text as it was. */
function unescaped(text: string, escapes: RegExp): { plain: string; source: (at: number) => number } {
  const [ends, shifts]: [number[], number[]] = [[], []];
  let shift = 0;
  const plain = text.replaceAll(escapes, (...match) => {
    const found = match[0] as string;
    const to = characterOf(match);
    ends.push((match.at(-2) as number) - shift + to.length);
    shift += found.length - to.length;
    shifts.push(shift);
    return to;
  });
  const source = (at: number) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return at + (shifts[low - 1] ?? 0);
  };
  return { plain, source };
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The character that an escape stands for; none for what is left out. `match`: what was found, and its groups. */
function characterOf(match: readonly unknown[]): string {
  // Without groups it is a line end.
  if (match.length < 8) return '';
  const [, unicode, braced, percent, byte, literal, hexadecimal, decimal, name] = match as (string | undefined)[];
  const digits = unicode ?? braced ?? percent ?? byte ?? hexadecimal;
  if (digits !== undefined) return characterAt(Number.parseInt(digits, 16));
  if (decimal !== undefined) return characterAt(Number(decimal));
  if (literal !== undefined) return controls[literal] ?? literal;
  return name === undefined ? '' : (named[name.toLowerCase()] as string);
}

const characterAt = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '?');

/** Finds what has the form of a secret, where the settings are not known. */
export const byForm = new SecretFinder();
