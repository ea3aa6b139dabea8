import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { counted } from '../text/counted.ts';
import { bodiesMeant, lineEnds, type Mistake } from '../text/signed-bytes.ts';

export type Verification = { valid: true } | { valid: false; detail: string };

/**
 * Checks a request's signature: hexadecimal HMAC-SHA256 of the body, keyed with the UTF-8 bytes of `secret`. A refusal
 * comes with a text for the sender: what arrived, what is wrong with it as far as that can be known, what to do.
 *
 * Two rules keep the text harmless. It repeats neither the right signature nor the one that arrived. And every guess
 * compares whole digests in constant time: a hint about a part of a signature would let it be found out part by part,
 * and a variant of the body (one with a line end more, say) could be a body worth forging.
 *
 * Specification: Authentication, 8; endpoint 10, rule 5.
 *
 * @param header the value of `X-Signature`, or all its values
 * @param body the bytes as they arrived, at most 64 KiB; need be neither JSON nor UTF-8
 */
export function verifySignature(header: string | string[] | undefined, body: Buffer, secret: string): Verification {
  // Node.js joins repeated headers with commas.
  const values = [header ?? []].flat().flatMap((value) => value.split(','));
  const arrived = `a body of ${counted(body.length, 'byte')}, whose SHA-256 is ${hash('sha256', body).toString('hex')}`;
  const refuse = (wrong: string, form: string, advice = ADVICE): Verification => ({
    valid: false,
    detail: `${wrong} Received: ${arrived}; ${form}.${advice}`,
  });

  const [signature] = values;
  if (signature === undefined) {
    return refuse('The header X-Signature is missing (curl leaves out a header with an empty value).', 'no signature');
  }
  if (values.length > 1) {
    const wrong = 'X-Signature was sent more than once, or holds a comma: send it once, with one signature.';
    return refuse(wrong, `${values.length} values in X-Signature`);
  }
  if (signature.trim() === '') {
    return refuse('The header X-Signature is empty: was the variable with the signature set?', 'an empty signature');
  }

  const { form, fault, digest } = read(signature);
  const fits = digest !== undefined && same(digest, hmac('sha256', secret, body));
  if (fits && fault === undefined) return { valid: true };

  const start = fault ?? 'The signature in X-Signature does not match this body.';
  const found = fits ? 'Otherwise it is right.' : digest && explain(digest, body, secret);
  if (found !== undefined) return refuse(`${start} ${found}`, `as signature, ${form}`, '');
  return refuse(start, `as signature, ${form}`);
}

const ADVICE =
  ' To sign, compute HMAC-SHA256 over exactly the bytes you send, with the shared secret as UTF-8 text for the key, and ' +
  'write it as 64 hexadecimal digits. By hand: openssl dgst -sha256 -hmac "$HMAC_SECRET" -r body.json | cut -c1-64 ' +
  'prints the signature of a file, and curl --data-binary @body.json sends that file unchanged, unlike curl -d. ' +
  'If sha256sum body.json prints another SHA-256 than the one above, you signed other bytes than you sent.';

/** How a signature is written, what is wrong with that, and the digest that was meant, if it can be told. */
interface Reading {
  form: string;
  fault: string | undefined;
  digest: Buffer | undefined;
}

/** The hash whose digests have so many bytes. */
const HASHES: Readonly<Record<number, string>> = {
  16: 'md5',
  20: 'sha1',
  28: 'sha224',
  32: 'sha256',
  48: 'sha384',
  64: 'sha512',
};

function read(signature: string): Reading {
  if (!/^sha256=/i.test(signature)) return readDigest(signature);
  const { form, fault, digest } = readDigest(signature.slice('sha256='.length));
  const faults = ['X-Signature begins with "sha256=": leave this prefix out.', fault].filter(Boolean).join(' ');
  return { form: `the prefix "sha256=" and ${form}`, fault: faults, digest };
}

function readDigest(text: string): Reading {
  return (
    readHex(text) ??
    readSeparated(text) ??
    readSurrounded(text) ??
    readBase64(text) ?? {
      form: text === '' ? 'nothing more' : `${counted(text.length, 'character')}, not all of them hexadecimal`,
      fault: 'The signature is not hexadecimal: it must be 64 digits from 0-9 and a-f.',
      digest: undefined,
    }
  );
}

function readHex(text: string): Reading | undefined {
  if (!/^[0-9a-f]+$/i.test(text)) return undefined;
  const fault = `The signature has the wrong length: HMAC-SHA256 gives 64 hexadecimal digits, not ${text.length}.`;
  return {
    form: counted(text.length, 'hexadecimal digit'),
    fault: text.length === 64 ? undefined : fault,
    digest: text.length / 2 in HASHES ? Buffer.from(text, 'hex') : undefined,
  };
}

