import type { Exchange } from '../../api/types.ts';
import { type Header, plainLines } from '../../model/body-view.ts';
import type { Body } from '../../model/exchange-body.ts';
import { bytesText } from '../../model/exchange-body.ts';
import { type Change, diffLines } from './diff.ts';

export interface Compared {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly isSame: boolean;
}

/** Two exchanges, part by part. A token has the same number in both only if it is the same. */
export function compare(before: Exchange, after: Exchange): Compared[] {
  const numbers = new Map<string, number>();
  const [left, right] = [partsOf(before, numbers), partsOf(after, numbers)];
  return left.map(([title, lines], at) => {
    const changes = diffLines(lines, (right[at] as (typeof right)[number])[1]);
    return { title, changes, isSame: changes.every(({ kind }) => kind === 'same') };
  });
}

type Part = [title: string, lines: string[]];

/** `numbers`: those of the tokens of both, by what identifies them. */
function partsOf({ tokens, ...exchange }: Exchange, numbers: Map<string, number>): Part[] {
  const { method, url, status, request, response } = exchange;
  const numberOf = ({ claims }: Exchange['tokens'][number]) => {
    const key = JSON.stringify((claims as { jti?: unknown }).jti ?? claims);
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return number;
  };
  const own = tokens.map(numberOf);
  const numbered = (line: string) =>
    line.replace(/\(token (\d)\)/g, (before, digit: string) => {
      const number = own[Number(digit) - 1];
      return number === undefined ? before : `(token ${number})`;
    });
  const parts: Part[] = [
    ['Request line', [`${method} ${url}`]],
    ['Headers of the request', headerLines(request.headers)],
    ['Body of the request', bodyLines(request.body, request.headers)],
    ['Status', [status === 0 ? 'no answer' : String(status)]],
    ['Headers of the answer', headerLines(response.headers)],
    ['Body of the answer', bodyLines(response.body, response.headers)],
  ];
  return parts.map(([title, lines]) => [title, lines.map(numbered)]);
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
