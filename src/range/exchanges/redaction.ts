import { createHmac } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { nearName } from '../../http/requests/near-name.ts';
import { numberedToken, secretPlaceholder, signaturePlaceholder, tokenPlaceholder } from '../../text/redacted.ts';
import { type Found, replaceFound, type SecretFinder } from '../../text/secret-finder.ts';
import type { Exchange, Header } from './schemas.ts';

/*
 * What is kept of a call shows no secret, token or signature. Where one stood, a placeholder stands: `(token 1)`,
 * `(secret, 43 characters)`, `(signature 5f0c2a4d, 64 characters, hexadecimal)`. The name of a signature tells whether it came
 * before. It is a hash under a key that all nodes share, and of whole signatures alone: nothing shorter can be found by trying.
 */

/** A token without its signature. */
type DecodedToken = Exchange['tokens'][number];

/** Tokens of one exchange that are shown decoded, and characters that one of them may have. */
const maxTokens = 3;
const longestToken = 4096;

/** Characters of a run in a URL that is hidden whatever it is: nothing here has so long a name. */
const longRun = /[\w-]{43,}/g;
const longName = 43;

/** Tokens that are remembered decoded: one comes with each call of its client. */
const maxDecoded = 500;

/** Names and values of headers that are remembered, and characters of one: most come again with each call. */
const maxHeaders = 2000;
const longestHeader = 300;

/** What the value of a header of a request is by its name. */
type HeaderKind = 'authorization' | 'signature' | 'signatures' | 'secret' | 'text';

const secretHeader = /token|secret|api-?key|access-?key|cookie|passw|credential|session|(?:^|-)auth$|^authentication$/;

/** Names that are misspelt often, and what they are. */
const meant = ['authorization', 'x-authorization', 'proxy-authorization', 'x-signature', 'signature'];

/** The digits of a signature in hexadecimal, whatever the header is called. */
const hexSignature = /(?<![\da-f])(?:[\da-f]{64}){1,2}(?![\da-f])/i;

const shortestSignature = 64;

const wholeSignature = /^[\da-f]{64}$/i;

/** What is remembered from one exchange to the next. */
class Memory {
  readonly signatureKey: string;
  readonly decoded = new BoundedCache<string, DecodedToken>(maxDecoded);
  readonly kinds = new BoundedCache<string, HeaderKind>(maxHeaders);
  /** Names and values in which there is no secret. */
  readonly harmless = new Set<string>();

  constructor(signatureKey: string) {
    this.signatureKey = signatureKey;
  }
}

/** Redacts the texts of one exchange after the other. */
export class Redactor {
  readonly #finder: SecretFinder;
  readonly #memory: Memory;

  /** `signatureKey`: a secret of all nodes, under which signatures are told apart. */
  constructor(finder: SecretFinder, signatureKey: string) {
    this.#finder = finder;
    this.#memory = new Memory(signatureKey);
  }

  /** For the texts of one exchange, whose tokens it gathers. */
  begin(): Redaction {
    return new Redaction(this.#finder, this.#memory);
  }
}

export class Redaction {
  readonly #finder: SecretFinder;
  readonly #memory: Memory;
  readonly #tokens = new Map<string, DecodedToken>();

  constructor(finder: SecretFinder, memory: Memory) {
    this.#finder = finder;
    this.#memory = memory;
  }

  /** The tokens that were found: `(token 1)` is the first. */
  get tokens(): DecodedToken[] {
    return [...this.#tokens.values()];
  }

  /** Any text: a body, a header. */
  text(text: string): string {
    return replaceFound(text, this.#finder.find(text), (place) => this.#placeholder(place));
  }

  /** A URL. What is longer than every name here may be a secret with more behind it. */
  url(url: string): string {
    const redacted = this.text(url);
    return redacted.length < longName ? redacted : redacted.replaceAll(longRun, (run) => secretPlaceholder(run.length));
  }

  /** The name or value of a header, whatever the header is. */
  header(text: string): string {
    const { harmless } = this.#memory;
    if (harmless.has(text)) return text;
    const redacted = this.text(text);
    if (redacted === text && text.length <= longestHeader) {
      if (harmless.size >= maxHeaders) harmless.clear();
      harmless.add(text);
    }
    return redacted;
  }

  /** A header of a request. */
  requestHeader(name: string, value: string): Header {
    const lower = name.toLowerCase();
    const kind = this.#kindOf(lower);
    // A header may be called by a secret. HTTP/2 has its name in lower case, in which it can't be told from others.
    const isKnown = kind !== 'text' || lower.length < longName;
    return { name: isKnown ? this.header(name) : secretPlaceholder(name.length), value: this.#value(kind, value) };
  }

  #value(kind: HeaderKind, value: string): string {
    if (kind === 'authorization') return this.#authorization(value);
    if (kind === 'signatures') return webhookSignatures(value);
    if (kind === 'secret') return secretPlaceholder(value.length);
    if (kind === 'signature' || (value.length >= shortestSignature && hexSignature.test(value)))
      return signaturePlaceholder(value, formOf(value), this.#nameOf(value));
    return this.header(value);
  }

  /** Of a whole signature in hexadecimal, else empty. */
  #nameOf(signature: string): string {
    if (!wholeSignature.test(signature)) return '';
    const hash = createHmac('sha256', `${this.#memory.signatureKey} names signatures`);
    return hash.update(signature.toLowerCase()).digest('hex').slice(0, 8);
  }

  #kindOf(name: string): HeaderKind {
    const before = this.#memory.kinds.get(name);
    if (before !== undefined) return before;
    const kind = kindOfHeader(name);
    this.#memory.kinds.set(name, kind);
    return kind;
  }

  #placeholder({ start, end, token }: Found): string {
    return token === undefined ? secretPlaceholder(end - start) : this.#token(token);
  }

