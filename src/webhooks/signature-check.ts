import { base64, equal, fromAnyBase64, fromHex, fromUtf8, joined, utf8 } from '../text/bytes.ts';
import { bodiesMeant, type Sha256 } from '../text/signed-bytes.ts';
import type { ReceivedCall, SignatureFinding } from './signature-schemas.ts';

/*
 * Tells the author of a receiver why a signature does not fit: what it was made of, if that is one of the common mistakes.
 * It is asked by the owner of the secret alone, so it gives nothing away. The Workbench of the console asks it as well.
 */

const sha256Length = 32;

/** The secrets of a subscription, with their prefix `whsec_`. */
export interface SubscriptionSecrets {
  readonly secret: string;
  /** The one before, and until when it signs beside the new one. */
  readonly previous?: { readonly secret: string; readonly until: string; readonly holds: boolean };
}

/** As `checkSignature`. A signature of the secret before is told as such, also when it has ended. */
export function checkSignatures(
  { secret, previous }: SubscriptionSecrets,
  call: ReceivedCall,
  sha256: Sha256,
): SignatureFinding {
  const finding = checkSignature(secret, call, sha256);
  if (finding.valid || !previous || !checkSignature(previous.secret, call, sha256).valid) return finding;
  const { until, holds } = previous;
  const detail = holds
    ? `The signature fits, with the secret before. It signs beside the new one until ${until}: take the new one before then.`
    : `It was made with the secret before, which ended at ${until}. Take the new one.`;
  return { valid: holds, detail };
}

/** `secret`: with its prefix `whsec_`. */
export function checkSignature(secret: string, call: ReceivedCall, sha256: Sha256): SignatureFinding {
  const given = call.signature.trim().split(/\s+/);
  const right = sha256(signedText(call), keyOf(secret));
  // A header has several while a secret is replaced: one that fits is enough.
  const fits = given.map(read).some(({ digest, fault }) => digest && !fault && equal(digest, right));
  if (fits) return { valid: true, detail: 'The signature fits this id, this timestamp and this body.' };
  return { valid: false, detail: faultOf(given[0] as string, right, secret, call, sha256) };
}

function faultOf(given: string, right: Uint8Array, secret: string, call: ReceivedCall, sha256: Sha256): string {
  if (given === '') return 'The signature is empty.';
  if (/^v1a,/.test(given)) return 'It begins with v1a, which is for signatures with a public key. Here it is v1.';
  if (given.startsWith('whsec_'))
    return 'This is the secret, not a signature. A signature begins with v1, and a comma.';
  const { digest, fault } = read(given);
  if (!digest) return 'This is no signature: it must be v1, a comma, and 32 bytes in base64, which are 44 characters.';
  const found = equal(digest, right)
    ? 'It is made of the right content with the right key.'
    : explain(digest, secret, call, sha256);
  if (found) return [found, fault].filter(Boolean).join(' ');
  return 'It was made with another secret, for another id or timestamp, or for another body, and by none of the common mistakes. Take the secret of this subscription, the headers as they were sent, and the body as it arrived, before anything parses it.';
}

/** The body that one of the signatures was made for: that of the call, or what it was before something changed it. */
export function signedBody(secret: string, call: ReceivedCall, sha256: Sha256): string | undefined {
  const digests = call.signature.split(/\s+/).flatMap((each) => read(each).digest ?? []);
  const fits = (content: Uint8Array | string) => {
    const right = sha256(content, keyOf(secret));
    return digests.some((digest) => equal(digest, right));
  };
  if (fits(signedText(call))) return call.body;
  for (const { content, body } of otherContents(call, sha256)) if (fits(content)) return fromUtf8(body);
  return undefined;
}

