import { equal, fromBase64Url, fromUtf8, joined, utf8 } from './bytes.ts';

/* Badges by Open Badges 3.0 as JWT (1EdTech, 8.2): the id of the key, and the check, with what Node.js and browsers have in common. */

/** The public key of ES256 as JWK (RFC 7518, 6.2.1). */
export interface BadgeKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  /** Coordinates, 32 bytes each, in base64url. */
  readonly x: string;
  readonly y: string;
}

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** `p256-pub` (0x1200) of the table of multicodec, as a varint. */
const p256Code = Uint8Array.of(0x80, 0x24);

/** Bytes of a coordinate. */
const coordinate = 32;

/** The `did:key` of a key (W3C CCG, did:key method, P-256). Undefined if its coordinates are none. */
export function didKey({ x, y }: BadgeKey): string | undefined {
  const [across, up] = [fromBase64Url(x), fromBase64Url(y)];
  if (across?.length !== coordinate || up?.length !== coordinate) return undefined;
  const compressed = joined(p256Code, Uint8Array.of(2 + ((up.at(-1) as number) & 1)), across);
  return `did:key:z${base58(compressed)}`;
}

/** Base58 of Bitcoin. The bytes begin with no zero. */
function base58(bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  while (rest > 0n) {
    text = digits[Number(rest % 58n)] + text;
    rest /= 58n;
  }
  return text;
}

/** Why a badge is not taken, in words. */
export const badgeFaults = {
  'no-badge':
    'This is no badge. A badge is a text of three parts with dots between them, or a picture that has one inside.',
  forged: 'The signature is wrong: the badge was changed after it was signed, or another key signed it than it names.',
  'other-key': 'It was signed by another key than the pinned one.',
  altered: 'Its parts contradict each other: whoever signed it put it together from others.',
  'not-yet': 'It is valid from a later time on.',
  expired: 'It has expired.',
} as const;

/** What a badge does not prove, whoever checks it. */
export const badgeLimits =
  'It doesn’t prove who the person is whose name it shows, nor that this person wrote the programs.';

type BadgeFault = keyof typeof badgeFaults;

export interface BadgeCheck {
  readonly fault: BadgeFault | undefined;
  /** The `did:key` of the key that it names; undefined if it names none. */
  readonly key: string | undefined;
  /** What it says, to be believed only without a fault. */
  readonly credential: Readonly<Record<string, unknown>> | undefined;
}

export interface BadgeCheckOptions {
  /** Checks a signature of ES256. */
  readonly verify: (
    key: { readonly x: Uint8Array; readonly y: Uint8Array },
    message: Uint8Array,
    signature: Uint8Array,
  ) => boolean | Promise<boolean>;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The `did:key` of the only key that is believed. */
  readonly pinned?: string;
}

/** Characters of a badge that is looked at. */
const longestBadge = 200_000;

/** Checks a badge, a JWS in its compact form, by the key that it names. */
export async function checkBadge(text: string, { verify, now, pinned }: BadgeCheckOptions): Promise<BadgeCheck> {
  const parts = text.length > longestBadge ? [] : text.trim().split('.');
  const [head = '', body = '', end = ''] = parts;
  const [header, credential, signature] = [members(head), members(body), fromBase64Url(end)];
  const jwk = header?.['jwk'] as BadgeKey | undefined;
  const named = jwk && typeof jwk.x === 'string' && typeof jwk.y === 'string';
  const key = named ? didKey(jwk) : undefined;
  const no = (fault: BadgeFault): BadgeCheck => ({ fault, key, credential });
  const types = [credential?.['type']].flat();
  const isBadge = types.includes('OpenBadgeCredential') || types.includes('AchievementCredential');
  if (parts.length !== 3 || !jwk || !key || !signature || !isBadge || header?.['alg'] !== 'ES256')
    return no('no-badge');
  const [x, y] = [fromBase64Url(jwk.x), fromBase64Url(jwk.y)] as [Uint8Array, Uint8Array];
  if (!(await believed(verify, { x, y }, utf8(`${head}.${body}`), signature))) return no('forged');
  if (pinned !== undefined && pinned !== key) return no('other-key');
  if (!agrees(credential ?? {}, key)) return no('altered');
  const [from, until] = [Number(credential?.['nbf'] ?? 0), Number(credential?.['exp'] ?? Number.POSITIVE_INFINITY)];
  if (!(from * 1000 <= now)) return no('not-yet');
  if (!(now < until * 1000)) return no('expired');
  return { fault: undefined, key, credential };
}

/** A point that is not on the curve makes libraries throw. */
async function believed(verify: BadgeCheckOptions['verify'], ...signed: Parameters<BadgeCheckOptions['verify']>) {
  try {
    return await verify(...signed);
  } catch {
    return false;
  }
}

/** The claims repeat what the credential says (Open Badges 3.0, 8.2.4.1), and a `did:key` is that of the key. */
function agrees({ iss, jti, sub, nbf, ...credential }: Readonly<Record<string, unknown>>, key: string): boolean {
  const { issuer, credentialSubject: subject, id, validFrom } = credential;
  const issuerId = typeof issuer === 'string' ? issuer : (issuer as { id?: unknown } | undefined)?.id;
  if (typeof issuerId !== 'string' || (issuerId.startsWith('did:key:') && issuerId !== key)) return false;
  const subjectId = (subject as { id?: unknown } | undefined)?.id;
  return iss === issuerId && jti === id && sub === subjectId && Number(nbf) * 1000 === Date.parse(String(validFrom));
}

function members(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = fromBase64Url(part);
  const text = bytes && fromUtf8(bytes);
  if (!bytes || text === undefined || !equal(utf8(text), bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The texts of a credential, which others wrote: none is where another thing is. */
export function badgeTexts(credential: BadgeCheck['credential']) {
  const subject = membersOf(credential?.['credentialSubject']);
  const issuer = membersOf(credential?.['issuer']);
  const [identity] = [subject.identifier].flat();
  const validFrom = textOf(credential?.['validFrom']);
  return {
    name: textOf(membersOf(identity).identityHash) || textOf(subject.id),
    narrative: textOf(subject.narrative),
    issuer: [textOf(issuer.name), textOf(issuer.url)].filter((each) => each !== '').join(', '),
    from: Number.isNaN(Date.parse(validFrom)) ? undefined : validFrom,
  };
}

const membersOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
