import type { TestClock } from './clock.ts';

/**
 * The value of a metric, by its name and labels as they stand in `/metrics`; NaN if it does not. The text is made at most
 * once a second: a clock that tests move is moved on by one.
 */
export async function metric({ url, clock }: { url: string; clock?: TestClock }, name: string): Promise<number> {
  clock?.advance(1000);
  // Each time on a connection of its own, since workers take turns.
  const answer = await fetch(`${url}/metrics`, {
    headers: { Connection: 'close' },
    signal: AbortSignal.timeout(20_000),
  });
  const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length));
}
