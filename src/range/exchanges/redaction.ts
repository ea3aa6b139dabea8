import { BoundedCache } from '../../bounded-cache.ts';

/*
 * What is kept of a call shows no secret, token or signature. Where one stood, a placeholder stands: `(token 1)`,
 * `(secret, 43 characters)`, `(signature, 64 characters, hexadecimal)`. It works on text, so that a body keeps its form and one
 * that nobody can parse is covered too: by the names of members and fields, by the forms of what this service gives
 * out, and by the secrets of its settings as such.
 */

/** A token without its signature. */
export interface DecodedToken {
  readonly header: object;
  readonly claims: object;
}

/** Tokens of one exchange that are shown decoded, and characters that one of them may have. */
const maxTokens = 3;
const longestToken = 4096;

/** Secrets of the settings that are shorter occur by chance; they are found by their place only. */
const shortestKnown = 6;

/** Characters of a token, as many as there are: a pattern that looked for its parts would begin anew at each `eyJ`. */
const tokenRun = /[\w.-]+/g;
const shortestHeader = 'eyJ'.length + 8;

/** The secret of a webhook, also percent-encoded. */
const webhookSecret = /whsec_[\w+/=%-]+/g;

/** Matches words as long as a client's secret, or as the signature of a token. */
const secretRun = /(?<![\w-])(?:[\w-]{43}|[\w-]{86})(?![\w-])/g;
const shortestRun = 43;
const longRun = /[\w-]{43,}/g;

const names = '(?:secret|token|password|api[_-]?key|assertion)';
const member = new RegExp(`(${names}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"?|[^\\s",}\\]]+)`, 'gi');
const field = new RegExp(`(${names}=)([^&\\s"']+)`, 'gi');

const placeholder = /^"?\((?:token(?: \d|, \d+ characters)|secret, \d+ characters)\)"?$/;

/** Headers of a request that are secrets whatever they contain. */
const secretHeader = /token|secret|api-?key|cookie|password|^authentication$/;

export const secretPlaceholder = (characters: number) => `(secret, ${characters} characters)`;
const tokenPlaceholder = (characters: number) => `(token, ${characters} characters)`;

/** Tokens that are remembered decoded: one comes with each call of its client. */
const maxDecoded = 500;

/** The secrets of the settings. */
interface Known {
  readonly pattern: RegExp;
  /** Characters of the shortest. */
  readonly shortest: number;
}

type DecodedTokens = BoundedCache<string, DecodedToken>;

/** Redacts the texts of one exchange after the other. */
export class Redactor {
  readonly #known: Known | undefined;
  readonly #decoded: DecodedTokens = new BoundedCache(maxDecoded);

  /** `secrets`: those of the settings. */
  constructor(secrets: readonly (string | undefined)[]) {
    const forms = secrets
      .filter((each) => each !== undefined && each.length >= shortestKnown)
      .flatMap((each) => [each as string, encodeURIComponent(each as string), JSON.stringify(each).slice(1, -1)]);
    // The longest first: one may begin with another.
    const texts = [...new Set(forms)].sort((a, b) => b.length - a.length).map((each) => RegExp.escape(each));
    const shortest = Math.min(...forms.map((each) => each.length));
    this.#known = texts.length > 0 ? { pattern: new RegExp(texts.join('|'), 'g'), shortest } : undefined;
  }

  /** For the texts of one exchange, whose tokens it gathers. */
  begin(): Redaction {
    return new Redaction(this.#known, this.#decoded);
  }
}

export class Redaction {
  readonly #known: Known | undefined;
  readonly #decodedBefore: DecodedTokens;
  readonly #tokens = new Map<string, DecodedToken>();

  constructor(known: Known | undefined, decodedBefore: DecodedTokens) {
    this.#known = known;
    this.#decodedBefore = decodedBefore;
  }

  /** The tokens that were found: `(token 1)` is the first. */
  get tokens(): DecodedToken[] {
    return [...this.#tokens.values()];
  }

  /** Any text: a body, a URL, a header. */
  text(text: string): string {
    let redacted = text.includes('eyJ') ? text.replaceAll(tokenRun, (run) => this.#tokenIn(run)) : text;
    redacted = this.#secrets(redacted);
    // Most texts are short headers: what can't match is not tried.
    if (redacted.includes('whsec_')) redacted = withoutWebhookSecrets(redacted);
    if (redacted.includes('"')) redacted = redacted.replaceAll(member, hidden);
    if (redacted.includes('=')) redacted = redacted.replaceAll(field, hidden);
    if (redacted.length < shortestRun) return redacted;
    return redacted.replaceAll(secretRun, (secret) => secretPlaceholder(secret.length));
  }

  /** A URL. Nothing here has so long a name: in a longer one there may be a secret, with more behind it. */
  url(url: string): string {
    if (url.length < shortestRun) return url;
    return url.replaceAll(longRun, (run) => (run.startsWith('eyJ') ? run : secretPlaceholder(run.length)));
  }

  /** The value of a header of a request. */
  requestHeader(name: string, value: string): string {
    const lower = name.toLowerCase();
    if (lower === 'authorization' || lower === 'proxy-authorization') return this.#authorization(value);
    if (lower === 'x-signature') return signaturePlaceholder(value, formOf(value));
    if (lower === 'webhook-signature') return webhookSignatures(value);
    return secretHeader.test(lower) ? secretPlaceholder(value.length) : this.text(value);
  }

  #authorization(value: string): string {
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

  #tokenIn(run: string): string {
    const at = startOfToken(run);
    return at === undefined ? run : run.slice(0, at) + this.#token(run.slice(at));
  }

  #token(token: string): string {
    if (!this.#tokens.has(token)) {
      const decoded = this.#tokens.size < maxTokens ? this.#decoded(token) : undefined;
      if (!decoded) return tokenPlaceholder(token.length);
      this.#tokens.set(token, decoded);
    }
    return `(token ${[...this.#tokens.keys()].indexOf(token) + 1})`;
  }

  #decoded(token: string): DecodedToken | undefined {
    if (token.length > longestToken) return undefined;
    const before = this.#decodedBefore.get(token);
    if (before) return before;
    const [header, claims] = token.split('.', 2).map((part) => this.#part(part));
    if (!header || !claims) return undefined;
    const decoded = { header, claims };
    this.#decodedBefore.set(token, decoded);
    return decoded;
  }

  #part(encoded: string): object | undefined {
    try {
      const text = this.#secrets(Buffer.from(encoded, 'base64url').toString('utf8'));
      const part: unknown = JSON.parse(withoutWebhookSecrets(text));
      return part !== null && typeof part === 'object' && !Array.isArray(part) ? part : undefined;
    } catch {
      return undefined;
    }
  }

  #secrets(text: string): string {
    if (!this.#known || text.length < this.#known.shortest) return text;
    return text.replaceAll(this.#known.pattern, (secret) => secretPlaceholder(secret.length));
  }
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

function withoutWebhookSecrets(text: string): string {
  return text.replaceAll(webhookSecret, (secret) => secretPlaceholder(secret.length));
}

function hidden(_: string, name: string, value: string): string {
  return name + hiddenValue(value);
}

function hiddenValue(value: string): string {
  if (value === 'null' || placeholder.test(value)) return value;
  if (!value.startsWith('"')) return secretPlaceholder(value.length);
  return `"${secretPlaceholder(value.replaceAll('"', '').length)}"`;
}

const signaturePlaceholder = (signature: string, about: string) =>
  `(signature, ${signature.length} characters, ${about})`;

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
