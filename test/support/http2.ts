import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Config } from '../../src/settings/config.ts';
import type { Engine } from './engines.ts';
import { type Answer, asAnswer } from './http1.ts';
import { type LPlate, startLPlate, type TestClient } from './lplate.ts';

/* L-Plate by HTTPS, and callers that speak HTTP/2 and verify its certificate. */

export interface SecureLPlate {
  readonly lplate: LPlate;
  /** The class authority, in PEM. */
  readonly root: string;
}

/** With a certificate that it makes itself; closed when the test is over. */
export async function startSecure(
  t: TestContext,
  engine: Engine,
  settings: Partial<Config> = {},
): Promise<SecureLPlate> {
  const lplate = await startLPlate(t, engine, { tls: 'self', ...settings });
  return { lplate, root: await rootOf(lplate) };
}

/** As a learner gets it: unverified, and compared with the fingerprint that was printed. */
async function rootOf({ config, authorityFingerprint }: LPlate): Promise<string> {
  const session = connect(`https://localhost:${config.port}`, { rejectUnauthorized: false });
  const { text } = await ask(session, { ':path': '/ca.pem' });
  session.close();
  if (new X509Certificate(text).fingerprint256 !== authorityFingerprint) throw new Error('another authority');
  return text;
}

/** A connection of HTTP/2, gone when the test is over. */
export function connectHttp2(
  t: TestContext,
  { lplate, root }: SecureLPlate,
  options: SecureClientSessionOptions = {},
): ClientHttp2Session {
  const session = connect(`https://localhost:${lplate.config.port}`, { ca: root, ...options });
  // A test that wants to know of it listens, too.
  session.on('error', () => {});
  t.after(() => session.destroy());
  return session;
}

/** One request and its whole answer. Rejects if its stream is reset. */
export async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return answerOf(stream);
}

export async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  const [headers] = await once(stream, 'response');
  if (!stream.readableEnded) await once(stream, 'end');
  if (stream.rstCode !== 0) throw new Error(`reset: ${stream.rstCode}`);
  const raw = Object.entries(headers).flatMap(([name, value]) => (name.startsWith(':') ? [] : [name, String(value)]));
  return asAnswer(Number(headers[':status']), raw, Buffer.concat(pieces));
}

/** New demo credentials, and a token of them. */
export async function newClient(session: ClientHttp2Session): Promise<TestClient> {
  const { text, json } = await ask(session, { ':method': 'POST', ':path': '/insurer/v1/demo-clients' });
  const type = { 'content-type': 'application/json' };
  const token = await ask(session, { ':method': 'POST', ':path': '/insurer/v1/auth/token', ...type }, text);
  return { id: json.client_id, secret: json.client_secret, token: token.json.access_token };
}

export const demoToken = async (session: ClientHttp2Session): Promise<string> => (await newClient(session)).token;

/** A connection by TLS that has agreed on HTTP/2 and on which anything can be sent. */
export async function rawHttp2(t: TestContext, { lplate, root }: SecureLPlate): Promise<TLSSocket> {
  const socket = connectTls({ port: lplate.config.port, host: 'localhost', ca: root, ALPNProtocols: ['h2'] });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A frame (RFC 9113, 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A head as HPACK has it without any compression (RFC 7541, 6.2.2). */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  const text = (each: string) => {
    const bytes = Buffer.from(each, 'latin1');
    // An integer with a prefix of seven bits.
    if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
    const length: number[] = [127];
    let left = bytes.length - 127;
    for (; left >= 128; left >>= 7) length.push((left & 127) | 128);
    return Buffer.concat([Buffer.from([...length, left]), bytes]);
  };
  return Buffer.concat(headers.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};

/** Flags: the last frame of its stream, the last one of its head. */
export const endStream = 1;
export const endHeaders = 4;
