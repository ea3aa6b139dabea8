import { integer, nullable, table, text } from '../database/columns.ts';

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
  /** JSON: a `Summary`, and the `Details` besides. */
  summary: text,
  details: text,
});

/** The clients that called. */
export const learners = table('learners', {
  clientId: text,
  nickname: nullable(text),
  firstSeenAt: text,
  lastSeenAt: text,
  calls: integer,
  refusals: integer,
  lastProblem: nullable(text),
});
