import { base64, fromBase64 } from '../../../src/text/bytes.ts';
import { checkSignature, signedBody, signedText } from '../../../src/webhooks/signature-check.ts';
import { sha256 } from '../../model/sha256.ts';

/*
 * Checks a call of a webhook after the Standard Webhooks specification, with the texts that check-signature of the interface
 * answers. Nothing is sent anywhere.
 */

/** Seconds by which a timestamp may be off. */
const tolerance = 5 * 60;

export interface Finding {
  readonly of: 'headers' | 'secret' | 'signature' | 'timestamp' | 'body';
  /** `warn`: it can't be told, as of what was not pasted yet. */
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
  return [
    headerFinding(call.headers, headers),
    key.finding,
    ...signatureFindings(headers, call, 'bytes' in key),
    ...timestampFindings(headers['webhook-timestamp'], now),
    ...bodyFindings(headers, call.body),
  ];
}

/** What is signed. */
export function signedContent(headers: WebhookHeaders, body: string): string {
  return signedText({ id: headers['webhook-id'] ?? '', timestamp: headers['webhook-timestamp'] ?? '', body });
}

/** The signature that fits; undefined without a usable secret. */
export function rightSignature(headers: WebhookHeaders, { body, secret }: PastedCall): string | undefined {
  const key = keyOf(secret);
  return 'bytes' in key ? `v1,${base64(sha256(signedContent(headers, body), key.bytes))}` : undefined;
}

function headerFinding(pasted: string, headers: WebhookHeaders): Finding {
  const finding = (mood: Finding['mood'], text: string): Finding => ({ of: 'headers', mood, text });
  if (pasted.trim() === '') return finding('warn', 'Paste the headers of the call.');
  const missing = names.filter((name) => !headers[name]);
  if (missing.length === 0) return finding('good', 'All three headers are there.');
  return finding(
    'bad',
    `Missing: ${missing.join(', ')}. Each call has webhook-id, webhook-timestamp and webhook-signature.`,
  );
}

type Key = { readonly finding: Finding; readonly bytes: Uint8Array } | { readonly finding: Finding };

function keyOf(pasted: string): Key {
  const finding = (mood: Finding['mood'], text: string): Key => ({ finding: { of: 'secret', mood, text } });
  const bad = (text: string) => finding('bad', text);
  const secret = pasted.trim();
  if (secret === '')
    return finding('warn', 'Paste the secret of the subscription. It was shown once, when you made it.');
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

/** What stands in the log of L-Plate in the place of a signature. */
const placeholder = /\(signature, \d+ characters, [\w ]+\)/;

function signatureFindings(headers: WebhookHeaders, pasted: PastedCall, hasKey: boolean): Finding[] {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers;
  if (!signature) return [];
  const secret = pasted.secret.trim();
  const call = { id, timestamp, body: pasted.body, signature };
  const finding = (mood: Finding['mood'], text: string): Finding => ({ of: 'signature', mood, text });
  const checked = (of: typeof call, before = '') => {
    const { valid, detail } = checkSignature(secret, of, sha256);
    return finding(valid ? 'good' : 'bad', `${before}${detail}`);
  };
  const findings: Finding[] = [];
  if (placeholder.test(signature)) {
    const text =
      'This is a placeholder: Traffic hides signatures. Log the headers in your receiver and paste them here. What your code computes can be checked without them.';
    findings.push(finding('warn', text));
  } else if (hasKey) {
    const others = signature.split(/\s+/).filter((each) => !each.startsWith('v1,'));
    const versions = others.map((other) => other.split(',')[0]).join(', ');
    if (versions) findings.push(finding('note', `Passed over, since only v1 is known here: ${versions}.`));
    findings.push(checked(call));
  }
  const computed = pasted.computed?.trim();
  if (hasKey && computed) {
    // A digest alone is right, too: it is compared with what follows v1 and the comma.
    const given = computed.includes(',') ? computed : `v1,${computed}`;
    const body = signedBody(secret, call, sha256) ?? call.body;
    findings.push(checked({ ...call, body, signature: given }, 'What your code computed: '));
  }
  return findings;
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
  if (body === '') return [{ of: 'body', mood: 'warn', text: 'Paste the body of the call.' }];
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
