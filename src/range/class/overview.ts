import { daysToKeep } from '../../clients/days-to-keep.ts';
import type { Going } from '../../clients/going.ts';
import { alias, integer } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { fleetId, readerId } from '../../insurer/index.ts';
import { type Learners, learnerOf, ofOthers, shown, unexported } from '../exchanges/learners.ts';

/** What a class came to so far, in a line. */
export interface Overview {
  readonly learners: number;
  readonly calls: number;
  readonly refusals: number;
  /** Calls that only named a learner, which anybody can make. */
  readonly callsWithoutToken: number;
  /** How many wait for help. */
  readonly helpAsked: number;
  /** The names of those that wait longest. */
  readonly asking: readonly string[];
  /** Learners that are about to be removed, since they made no call for long; null if there are none. */
  readonly going: GoingLearners | null;
}

export interface GoingLearners {
  readonly total: number;
  /** The names of those that were not used longest. */
  readonly names: readonly string[];
  /** When the first of them goes (ISO 8601). */
  readonly keptUntil: string;
  /** The `--keep-clients-days` that keeps them. */
  readonly days: number;
}

/** Names that a line has room for. */
const names = 3;

/** What all calls of the learners came to, and who asked for help. */
export async function readOverview({ sql }: Database, going: () => Promise<GoingLearners | null>): Promise<Overview> {
  const counts = await count(sql, { fleetId, readerId });
  const asking = await findAsking(sql, { limit: names });
  const { learners = 0, calls = 0, refusals = 0, callsWithoutToken = 0, helpAsked = 0 } = counts ?? {};
  return {
    learners,
    calls,
    refusals,
    callsWithoutToken,
    helpAsked,
    asking: asking.map((row) => learnerOf(row).shownName),
    going: await going(),
  };
}

/** Who is about to be removed. `now` in milliseconds since 1970. */
export async function readGoing(going: Going, learners: Learners, now: number): Promise<GoingLearners | null> {
  const { ids, total, keptUntil, unusedSince } = await going.first(names);
  if (keptUntil === null || unusedSince === null) return null;
  const found = await Promise.all(ids.map((id) => learners.read(id)));
  const days = daysToKeep(now - Date.parse(unusedSince));
  return { total, names: found.map(({ shownName }) => shownName), keptUntil, days };
}

const count = statement.get`
  select
    count(*) as ${alias('learners', integer)},
    cast(coalesce(sum(calls), 0) as bigint) as ${alias('calls', integer)},
    cast(coalesce(sum(refusals), 0) as bigint) as ${alias('refusals', integer)},
    cast(coalesce(sum(calls_without_token), 0) as bigint) as ${alias('callsWithoutToken', integer)},
    count(help) as ${alias('helpAsked', integer)}
  from learners where client_id <> ${'fleetId'} and client_id <> ${'readerId'}`;

const findAsking = statement.all`
  select ${shown.of('l')}, ${unexported.of('l')}, ${ofOthers}
  from learners l where l.help is not null order by l.help_at, l.client_id limit ${'limit'}`;
