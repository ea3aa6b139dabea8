import { variants } from './body.ts';
import { base64, fromBase64, hex, utf8 } from './bytes.ts';
import { hmacSha256 } from './sha256.ts';

/* Checks a call of a webhook after the Standard Webhooks specification. Nothing is sent anywhere. */

/** Seconds by which a timestamp may be off. */
const tolerance = 5 * 60;

export interface Finding {
  readonly of: 'headers' | 'secret' | 'signature' | 'timestamp' | 'body';
  /** `warn`: it can't be told. */
  readonly mood: 'good' | 'note' | 'warn' | 'bad';
  readonly text: string;
}

export interface PastedCall {
  /** Lines such as `webhook-id: …`. */
  readonly headers: string;
  readonly body: string;
  readonly secret: string;
  /** What a receiver computed for it, if it is known. */
  readonly computed?: string;
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
type Name = (typeof names)[number];

export type WebhookHeaders = Partial<Record<Name, string>>;

/** The three headers in what was pasted: lines of `curl -v` or of a log, JSON, in any case. The last one of a name counts. */
export function readHeaders(text: string): WebhookHeaders {
  const found: WebhookHeaders = {};
  for (const name of names) {
    const line = new RegExp(
      `(?:^|[\\s"'{,>])${name}["']?(?:\\s*[:=]|\\t)\\s*\\[?\\s*(?:"([^"]*)"|'([^']*)'|([^\\n]*))`,
      'gi',
    );
    for (const [, double, single, plain] of text.matchAll(line)) {
      found[name] = (double ?? single ?? plain ?? '').trim().replace(/["',]+$/, '');
    }
  }
  return found;
}

/** What fits and what does not. `now`: seconds since 1970, in real time, which is that of webhook-timestamp. */
export function checkWebhook(call: PastedCall, now: number): readonly Finding[] {
  const headers = readHeaders(call.headers);
  const key = keyOf(call.secret);
  const findings = [...headerFindings(headers), key.finding];
  findings.push(...signatureFindings(headers, call, 'bytes' in key ? key.bytes : undefined));
  findings.push(...timestampFindings(headers['webhook-timestamp'], now), ...bodyFindings(headers, call.body));
  return findings;
}

/** What is signed: the id, the timestamp and the body, with dots between them. */
export function signedContent(headers: WebhookHeaders, body: string): string {
  return `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.${body}`;
}

/** The signature that fits; undefined without a usable secret. */
export function rightSignature(headers: WebhookHeaders, { body, secret }: PastedCall): string | undefined {
  const key = keyOf(secret);
  return 'bytes' in key ? `v1,${base64(hmacSha256(key.bytes, utf8(signedContent(headers, body))))}` : undefined;
}

function headerFindings(headers: WebhookHeaders): Finding[] {
  const missing = names.filter((name) => !headers[name]);
  if (missing.length === 0) return [{ of: 'headers', mood: 'good', text: 'All three headers are there.' }];
  const text = `Missing: ${missing.join(', ')}. Each call has webhook-id, webhook-timestamp and webhook-signature.`;
  return [{ of: 'headers', mood: 'bad', text }];
}

type Key = { readonly finding: Finding; readonly bytes: Uint8Array } | { readonly finding: Finding };

function keyOf(pasted: string): Key {
  const bad = (text: string): Key => ({ finding: { of: 'secret', mood: 'bad', text } });
  const secret = pasted.trim();
  if (secret === '') return bad('Paste the secret of the subscription. It was shown once, when you made it.');
  if (/^v1a?,/.test(secret)) return bad('This is a signature. The secret begins with whsec_.');
  if (/^whpk_|^whsk_/.test(secret)) return bad('This is a key for v1a signatures. The secrets here begin with whsec_.');
  const digits = secret.replace(/^whsec_/, '');
  const bytes = digits === '' ? undefined : fromBase64(digits);
  if (!bytes) return bad('What follows whsec_ must be base64, and this is not: was a part of it cut off?');
  if (digits === secret)
    return {
      bytes,
      finding: { of: 'secret', mood: 'note', text: 'The secret lacks whsec_ before it. The rest is read as base64.' },
    };
  const text = `The secret has the right form. Its key is the ${bytes.length} bytes that follow whsec_ in base64.`;
  return { bytes, finding: { of: 'secret', mood: 'good', text } };
}

/** The v1 signatures in a header; it may have several, with spaces between them. */
function signaturesIn(header: string): { v1: string[]; others: string[] } {
  const parts = header.split(/\s+/).filter((part) => part !== '');
  return {
    v1: parts.filter((part) => part.startsWith('v1,')).map((part) => part.slice(3)),
    others: parts.filter((part) => !part.startsWith('v1,')),
  };
}

/** What stands in the log of L-Plate in the place of a signature. */
const placeholder = /\(signature, \d+ characters, [\w ]+\)/;

function signatureFindings(headers: WebhookHeaders, call: PastedCall, key: Uint8Array | undefined): Finding[] {
  const header = headers['webhook-signature'];
  if (!header) return [];
  const own = (right: Uint8Array) =>
    call.computed?.trim() ? [ownMistake(headers, call, call.computed.trim(), right)] : [];
  if (placeholder.test(header)) {
    const text =
      'This is a placeholder: Traffic hides signatures. Log the headers in your receiver and paste them here. What your code computes can be checked without them.';
    return [{ of: 'signature', mood: 'warn', text }, ...(key ? own(key) : [])];
  }
  if (!key) return [];
  const { v1, others } = signaturesIn(header);
  const findings: Finding[] = [];
  if (others.length > 0)
    findings.push({
      of: 'signature',
      mood: 'note',
      text: `Passed over, since only v1 is known here: ${others.map((other) => other.split(',')[0]).join(', ')}.`,
    });
  if (v1.length === 0)
    findings.push({ of: 'signature', mood: 'bad', text: 'webhook-signature must be v1, a comma and base64.' });
  else findings.push(matching(headers, call.body, v1, key));
  return [...findings, ...own(key)];
}

/** The body that one of the signatures was made for: the one that was pasted, or a variant of it. */
function signedBody(headers: WebhookHeaders, body: string, v1: readonly string[], key: Uint8Array) {
  for (const [text, how] of variants(body)) {
    const right = base64(hmacSha256(key, utf8(signedContent(headers, text))));
    const at = v1.indexOf(right);
    if (at >= 0) return { text, how, at };
  }
  return undefined;
}

function matching(headers: WebhookHeaders, body: string, v1: readonly string[], key: Uint8Array): Finding {
  const found = signedBody(headers, body, v1, key);
  if (!found) {
    const many = v1.length > 1 ? `None of the ${v1.length} signatures fits` : 'The signature does not fit';
    const text = `${many}. It was made with another secret, for another id or timestamp, or the body was changed. A receiver must refuse this call.`;
    return { of: 'signature', mood: 'bad', text };
  }
  const which = v1.length > 1 ? `Signature ${found.at + 1} of ${v1.length}` : 'The signature';
  if (found.text === body)
    return { of: 'signature', mood: 'good', text: `${which} fits the id, the timestamp and the body.` };
  const text = `${which} fits the body ${found.how}. So the body changed on its way: check the bytes as they arrive, before anything parses them.`;
  return { of: 'signature', mood: 'bad', text };
}

/** What a receiver's own code seems to do, by what it computed. */
function ownMistake(headers: WebhookHeaders, call: PastedCall, computed: string, key: Uint8Array): Finding {
  const bare = computed.replace(/^v1,/, '');
  for (const [bytes, how] of mistakes(headers, call, key)) {
    const written = [
      [base64(bytes), ''],
      [base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''), ' It wrote it in base64url.'],
      [hex(bytes), ' It wrote it in hexadecimal: write it in base64.'],
    ] as const;
    const found = written.find(([form]) => form === bare || (form === hex(bytes) && form === bare.toLowerCase()));
    if (!found) continue;
    const right = how === undefined && found[1] === '';
    const text = `${how ?? 'Your code signs the right content with the right key.'}${found[1]}`;
    return { of: 'signature', mood: right ? 'good' : 'bad', text: `What your code computed: ${text}` };
  }
  return {
    of: 'signature',
    mood: 'bad',
    text: 'What your code computed comes from none of the common mistakes. Compare the bytes that it signs with those below.',
  };
}

function* mistakes(
  headers: WebhookHeaders,
  { body, secret }: PastedCall,
  key: Uint8Array,
): Generator<readonly [bytes: Uint8Array, how: string | undefined]> {
  const text = secret.trim();
  const keys: readonly (readonly [Uint8Array, string | undefined])[] = [
    [key, undefined],
    [utf8(text), 'the key was the whole secret as text. It is what follows whsec_, decoded from base64.'],
    [utf8(text.replace(/^whsec_/, '')), 'the key was the text after whsec_. Decode it from base64 first.'],
  ];
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = headers;
  const sent = signedBody(headers, body, signaturesIn(signature).v1, key)?.text ?? body;
  for (const [each, keyFault] of keys) {
    for (const [variant, how] of variants(body)) {
      const fault = variant === body ? undefined : `it signed the body ${how}. Sign the bytes that arrived.`;
      yield [hmacSha256(each, utf8(signedContent(headers, variant))), keyFault ?? fault];
    }
    const contents = [
      [sent, 'it signed the body alone. Sign the id, the timestamp and the body, with dots between them.'],
      [`${timestamp}.${sent}`, 'it signed the timestamp and the body. The id comes first.'],
      [`${id}.${sent}`, 'it left the timestamp out.'],
      [`${timestamp}.${id}.${sent}`, 'it signed the timestamp before the id. The id comes first.'],
      [`${id}${timestamp}${sent}`, 'it left the dots out.'],
    ] as const;
    for (const [content, fault] of contents) {
      yield [hmacSha256(each, utf8(content)), keyFault ? `${keyFault} And ${fault}` : fault];
    }
  }
}

function timestampFindings(header: string | undefined, now: number): Finding[] {
  if (!header) return [];
  const bad = (text: string): Finding[] => [{ of: 'timestamp', mood: 'bad', text }];
  if (!/^\d{1,15}$/.test(header)) return bad('webhook-timestamp must be whole seconds since 1970.');
  const seconds = Number(header);
  if (seconds > 100_000_000_000) return bad('webhook-timestamp seems to be in milliseconds. It must be in seconds.');
  const old = now - seconds;
  if (Math.abs(old) <= tolerance)
    return [{ of: 'timestamp', mood: 'good', text: 'The timestamp is within 5 minutes of now.' }];
  const much = `${Math.round(Math.abs(old) / 60)} minutes`;
  if (old < 0)
    return bad(`The timestamp is ${much} ahead. A receiver refuses more than 5 minutes: is its clock right?`);
  const text = `The timestamp is ${much} old by now. A receiver refuses it after 5 minutes, so that nobody sends a call that was recorded. When it came it may have been right.`;
  return [{ of: 'timestamp', mood: 'note', text }];
}

function bodyFindings(headers: WebhookHeaders, body: string): Finding[] {
  if (body === '') return [{ of: 'body', mood: 'bad', text: 'The body is empty.' }];
  try {
    const { eventId } = JSON.parse(body) ?? {};
    if (typeof eventId !== 'string' || !headers['webhook-id']) return [];
    const same = eventId === headers['webhook-id'];
    const text = same
      ? 'webhook-id is the eventId in the body: process each one once.'
      : 'webhook-id is another than the eventId in the body. In the calls of L-Plate they are the same.';
    return [{ of: 'body', mood: same ? 'good' : 'bad', text }];
  } catch {
    return [{ of: 'body', mood: 'note', text: 'The body is no JSON. That says nothing of the signature.' }];
  }
}
