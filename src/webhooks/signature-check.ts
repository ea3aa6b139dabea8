import { bodiesMeant, hash, hmac, same } from '../text/signed-bytes.ts';

/*
 * Tells the author of a receiver why a signature does not fit: what it was made of, if that is one of the common mistakes.
 * It is asked by the owner of the secret alone, so it gives nothing away.
 */

/** A call of a webhook as a receiver has it, and the signature that was sent or that the receiver computed. */
export interface ReceivedCall {
  /** `webhook-id` */
  readonly id: string;
  /** `webhook-timestamp` */
  readonly timestamp: string;
  readonly body: string;
  /** `webhook-signature`, one or more of them, or a digest in base64 or hexadecimal. */
  readonly signature: string;
}

export interface SignatureFinding {
  readonly valid: boolean;
  /** What is right or wrong, and what to do. */
  readonly detail: string;
}

const sha256Length = 32;

/** `secret`: with its prefix `whsec_`. */
export function checkSignature(secret: string, call: ReceivedCall): SignatureFinding {
  const given = call.signature.trim().split(/\s+/);
  const findings = given.map((each) => checkOne(secret, call, each));
  const [first] = findings;
  // A header has several while a secret is replaced: one that fits is enough.
  return findings.find(({ valid }) => valid) ?? (first as SignatureFinding);
}

function checkOne(secret: string, call: ReceivedCall, given: string): SignatureFinding {
  const wrong = (detail: string) => ({ valid: false, detail });
  if (given === '') return wrong('The signature is empty.');
  if (/^v1a,/.test(given))
    return wrong('It begins with v1a, which is for signatures with a public key. Here it is v1.');
  if (given.startsWith('whsec_'))
    return wrong('This is the secret, not a signature. A signature begins with v1, and a comma.');
  const { digest, fault } = read(given);
  if (!digest)
    return wrong('This is no signature: it must be v1, a comma, and 32 bytes in base64, which are 44 characters.');
  const right = hmac('sha256', keyOf(secret), contentOf(call, call.body));
  if (same(digest, right)) {
    if (fault) return wrong(`It is made of the right content with the right key. ${fault}`);
    return { valid: true, detail: 'The signature fits this id, this timestamp and this body.' };
  }
  const found = explain(digest, secret, call);
  if (found) return wrong([found, fault].filter(Boolean).join(' '));
  return wrong(
    'It was made with another secret, for another id or timestamp, or for another body, and by none of the common mistakes. Take the secret of this subscription, the headers as they were sent, and the body as it arrived, before anything parses it.',
  );
}

/** The digest that is written in a signature, and what is wrong with how it is written. */
function read(given: string): { digest: Buffer | undefined; fault?: string } {
  const text = given.replace(/^v1,/, '');
  const unnamed = text === given ? 'Write v1 and a comma before it.' : undefined;
  if (/^[0-9a-f]{64}$/i.test(text)) {
    return {
      digest: Buffer.from(text, 'hex'),
      fault: 'It is in hexadecimal: write it in base64, after v1 and a comma.',
    };
  }
  if (!/^(?:[A-Za-z0-9+/]+|[\w-]+)={0,2}$/.test(text)) return { digest: undefined };
  const digest = Buffer.from(text, 'base64');
  if (digest.length !== sha256Length) return { digest: undefined };
  const urlSafe = text !== digest.toString('base64');
  const fault = urlSafe ? 'It is in base64url, or lacks the = at its end: write it in base64.' : unnamed;
  return fault ? { digest, fault } : { digest };
}

/** What is signed, with dots between its parts. */
function contentOf({ id, timestamp }: ReceivedCall, body: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
}

/** The key of a secret. */
function keyOf(secret: string): Buffer {
  return Buffer.from(afterPrefix(secret), 'base64');
}

const afterPrefix = (secret: string) => secret.replace(/^whsec_/, '');

/** The first of the common mistakes that gives exactly this digest. */
function explain(digest: Buffer, secret: string, call: ReceivedCall): string | undefined {
  for (const [key, keyFault] of keysMeant(secret)) {
    for (const [content, fault] of contentsMeant(call)) {
      if (same(digest, hmac('sha256', key, content))) return [keyFault, fault].filter(Boolean).join(' ');
    }
  }
  for (const [bytes, meant] of bodiesMeant(Buffer.from(call.body))) {
    if (!same(digest, hmac('sha256', keyOf(secret), contentOf(call, Buffer.from(bytes))))) continue;
    return `It fits ${meant}, not the body that you gave. Sign and verify the bytes as they are sent: something parsed the body, or changed it on the way.`;
  }
  if (same(digest, hash('sha256', contentOf(call, call.body))))
    return 'It is the plain SHA-256 of the content, made without the secret. Use HMAC-SHA256, with the secret as its key.';
  return undefined;
}

type Meant = readonly [bytes: Buffer | string, fault: string | undefined];

function keysMeant(secret: string): Meant[] {
  const text = afterPrefix(secret);
  return [
    [keyOf(secret), undefined],
    [secret, 'The key was the whole secret as text. It is what follows whsec_, decoded from base64.'],
    [text, 'The key was the text after whsec_. Decode it from base64 first.'],
    [Buffer.from(secret, 'base64'), 'The key was the whole secret, decoded from base64. Leave whsec_ out first.'],
    ['', 'The key was empty: was the variable with the secret set?'],
    ['undefined', 'The key was the word undefined: was the variable with the secret set?'],
  ];
}

function contentsMeant(call: ReceivedCall): Meant[] {
  const { id, timestamp, body } = call;
  return [
    [contentOf(call, body), undefined],
    [body, 'It signs the body alone. Sign the id, the timestamp and the body, with dots between them.'],
    [`${timestamp}.${body}`, 'It signs the timestamp and the body. The id comes first.'],
    [`${id}.${body}`, 'It leaves the timestamp out.'],
    [`${timestamp}.${id}.${body}`, 'It has the timestamp before the id. The id comes first.'],
    [`${id}${timestamp}${body}`, 'It leaves the dots out.'],
    [`${id}.${timestamp}`, 'It leaves the body out.'],
    [`${id}.${timestamp}000.${body}`, 'It has the timestamp in milliseconds. It is in seconds.'],
  ];
}
