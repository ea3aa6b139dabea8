import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { type Load, mark, scattered } from './load.ts';

/** An answer as it went over the wire, without the headers that `node:http` adds to every answer itself. */
export interface Answer {
  status: number;
  /** Names and values in turn. */
  headers: string[];
  body: string;
}

const added = new Set(['date', 'connection', 'keep-alive']);

/** The answer to the first request of a load. */
export async function answerTo(origin: string, load: Load): Promise<Answer> {
  const { method, headers, body } = load;
  const own = body?.replace(mark, scattered(1));
  const length = own === undefined ? {} : { 'Content-Length': Buffer.byteLength(own) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(origin + load.paths[0], { method, headers: { ...headers, ...length } }, resolve)
      .on('error', reject)
      .end(own);
  });
  const kept: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = answer.rawHeaders.slice(at, at + 2);
    if (!added.has(name.toLowerCase())) kept.push(name, value);
  }
  return { status: answer.statusCode ?? 0, headers: kept, body: (await buffer(answer)).toString() };
}

/** @throws when the two servers don't answer the same bytes: then comparing them means nothing */
export async function sameBytes(origin: string, load: Load, wanted: Answer): Promise<void> {
  const got = await answerTo(origin, load);
  if (!isDeepStrictEqual(got, wanted)) throw new Error(`the bare server answers otherwise: ${JSON.stringify(got)}`);
}
