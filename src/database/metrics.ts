import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../time/clock.ts';
import { type RepeatReason, repeatReasons } from './database.ts';

/** Counts one durable group of writes by its size, each time it is called. */
export function groupSizes(registry: Registry): (size: number) => void {
  const groups = new Histogram({
    name: 'lplate_database_group_size',
    help: 'Writes that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  return (size) => groups.observe(size);
}

/** Milliseconds between two lines of the log about transactions that were run again. */
const logEveryMs = 60_000;

/** Counts a transaction that is run again, each time it is called, and logs how many there were, once a minute. */
export function repeats(registry: Registry, log: Logger, clock: Clock): (reason: RepeatReason) => void {
  const counter = new Counter({
    name: 'lplate_database_repeats_total',
    help: 'Transactions that were run again, since others were in the way',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of repeatReasons) counter.inc({ reason }, 0);
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (reason) => {
    counter.inc({ reason });
    unlogged += 1;
    if (clock.elapsed() - loggedAt < logEveryMs) return;
    log.warn({ reason, repeats: unlogged }, 'transactions were run again, since others were in the way');
    loggedAt = clock.elapsed();
    unlogged = 0;
  };
}
