import { ok } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { exampleReceiver } from '../../../src/webhooks/index.ts';
import { encodings } from '../../support/encodings.ts';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { logOf } from '../range.ts';

/** Secrets of 32 characters, as they are made where none are set. */
const secrets = {
  hmacSecret: 'q7Hn2-VbT0xYpK4mWc8LzRd1_sGjUeA5',
  readerClientSecret: 'mZ3uQk9_PfXw6Lh2NtBv-Yc7RgJs4DaE',
  fleetClientSecret: 'Tg8Wc5HsYn1_RbK7vMxq-L0eJfPd4ZuA',
  trainerToken: 'Uv6Jm1XcRk-0pQnSg_9tHw4BzLy7DfEa',
};

/** How the bytes of a body come. */
const charsets: Readonly<Record<string, (text: string) => Buffer>> = {
  utf8: (text) => Buffer.from(text),
  latin1: (text) => Buffer.from(`ü${text}`, 'latin1'),
  utf16: (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  utf16WithoutMark: (text) => Buffer.from(`ü${text}`, 'utf16le'),
  bigEndian: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  bigEndianWithoutMark: (text) => Buffer.from(`ü${text}`, 'utf16le').swap16(),
  utf32: (text) => Buffer.from([...text].flatMap((each) => [each.charCodeAt(0), 0, 0, 0])),
  gzip: (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  rawDeflate: (text) => deflateRawSync(text),
  br: (text) => brotliCompressSync(text),
};
const codings: Readonly<Record<string, string>> = { gzip: 'gzip', deflate: 'deflate', rawDeflate: 'deflate', br: 'br' };

interface Hiding {
  readonly secret: number;
  readonly first: keyof typeof encodings;
  readonly second: keyof typeof encodings;
  readonly place: string;
  readonly before: string;
  readonly charset: keyof typeof charsets;
  /** Whether the coding of the body is told. */
  readonly told: boolean;
}

const headerNames = [
  ...['Authorization', 'Authorisation', 'X-Authorization', 'Autorization', 'Proxy-Authorization', 'Authentication'],
  ...[
    'Signature',
    'X-Hub-Signature-256',
    'X-Signatur',
    'X-Api-Key',
    'Cookie',
    'X-Anything',
    'Idempotency-Key',
    'Referer',
  ],
];
const bodies: Readonly<Record<string, (text: string) => string>> = {
  holder: (text) => `{"regNumber":"AB-1234","holder":"${text.replaceAll('\n', '\\n')}"}`,
  memberName: (text) => `{"${text.replaceAll('\n', '\\n')}":1}`,
  form: (text) => `grant_type=client_credentials&client_id=demo-1&a=${text}`,
  xml: (text) => `<a><b c="${text}">${text}</b></a>`,
  bare: (text) => text,
  long: (text) => `{"holder":"${'x'.repeat(45)} ${text.replaceAll('\n', '\\n')} ${'y'.repeat(90)}"}`,
  atTheEnd: (text) => `{"holder":"${'x '.repeat(8180)}${text.replaceAll('\n', '\\n')}`,
};
const places = [
  ...headerNames.map((name) => `header ${name}`),
  ...Object.keys(bodies).map((name) => `body ${name}`),
  ...['query', 'path', 'header name', 'token body', 'credentials', 'nickname', 'answer'],
];

const hidings = fc.record<Hiding>({
  secret: fc.nat({ max: 7 }),
  first: fc.constantFrom(...Object.keys(encodings)),
  second: fc.constantFrom(...Object.keys(encodings)),
  place: fc.constantFrom(...places),
  before: fc.constantFrom('', 'Bearer ', 'Basic ', 'a=', 'sha256=', 'ü ', 'token:'),
  charset: fc.constantFrom(...Object.keys(charsets)),
  told: fc.boolean(),
});

const headerText = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '');

/** Makes a call with a secret in it, to whatever takes it there. */
async function hide(lplate: LPlate, { id, token }: TestClient, hiding: Hiding, secret: string): Promise<void> {
  const { first, second, place, before, charset, told } = hiding;
  const encoded = [first, second].reduce((text, name) => encodings[name]?.(text) ?? '', secret);
  const text = before + encoded;
  const headers: Record<string, string> = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const url = (path: string) => `${lplate.url}${path}`;
  const send = async (path: string, method: string, more: Record<string, string> = {}, body?: string | Buffer) => {
    const init = { method, headers: { ...headers, ...more }, body: (body as string | undefined) ?? null };
    await (await fetch(url(path), init)).arrayBuffer();
  };
  const [kind, name = ''] = place.split(/ (.*)/s, 2);
  if (place === 'query') await send(`/insurer/v1/policies?q=${encodeURI(text)}&${encodeURI(text)}=1`, 'GET');
  else if (place === 'path') await send(`/insurer/v1/policies/${encodeURI(text).replaceAll('/', '%2F')}`, 'GET');
  else if (place === 'header name')
    await send('/insurer/v1/policies', 'GET', { [text.replaceAll(/[^\w-]/g, '') || 'a']: 'x' });
  else if (place === 'nickname') await send('/range/v1/me', 'PATCH', {}, JSON.stringify({ nickname: text }));
  else if (place === 'answer')
    await send('/range/v1/me/answers', 'POST', {}, JSON.stringify({ lesson: 'x', answer: text }));
  else if (place === 'token body') {
    await send(
      '/insurer/v1/auth/token',
      'POST',
      {},
      JSON.stringify({ client_id: id, client_secret: text, [text]: text }),
    );
  } else if (place === 'credentials') {
    const basic = Buffer.from(`${id}:${text}`).toString('base64');
    await send('/insurer/v1/auth/token', 'POST', { Authorization: `Basic ${basic}` }, '{}');
  } else if (kind === 'header')
    await send('/insurer/v1/policies', 'POST', { [name]: headerText(text) }, '{"regNumber":"AB-1234"}');
  else {
    const body = (charsets[charset] as (text: string) => Buffer)((bodies[name] as (text: string) => string)(text));
    const coding = told && codings[charset] ? { 'Content-Encoding': codings[charset] } : {};
    await send('/insurer/v1/policies', 'POST', coding as Record<string, string>, body);
  }
}

/**
 * Looks for secrets in bytes, also as they read once every encoding is undone, by decoders that share nothing with ours.
 * Returns how one was found.
 */
function leaks(bytes: string, wanted: readonly string[], depth = 0): string | undefined {
  const found = wanted.find((secret) => bytes.includes(secret));
  if (found !== undefined) return bytes.slice(Math.max(0, bytes.indexOf(found) - 300), bytes.indexOf(found) + 100);
  if (depth === 3) return undefined;
  const byCode = (radix: number) => (_: string, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, radix) & 0xffff);
  const readings = new Set([
    bytes.replaceAll('\0', ''),
    bytes.replaceAll(/%([\da-f]{2})/gi, byCode(16)),
    bytes.replaceAll(/\\+u([\da-f]{4})/gi, byCode(16)),
    bytes.replaceAll(/&#(\d+);/g, byCode(10)),
    bytes.replaceAll(/&#x([\da-f]+);/g, byCode(16)),
  ]);
  readings.delete(bytes);
  for (const reading of readings) {
    const leak = leaks(reading, wanted, depth + 1);
    if (leak !== undefined) return `${leak} <- ${bytes.length} bytes`;
  }
  for (const { 0: run, index } of bytes.replaceAll(/(?:\\n|\n)(?=[\w+/])/g, '').matchAll(/[\w+/-]{40,}/g)) {
    for (const from of [0, 1, 2, 3]) {
      for (const coding of ['base64', 'hex'] as const) {
        const leak = leaks(Buffer.from(run.slice(from), coding).toString('latin1'), wanted, depth + 1);
        if (leak !== undefined) return `${leak} <- ${coding} ${run} in ${bytes.slice(Math.max(0, index - 200), index)}`;
      }
    }
  }
  return undefined;
}

/** All that is kept of a client, and all that is shown of it, each as bytes. */
async function keptAndShown(lplate: LPlate, client: TestClient, live: readonly string[]): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const read = async (path: string, token: string) =>
    all.set(path, (await lplate.call('GET', `/range/v1${path}`, { token })).text);
  await read('/me', client.token);
  await read('/me/exchanges?pageSize=500', client.token);
  await read('/me/exchanges.har', client.token);
  for (const [at, { id }] of (await logOf(lplate, client)).entries()) {
    // The range answers 600 calls a minute.
    if (at % 150 === 0) lplate.clock.advance(60_001);
    for (const format of ['', '/har', '/curl']) await read(`/me/exchanges/${id}${format}`, client.token);
  }
  await read('/trainer/exchanges?pageSize=500', secrets.trainerToken);
  for (const content of ['learners', 'lessons', 'exchanges'])
    await read(`/trainer/export?content=${content}`, secrets.trainerToken);
  all.set('live', live.join(''));
  all.set('log lines', lplate.log.join('\n'));
  const names = (await readdir(lplate.config.dataDir)).filter((name) => name.startsWith('l-plate.db'));
  for (const name of names) all.set(name, await readFile(join(lplate.config.dataDir, name), 'latin1'));
  return all;
}

/** Reads the live log of a client until the test ends. */
async function readLive(lplate: LPlate, { token }: TestClient, signal: AbortSignal): Promise<string[]> {
  const answer = await fetch(`${lplate.url}/range/v1/me/exchanges`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
    signal,
  });
  const pieces: string[] = [];
  void (async () => {
    try {
      for await (const piece of answer.body ?? []) pieces.push(Buffer.from(piece as Uint8Array).toString('latin1'));
    } catch {
      // The test has ended it.
    }
  })();
  return pieces;
}