  #authorization(value: string): string {
    // Also behind a wrong word, and without the space: that is what its sender has to see.
    const [, misplaced = '', whole] = /^(basic\s+|bearer[:=]?\s*)?(eyJ[\w-]+\.[\w-]+\.[\w-]*)$/is.exec(value) ?? [];
    if (whole !== undefined) return misplaced.replace(/\s+/, ' ') + this.#token(whole);
    const [, scheme = '', credentials = value] = /^([a-z]{1,20})\s+(.*)$/is.exec(value) ?? [];
    const before = scheme && `${scheme} `;
    if (/^basic$/i.test(scheme)) return before + this.#basic(credentials);
    const token = /^eyJ[\w.-]+$/.test(credentials) ? this.#token(credentials) : tokenPlaceholder(credentials.length);
    return before + token;
  }

  #basic(credentials: string): string {
    const decoded = Buffer.from(credentials, 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    if (colon < 0) return secretPlaceholder(credentials.length);
    const client = this.text(decoded.slice(0, colon))
      .slice(0, 100)
      .replaceAll(/[^\x20-\x7e]/g, '?');
    return `${client}:${secretPlaceholder(decoded.length - colon - 1)}`;
  }

  #token(token: string): string {
    if (!this.#tokens.has(token)) {
      const decoded = this.#tokens.size < maxTokens ? this.#decoded(token) : undefined;
      if (!decoded) return tokenPlaceholder(token.length);
      this.#tokens.set(token, decoded);
    }
    return numberedToken([...this.#tokens.keys()].indexOf(token) + 1);
  }

  #decoded(token: string): DecodedToken | undefined {
    if (token.length > longestToken) return undefined;
    const before = this.#memory.decoded.get(token);
    if (before) return before;
    const [header, claims] = token.split('.', 2).map((part) => this.#part(part));
    if (!header || !claims) return undefined;
    const decoded = { header, claims };
    this.#memory.decoded.set(token, decoded);
    return decoded;
  }

  #part(encoded: string): Record<string, unknown> | undefined {
    try {
      const part = JSON.parse(this.#finder.hide(Buffer.from(encoded, 'base64url').toString('utf8')));
      return part !== null && typeof part === 'object' && !Array.isArray(part) ? part : undefined;
    } catch {
      return undefined;
    }
  }
}

function kindOfHeader(name: string): HeaderKind {
  if (name === 'webhook-signature') return 'signatures';
  const near = nearName(name, meant) ?? name;
  if (/authori[sz]ation/.test(near)) return 'authorization';
  if (near.includes('signature')) return 'signature';
  return secretHeader.test(name) ? 'secret' : 'text';
}

/** A list as Standard Webhooks has it, `v1,` before each; any other value as a whole. */
function webhookSignatures(value: string): string {
  const parts = value.split(' ').map((part) => /^(v1a?,)(.+)$/.exec(part));
  if (parts.includes(null)) return signaturePlaceholder(value, formOf(value));
  return parts.map((part) => (part?.[1] ?? '') + signaturePlaceholder(part?.[2] ?? '', 'not kept')).join(' ');
}

function formOf(signature: string): string {
  if (/^[\da-f]+$/i.test(signature)) return 'hexadecimal';
  if (/^[\w-]+=/.test(signature)) return 'with a prefix';
  return /^[\w+/-]+={0,2}$/.test(signature) ? 'base64' : 'of another form';
}
