import { mistaken, signatureLength } from '../../src/clients/token-forms.ts';
import { fromBase64Url, fromUtf8, utf8 } from '../../src/text/bytes.ts';
import type { verifyEs256 } from './es256.ts';

/* Reads what somebody pasted as a token. Nothing is sent anywhere. */

/** A token, or what was pasted in place of one. */
export interface TokenReading {
  /** What is around the token, or in place of it, in sentences. */
  readonly advice: readonly string[];
  readonly token?: DecodedToken;
}

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What was signed. */
  readonly signed: Uint8Array;
  /** Undefined if it is no base64url. */
  readonly signature: Uint8Array | undefined;
}

/** What wraps a token, and how that is told. */
const wrappers: readonly (readonly [form: RegExp, says: string])[] = [
  [/^authorization\s*:\s*/i, 'Authorization is the name of the header: it is not part of the token.'],
  [/^bearer\s+/i, 'Bearer is part of the header’s value, with one space behind it. It is not part of the token.'],
  [/^(?:access_?token|token)\s*[=:]\s*/i, 'There is a name before the token. The token is what follows it.'],
];

const instead: readonly (readonly [form: RegExp, says: string])[] = [
  [
    /^(?:undefined|null|none|nil|\[object Object\])$/i,
    'This is what a variable without a value gives: set the variable to the access_token first.',
  ],
  [
    /^(?:<[^<>]*>|\{\{?[^{}":]*\}?\}|\$\{?\w+\}?|%\w+%|access_?token|token)$/i,
    'This is a placeholder: put the access_token in its place.',
  ],
  [mistaken.clientId, 'This is a client_id. Exchange it, with its client_secret, for a token.'],
  [mistaken.credentials, 'These are credentials, a client_id and a client_secret. Exchange them for a token.'],
  [mistaken.webhookSecret, 'This is the secret of a webhook, not a token.'],
  [
    mistaken.clientSecret,
    'This is a client_secret, by its form. Exchange it, with its client_id, for a token. Show it to nobody.',
  ],
  [mistaken.id, 'This is the id of something, not a token.'],
  [/^[0-9a-f]{64}$/i, 'This is a signature or a hash in hexadecimal, by its form, not a token.'],
  [/^basic\s/i, 'Basic carries a client_id and a client_secret. A token comes after the word Bearer.'],
];

/** What is taken off one by one: a word, quotes. */
const maxLayers = 5;

export function readToken(pasted: string): TokenReading {
  const advice: string[] = [];
  let text = pasted.trim();
  if (text === '') return { advice };
  const answered = accessTokenOf(text);
  if (answered !== undefined) {
    advice.push('This is the whole answer of the token endpoint. The token is its access_token alone.');
    text = answered;
  }
  for (let layer = 0; layer < maxLayers; layer += 1) {
    const found = wrappers.find(([form]) => form.test(text));
    const quoted = /^(["'`])([\s\S]*)\1$/.exec(text);
    if (quoted) advice.push('The token is in quotes: send it without them.');
    else if (found) advice.push(found[1]);
    else break;
    text = (quoted ? (quoted[2] as string) : text.replace((found as (typeof wrappers)[number])[0], '')).trim();
  }
  const other = instead.find(([form]) => form.test(text));
  if (other) return { advice: [...advice, other[1]] };
  if (/\s/.test(text)) {
    advice.push('There is white space in it: a token is one word, without line ends.');
    text = text.replaceAll(/\s/g, '');
  }
  return { advice, ...decode(text, advice) };
}

function accessTokenOf(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { access_token: token } = JSON.parse(text);
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

/** Adds to `advice` what is wrong with the form. */
function decode(text: string, advice: string[]): { token?: DecodedToken } {
  const parts = text.split('.');
  const [head = '', body = '', tail = ''] = parts;
  if (parts.length !== 3) {
    advice.push(countOfParts(parts.length));
    if (parts.length !== 2) return {};
  }
  const header = objectIn(head, 'first part, the header', advice);
  const claims = objectIn(body, 'second part, the claims', advice);
  if (!header || !claims) return {};
  const signature = fromBase64Url(tail);
  if (parts.length === 3 && tail === '')
    advice.push('The third part, the signature, is empty: nobody may believe this token.');
  else if (header.alg === 'ES256' && parts.length === 3 && tail.length !== signatureLength)
    advice.push(
      `The signature has ${tail.length} characters, and one of ES256 has ${signatureLength}: the end was ${tail.length < signatureLength ? 'cut off' : 'added to'}.`,
    );
  else if (signature === undefined) advice.push('The third part, the signature, is no base64url.');
  return { token: { header, claims, signed: utf8(`${head}.${body}`), signature } };
}

function countOfParts(count: number): string {
  const has = 'A token has three parts with dots between them';
  if (count === 1) return `This has no dots. ${has}: this is something else.`;
  if (count === 2) return `This has two parts. ${has}: the signature, the last one, is missing.`;
  if (count === 5)
    return `This has five parts: it is an encrypted token (JWE). The tokens here are signed, and have three.`;
  return `This has ${count} parts. ${has}: was it pasted twice?`;
}

function objectIn(part: string, name: string, advice: string[]): Record<string, unknown> | undefined {
  const bytes = fromBase64Url(part);
  const text = bytes && fromUtf8(bytes);
  if (text === undefined) {
    const found = /[+/=]/.test(part) ? ' It has +, / or =, which are of plain base64.' : '';
    advice.push(`The ${name}, is no base64url.${found}`);
    return undefined;
  }
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below.
  }
  advice.push(`The ${name}, is no JSON object: was a part of it cut off?`);
  return undefined;
}

/** A line of a token, and what it says. */
export interface Explained {
  readonly name: string;
  /** As it stands in the JSON. */
  readonly value: string;
  readonly meaning: string;
  /** If it is a time. */
  readonly at?: string;
}

const headerMeanings: Record<string, string> = {
  alg: 'How it was signed. The tokens here are signed with ES256, and nothing else is taken.',
  kid: 'Which key it was signed with: one of those in the JWKS.',
  typ: 'What it is. at+jwt is a token for access (RFC 9068).',
};

const claimMeanings: Record<string, string> = {
  iss: 'Who issued it.',
  sub: 'Whom it speaks for: the client, or a person who let it in.',
  aud: 'For whom it is. Another service must refuse it.',
  exp: 'When it expires.',
  iat: 'When it was issued.',
  nbf: 'It is not valid before.',
  jti: 'Its own id.',
  client_id: 'The client that asked for it.',
  consent_id: 'The consent that it comes from. When that ends, the token does.',
  scope: 'What it allows, separated by spaces.',
};

const times = ['exp', 'iat', 'nbf'];

/** The members one by one. */
export function explained(token: DecodedToken): { readonly header: Explained[]; readonly claims: Explained[] } {
  return {
    header: Object.entries(token.header).map(([name, value]) => line(name, value, headerMeanings)),
    claims: Object.entries(token.claims).map(([name, value]) => line(name, value, claimMeanings)),
  };
}

function line(name: string, value: unknown, meanings: Record<string, string>): Explained {
  const meaning = Object.hasOwn(meanings, name) ? (meanings[name] as string) : 'Not a standard name: its issuer knows.';
  const shown = { name, value: typeof value === 'string' ? value : JSON.stringify(value), meaning };
  const at = times.includes(name) && typeof value === 'number' ? instantOf(value) : undefined;
  return at === undefined ? shown : { ...shown, at };
}

/** Undefined where no such instant is. */
function instantOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A key of a JWKS, as far as it is needed. */
export interface PublicKey {
  readonly kid?: string;
  readonly x?: string;
  readonly y?: string;
}

/** `right`: by one of the keys. `unknown-key`: by none that is known. `not-checked`: not of ES256. */
export type SignatureState = 'right' | 'wrong' | 'missing' | 'unknown-key' | 'not-checked';

export function signatureState(
  token: DecodedToken,
  keys: readonly PublicKey[],
  verify: typeof verifyEs256,
): SignatureState {
  const { signature } = token;
  if (signature?.length === 0) return 'missing';
  if (token.header.alg !== 'ES256') return 'not-checked';
  const key = keys.find(({ kid }) => kid === token.header.kid);
  const [x, y] = [fromBase64Url(key?.x ?? ''), fromBase64Url(key?.y ?? '')];
  if (!x?.length || !y?.length) return 'unknown-key';
  return signature && verify({ x, y }, token.signed, signature) ? 'right' : 'wrong';
}