function readSeparated(text: string): Reading | undefined {
  if (!/^[0-9a-f]{2}(?:[-: ][0-9a-f]{2}){31}$/i.test(text)) return undefined;
  return {
    form: '32 pairs of hexadecimal digits with separators',
    fault: 'The signature has separators between its hexadecimal digits: leave them out.',
    digest: Buffer.from(text.replaceAll(/[-: ]/g, ''), 'hex'),
  };
}

function readSurrounded(text: string): Reading | undefined {
  const match = /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/i.exec(text);
  if (match === null) return undefined;
  return {
    form: `64 hexadecimal digits and ${counted(text.length - 64, 'other character')} around them`,
    fault:
      'X-Signature holds more than the hexadecimal digits, such as quotes, a label or a file name: leave that out.',
    digest: Buffer.from(match[1] as string, 'hex'),
  };
}

function readBase64(text: string): Reading | undefined {
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const written = /[-_]/.test(text) ? 'base64url' : 'base64';
  const length = counted(text.length, 'character');
  if (/^[0-9a-f]{64}$/i.test(bytes.toString('latin1'))) {
    return {
      form: `${length}, which are 64 hexadecimal digits encoded in ${written}`,
      fault: `The signature is in hexadecimal, but encoded in ${written} once more: leave that step out.`,
      digest: Buffer.from(bytes.toString('latin1'), 'hex'),
    };
  }
  if (!(bytes.length in HASHES)) return undefined;
  return {
    form: `${length} that look like ${written} of ${bytes.length} bytes`,
    fault: `The signature is not hexadecimal; it looks like ${written}: write it as 64 digits from 0-9 and a-f.`,
    digest: bytes,
  };
}

/** What `digest`, which is not the right one, was made of: the first of the common mistakes that gives exactly it. */
function explain(digest: Buffer, body: Buffer, secret: string): string | undefined {
  for (const [made, finding] of mistakes(HASHES[digest.length] as string, body, secret)) {
    if (same(made, digest)) return finding;
  }
  return undefined;
}

function* mistakes(algorithm: string, body: Buffer, secret: string): Generator<[digest: Buffer, finding: string]> {
  const name = algorithm.toUpperCase();
  const plain = `It is the plain ${name.replace('SHA', 'SHA-')} of the body`;
  yield [hash(algorithm, body), `${plain}, made without the secret: use HMAC-SHA256, with the secret as its key.`];
  if (algorithm !== 'sha256') {
    yield [hmac(algorithm, secret, body), `It is the HMAC-${name} of the body: use HMAC-SHA256.`];
    return;
  }
  const joined =
    'It is the plain SHA-256 of the secret followed by the body, or the other way round: use HMAC-SHA256, which is computed in another way.';
  yield [hash('sha256', Buffer.concat([Buffer.from(secret), body])), joined];
  yield [hash('sha256', Buffer.concat([body, Buffer.from(secret)])), joined];
  yield [
    hmac('sha256', body, secret),
    'The key and the body are swapped: the secret is the key, the body the message.',
  ];
  for (const [key, meant, advice] of keysMeant(secret)) {
    yield [hmac('sha256', key, body), `The key was ${meant}, not the secret as it is shown: ${advice}.`];
  }
  for (const [bytes, meant, advice] of bodiesMeant(body, (data) => hash('sha256', data))) {
    yield [hmac('sha256', secret, bytes), `It matches ${meant}, not the body that arrived: ${advice}.`];
  }
}

function* keysMeant(secret: string): Generator<Mistake> {
  for (const [end, name] of lineEnds) {
    yield [secret + end, `the secret followed by ${name}`, 'remove it (echo adds a line end; printf does not)'];
  }
  yield [`${secret} `, 'the secret followed by a space', 'remove the space'];
  for (const mark of ['"', "'"]) yield [mark + secret + mark, `the secret in quotes (${mark})`, 'remove the quotes'];
  const asText = 'take its characters as UTF-8 bytes, without decoding them';
  for (const [form, encoding, name] of [
    [/^(?:[0-9a-f]{2})+$/i, 'hex', 'hexadecimal'],
    [/^[\w+/-]+=*$/, 'base64', 'base64'],
  ] as const) {
    if (form.test(secret)) yield [Buffer.from(secret, encoding), `the secret decoded from ${name}`, asText];
  }
  yield ['', 'empty', 'set the variable that should hold the secret'];
  for (const word of ['undefined', 'null', 'None']) {
    yield [word, `the word ${word}`, 'set the variable that should hold the secret'];
  }
  for (const name of ['HMAC_SECRET', '$HMAC_SECRET', '<HMAC_SECRET>', '{{HMAC_SECRET}}', '%HMAC_SECRET%']) {
    yield [name, `the text ${name}`, 'put the value of the secret in place of its name'];
  }
}

const hash = (algorithm: string, data: Uint8Array | string) => createHash(algorithm).update(data).digest();
const hmac = (algorithm: string, key: Uint8Array | string, data: Uint8Array | string) =>
  createHmac(algorithm, key).update(data).digest();
const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