/** The digest that is written in a signature, and what is wrong with how it is written. */
function read(given: string): { digest: Uint8Array | undefined; fault?: string } {
  const text = given.replace(/^v1,/, '');
  const unnamed = text === given ? 'Write v1 and a comma before it.' : undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) {
    return {
      digest: fromHex(text),
      fault: 'It is in hexadecimal: write it in base64, after v1 and a comma.',
    };
  }
  if (!/^(?:[A-Za-z0-9+/]+|[\w-]+)={0,2}$/.test(text)) return { digest: undefined };
  const digest = fromAnyBase64(text);
  if (digest.length !== sha256Length) return { digest: undefined };
  const urlSafe = text !== base64(digest);
  const fault = urlSafe ? 'It is in base64url, or lacks the = at its end: write it in base64.' : unnamed;
  return fault ? { digest, fault } : { digest };
}

/** What is signed: the id, the timestamp and the body, with dots between them. */
export function signedText({ id, timestamp, body }: Omit<ReceivedCall, 'signature'>): string {
  return `${id}.${timestamp}.${body}`;
}

const keyOf = (secret: string) => fromAnyBase64(afterPrefix(secret));

const afterPrefix = (secret: string) => secret.replace(/^whsec_/, '');

/** The first of the common mistakes that gives exactly this digest. */
function explain(digest: Uint8Array, secret: string, call: ReceivedCall, sha256: Sha256): string | undefined {
  const keys = keysMeant(secret);
  for (const [key, keyFault] of keys) {
    for (const [content, fault] of contentsMeant(call))
      if (equal(digest, sha256(content, key))) return [keyFault, fault].filter(Boolean).join(' ');
  }
  // Of all keys with all bodies it would be too much work.
  const usual = keys.slice(0, 3);
  for (const { content, meant } of otherContents(call, sha256)) {
    const key = usual.find(([key]) => equal(digest, sha256(content, key)));
    if (!key) continue;
    const fault = `It fits ${meant}, not the body that you gave. Sign and verify the bytes as they are sent: something parsed the body, or changed it on the way.`;
    return [key[1], fault].filter(Boolean).join(' ');
  }
  if (equal(digest, sha256(signedText(call))))
    return 'It is the plain SHA-256 of the content, made without the secret. Use HMAC-SHA256, with the secret as its key.';
  return undefined;
}

/** What was signed if the body was another one, and what that is. */
function* otherContents(call: ReceivedCall, sha256: Sha256) {
  const start = utf8(signedText({ ...call, body: '' }));
  for (const [text, meant] of bodiesMeant(utf8(call.body), sha256)) {
    const body = typeof text === 'string' ? utf8(text) : text;
    yield { content: joined(start, body), body, meant };
  }
}

type Reading = readonly [bytes: Uint8Array | string, fault: string | undefined];

/** Those that are often taken come first. */
function keysMeant(secret: string): Reading[] {
  const text = afterPrefix(secret);
  return [
    [keyOf(secret), undefined],
    [secret, 'The key was the whole secret as text. It is what follows whsec_, decoded from base64.'],
    [text, 'The key was the text after whsec_. Decode it from base64 first.'],
    [fromAnyBase64(secret), 'The key was the whole secret, decoded from base64. Leave whsec_ out first.'],
    ['', 'The key was empty: was the variable with the secret set?'],
    ['undefined', 'The key was the word undefined: was the variable with the secret set?'],
  ];
}

function contentsMeant({ id, timestamp, body }: ReceivedCall): Reading[] {
  return [
    [signedText({ id, timestamp, body }), undefined],
    [body, 'It signs the body alone. Sign the id, the timestamp and the body, with dots between them.'],
    [`${timestamp}.${body}`, 'It signs the timestamp and the body. The id comes first.'],
    [`${id}.${body}`, 'It leaves the timestamp out.'],
    [`${timestamp}.${id}.${body}`, 'It has the timestamp before the id. The id comes first.'],
    [`${id}${timestamp}${body}`, 'It leaves the dots out.'],
    [`${id}.${timestamp}`, 'It leaves the body out.'],
    [`${id}.${timestamp}000.${body}`, 'It has the timestamp in milliseconds. It is in seconds.'],
  ];
}