onSqlite((engine) => {
  test('Decisions, the range: a known secret, or a code that holds, in any place and encoding, two deep, is in nothing that is kept or shown', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, secrets);
    const ended = new AbortController();
    t.after(() => ended.abort());
    const live = await readLive(lplate, client, ended.signal);
    const { json: subscription } = await lplate.call('POST', '/claims/v1/subscriptions', {
      token: client.token,
      json: { url: exampleReceiver },
    });
    const ofWebhook = (subscription.secret as string).slice('whsec_'.length);
    const { json: transfer } = await lplate.call('POST', '/range/v1/me/transfer', { token: client.token });
    const known = [client.secret, ofWebhook, client.token.split('.')[2] as string, transfer.code as string].concat(
      Object.values(secrets),
    );
    const samples = fc.sample(hidings, { numRuns: 320, seed: 30 });
    for (const hiding of samples) await hide(lplate, client, hiding, known[hiding.secret] as string);
    ok((await logOf(lplate, client)).length >= 250, 'the calls were recorded');
    const all = await keptAndShown(lplate, client, live);
    for (const [where, bytes] of all) {
      // The row of a subscription has the secret that it signs with.
      const wanted = where.startsWith('l-plate.db') ? known.filter((each) => each !== ofWebhook) : known;
      const leak = leaks(bytes, wanted);
      ok(leak === undefined, `${where} has ${leak}`);
    }
  });
});
