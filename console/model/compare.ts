import type { Exchange } from '../api/types.ts';
import { type Header, plainLines } from './body-view.ts';
import { type Change, diffLines } from './diff.ts';
import type { Body } from './exchange-body.ts';
import { bytesText } from './exchange-body.ts';

export interface Compared {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly isSame: boolean;
}

/** Two exchanges, part by part. */
export function compare(before: Exchange, after: Exchange): Compared[] {
  const [left, right] = [partsOf(before), partsOf(after)];
  return left.map(([title, lines], at) => {
    const changes = diffLines(lines, (right[at] as (typeof right)[number])[1]);
    return { title, changes, isSame: changes.every(({ kind }) => kind === 'same') };
  });
}

function partsOf(exchange: Exchange): [title: string, lines: string[]][] {
  const { method, url, status, request, response } = exchange;
  return [
    ['Request line', [`${method} ${url}`]],
    ['Headers of the request', headerLines(request.headers)],
    ['Body of the request', bodyLines(request.body, request.headers)],
    ['Status', [status === 0 ? 'no answer' : String(status)]],
    ['Headers of the answer', headerLines(response.headers)],
    ['Body of the answer', bodyLines(response.body, response.headers)],
  ];
}

/** By name, since their order says nothing. */
function headerLines(headers: readonly Header[]): string[] {
  return headers.map(({ name, value }) => `${name.toLowerCase()}: ${value}`).sort();
}

function bodyLines(body: Body | undefined, headers: readonly Header[]): string[] {
  if (!body) return [];
  const lines = plainLines(body, headers);
  return body.complete ? lines : [...lines, `(cut: the whole body has ${bytesText(body.bytes)})`];
}
