import { integer, nullable, table, text, textOf } from '../../database/columns.ts';
import type { Kind } from './schemas.ts';

export const exchanges = table('exchanges', {
  /** The `X-Request-Id` of the answer. */
  id: text,
  /** Empty for those of nobody. */
  clientId: text,
  startedAt: text,
  /** Counts the calls of a node: the order of those of one millisecond. */
  number: integer,
  status: integer,
  path: text,
  problem: nullable(text),
  kind: textOf<Kind>(),
  /** Counts what was kept of the client, again when a stream ended: the order for who reads on. 0 for those of nobody. */
  kept: integer,
  /** JSON: a `Summary`, and the `Details` besides. */
  summary: text,
  details: text,
  /** Where it came from, and the bytes that it takes. */
  address: text,
  size: integer,
  /** 1 for those that carried no token of the client. */
  withoutToken: integer,
  traceId: nullable(text),
});

/** The bytes of the exchanges of each address; of all, where it is empty. */
export const exchangeBytes = table('exchange_bytes', { address: text, bytes: integer });

/** The clients that called. */
export const learners = table('learners', {
  clientId: text,
  nickname: nullable(text),
  firstSeenAt: text,
  lastSeenAt: text,
  calls: integer,
  refusals: integer,
  callsWithoutToken: integer,
  refusalsWithoutToken: integer,
  lastProblem: nullable(text),
  /** JSON: a `LastCall`. Null if it made none. */
  lastCall: nullable(text),
  /** Since when it has called without a long break. */
  activeSince: text,
  /** When what it owns was removed last. */
  resetAt: nullable(text),
  /** How many of its latest calls were refused with one problem, what that is, and what the last of them said. */
  refusalsInARow: integer,
  refusedAs: nullable(text),
  lastRefusal: nullable(text),
  /** The number `kept` of its latest exchange, and of the last one that a reset has removed. */
  kept: integer,
  cleared: integer,
  /** How often it opened a lesson, took a hint, or took a lesson again. */
  lessonsBegun: integer,
  /** The lesson that it has open, and since when. */
  openLesson: nullable(text),
  openLessonAt: nullable(text),
  /** 1 if only the trainer can change its nickname. */
  nicknameLocked: integer,
  /** What it needs help with, and since when. */
  help: nullable(text),
  helpAt: nullable(text),
  /** What the trainer says to it alone, and since when. */
  note: nullable(text),
  noteAt: nullable(text),
  /** Seconds by which the clock with its console was ahead, and that where its program runs. Null where none was seen. */
  consoleClockOff: nullable(integer),
  programClockOff: nullable(integer),
  /** Another client that was used from the same address, and when that was seen last. */
  otherClient: nullable(text),
  otherClientAt: nullable(text),
  /** When a call from its address counted for nobody. */
  unattributedAt: nullable(text),
});
