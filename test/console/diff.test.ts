import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { diffLines, folded } from '../../console/pages/traffic/diff.ts';

const short = (before: string, after: string) =>
  diffLines([...before], [...after])
    .map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`)
    .join('');

/** The length of the longest common subsequence, by the table that everybody knows. */
function longest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (const [i, left] of a.entries()) {
    for (const [j, right] of b.entries()) {
      const row = table[i + 1] as number[];
      row[j + 1] = left === right ? (table[i]?.[j] ?? 0) + 1 : Math.max(table[i]?.[j + 1] ?? 0, row[j] ?? 0);
    }
  }
  return table[a.length]?.[b.length] ?? 0;
}

describe('Console, two texts compared', () => {
  test('the lines that both have stay, the others are gone or new', () => {
    equal(short('', ''), '');
    equal(short('abc', 'abc'), ' a b c');
    equal(short('abc', 'axc'), ' a-b+x c');
    equal(short('', 'ab'), '+a+b');
    equal(short('ab', ''), '-a-b');
  });

  test('both texts can be made of it again, and nothing that could stay is changed', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = diffLines(before, after);
        const of = (...kinds: string[]) => changes.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
        deepEqual(of('same', 'gone'), before);
        deepEqual(of('same', 'new'), after);
        equal(of('same').length, longest(before, after));
      }),
      { numRuns: 1000 },
    );
  });

  test('of two bodies of 16 KiB no more is shown than a page can take, whatever is in them', () => {
    let seed = 1;
    const chance = (most: number) => {
      seed = (seed * 48271) % 2147483647;
      return String(seed % most);
    };
    const lines = (most: number) => Array.from({ length: 8192 }, () => chance(most));
    const numbered = Array.from({ length: 8192 }, (_, at) => String(at));
    for (const [before, after] of [
      [lines(2), lines(2)],
      [lines(10), lines(10)],
      [lines(1e9), lines(1e9)],
      [numbered, numbered.toReversed()],
      [numbered, numbered.filter((_, at) => at % 9 > 0)],
    ] as const) {
      ok(folded(diffLines(before, after)).length <= 4001);
    }
  });

  test('of longer parts that are the same only what is around a change is shown', () => {
    const before = Array.from({ length: 20 }, (_, at) => `${at}`);
    const shown = folded(diffLines(before, before.with(10, 'x')));
    deepEqual(
      shown.map((part) => (part.kind === 'folded' ? part.lines : part.text)),
      [7, '7', '8', '9', '10', 'x', '11', '12', '13', 6],
    );
    deepEqual(folded(diffLines(before, before)), [{ kind: 'folded', lines: 20 }]);
  });
});
