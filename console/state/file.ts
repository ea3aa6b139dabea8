import { base64, joined } from '../../src/text/bytes.ts';
import { send } from '../api/call.ts';
import { noteLimit } from '../api/calls-left.ts';
import { sha256 } from '../model/sha256.ts';

/** A file that was downloaded, or what came of it before the connection was closed. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  /** Bytes of all of it. */
  readonly size: number;
  readonly type: string;
  /** Of all of it, as `If-Range` takes it. */
  readonly etag: string;
  /** `Repr-Digest`, of all of it. */
  readonly digest: string;
}

/**
 * Downloads a file. Browsers ask for a packed one, whose length and digest are not those of the file: so its first byte is
 * asked for before, with which come those of the file itself.
 */
export async function fetchFile(path: string): Promise<FetchedFile> {
  const first = await ask(path, 'bytes=0-0');
  await first.arrayBuffer();
  const whole = await ask(path);
  return { bytes: await received(whole), ...factsOf(first) };
}

/** Goes on where a download broke off. If the file is another one by now, all of that comes. */
export async function fetchRest(path: string, part: FetchedFile): Promise<FetchedFile> {
  const rest = await ask(path, `bytes=${part.bytes.length}-`, part.etag);
  if (rest.status !== 206) return fetchFile(path);
  return { bytes: joined(part.bytes, await received(rest)), ...factsOf(rest) };
}

/** Whether its bytes have the digest that the whole file has (RFC 9530). */
export function isWhole({ bytes, digest }: FetchedFile): boolean {
  return digest === `sha-256=:${base64(sha256(bytes))}:`;
}

async function ask(path: string, range?: string, tag?: string): Promise<Response> {
  const headers = { ...(range && { Range: range }), ...(tag && { 'If-Range': tag }) };
  const answer = await send('GET', path, { headers });
  noteLimit(answer);
  return answer;
}

function factsOf({ headers }: Response): Omit<FetchedFile, 'bytes'> {
  return {
    size: Number(headers.get('Content-Range')?.split('/')[1]),
    type: headers.get('Content-Type') ?? '',
    etag: headers.get('ETag') ?? '',
    digest: headers.get('Repr-Digest') ?? '',
  };
}

/** What came until the end, or until the connection was closed. */
async function received({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) parts.push(read.value);
  } catch {
    // It ended early: what came before is there.
  }
  return joined(...parts);
}
