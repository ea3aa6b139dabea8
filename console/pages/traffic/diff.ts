export interface Change {
  /** `gone` was only in the first text, `new` is only in the second. */
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/**
 * Differences that are looked for. Two texts that have hardly anything in common are then told as such, instead of keeping
 * the page busy.
 */
const maxEdits = 1000;

/**
 * The lines of two texts by their longest common subsequence (E. W. Myers, An O(ND) Difference Algorithm). The time is that of
 * the shorter way from one to the other, and bounded.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [gone, come] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    ...before.slice(0, start).map(same),
    ...(middle(gone, come) ?? [...gone.map(isGone), ...come.map(isNew)]),
    ...before.slice(before.length - end).map(same),
  ];
}

const same = (text: string): Change => ({ kind: 'same', text });
const isGone = (text: string): Change => ({ kind: 'gone', text });
const isNew = (text: string): Change => ({ kind: 'new', text });

/** Undefined if they differ too much. */
function middle(before: readonly string[], after: readonly string[]): Change[] | undefined {
  const numbers = new Map<string, number>();
  const number = (line: string) => {
    const known = numbers.get(line) ?? numbers.size;
    numbers.set(line, known);
    return known;
  };
  const [a, b] = [Int32Array.from(before, number), Int32Array.from(after, number)];
  const most = Math.min(a.length + b.length, maxEdits);
  // How far one gets on each diagonal, with so many edits; and how it was with each number of edits less.
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    history.push(reach.slice(most - edits, most + edits + 3));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal;
      const down = diagonal === -edits || (diagonal !== edits && reached(reach, at - 1) < reached(reach, at + 1));
      let x = down ? reached(reach, at + 1) : reached(reach, at - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      reach[at] = x;
      if (x >= a.length && x - diagonal >= b.length) return wayBack(before, after, history);
    }
  }
  return undefined;
}

const reached = (numbers: Int32Array, index: number) => numbers[index] as number;

function wayBack(before: readonly string[], after: readonly string[], history: readonly Int32Array[]): Change[] {
  const changes: Change[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = history.length - 1; edits >= 0; edits -= 1) {
    const reach = history[edits] as Int32Array;
    const at = edits + 1 + x - y;
    const down = x - y === -edits || (x - y !== edits && reached(reach, at - 1) < reached(reach, at + 1));
    const fromX = edits === 0 ? 0 : down ? reached(reach, at + 1) : reached(reach, at - 1);
    const fromY = edits === 0 ? 0 : fromX - (x - y) + (down ? -1 : 1);
    const [startX, startY] = edits === 0 ? [0, 0] : down ? [fromX, fromY + 1] : [fromX + 1, fromY];
    while (x > startX && y > startY) {
      x -= 1;
      y -= 1;
      changes.push(same(before[x] as string));
    }
    if (edits > 0) changes.push(down ? isNew(after[fromY] as string) : isGone(before[fromX] as string));
    [x, y] = [fromX, fromY];
  }
  return changes.reverse();
}

/** Changes with what is around them; in the place of longer parts that are the same, how many lines they have. */
export type Folded = Change | { readonly kind: 'folded'; readonly lines: number };

const around = 3;

/** At most `most` lines; what is more is one part. */
export function folded(changes: readonly Change[], most = 2000): Folded[] {
  const near = new Uint8Array(changes.length);
  for (const [at, { kind }] of changes.entries()) {
    if (kind !== 'same') near.fill(1, Math.max(0, at - around), at + around + 1);
  }
  const result: Folded[] = [];
  let hidden = 0;
  for (const [at, change] of changes.entries()) {
    if (near[at] === 1 && result.length < most) {
      if (hidden > 0) result.push({ kind: 'folded', lines: hidden });
      hidden = 0;
      result.push(change);
    } else hidden += 1;
  }
  if (hidden > 0) result.push({ kind: 'folded', lines: hidden });
  return result;
}
