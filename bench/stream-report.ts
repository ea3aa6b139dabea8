import { type Cost, type Streamed, streamCount } from './streams.ts';

type Row = [what: string, of: (cost: Cost) => number, digits: number, alone?: 'without ratio'];

/** What is told of each server. No target is set for any of it. */
const rows: Row[] = [
  ['KB of memory a stream, opened', ({ memory }) => memory.opened, 1],
  ['… after traffic', ({ memory }) => memory.used, 1],
  ['CPU µs an event on one stream', ({ cpu }) => cpu, 1],
  ['ms to the first stream, median', ({ until }) => until.first, 1],
  ['ms to half of them, median', ({ until }) => until.half, 1],
  ['ms to the last one, median', ({ until }) => until.last, 1],
  ['… at worst', ({ until }) => until.slowest, 1],
  ['% of a CPU while quiet', ({ quiet }) => quiet * 100, 2, 'without ratio'],
];

/**
 * L-Plate is timed from the commit of the event, to the millisecond; the bare server from where it begins to write the
 * same bytes.
 */
export function streamTable({ clients, lplate, bare }: Streamed): string[] {
  const what = `${streamCount} streams, ${clients === 1 ? 'one client' : `${clients} clients`}`;
  const heading = line(what, 'L-Plate', 'bare', 'ratio');
  return [
    heading,
    '-'.repeat(heading.length),
    ...rows.map(([name, of, digits, alone]) => {
      const [ours, theirs] = [of(lplate), of(bare)];
      return line(name, ours.toFixed(digits), theirs.toFixed(digits), alone ? '' : (ours / theirs).toFixed(2));
    }),
  ];
}

function line(what: string, ...figures: string[]): string {
  return (what.padEnd(41) + figures.map((figure) => figure.padStart(10)).join('')).trimEnd();
}
