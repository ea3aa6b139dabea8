import { alias, integer } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { fleetId, readerId } from '../../insurer/index.ts';
import { learnerOf, ofOthers, shown, unexported } from '../exchanges/learners.ts';

/** What a class came to so far, in a line. */
export interface Overview {
  readonly learners: number;
  readonly calls: number;
  readonly refusals: number;
  /** How many wait for help. */
  readonly helpAsked: number;
  /** The names of those that wait longest. */
  readonly asking: readonly string[];
}

/** Names that a line has room for. */
const names = 3;

/** What all calls of the learners came to, those without a token included, and who asked for help. */
export async function readOverview({ sql }: Database): Promise<Overview> {
  const counts = await count(sql, { fleetId, readerId });
  const asking = await findAsking(sql, { limit: names });
  const { learners = 0, calls = 0, refusals = 0, helpAsked = 0 } = counts ?? {};
  return { learners, calls, refusals, helpAsked, asking: asking.map((row) => learnerOf(row).shownName) };
}

const count = statement.get`
  select
    count(*) as ${alias('learners', integer)},
    cast(coalesce(sum(calls + calls_without_token), 0) as bigint) as ${alias('calls', integer)},
    cast(coalesce(sum(refusals + refusals_without_token), 0) as bigint) as ${alias('refusals', integer)},
    count(help) as ${alias('helpAsked', integer)}
  from learners where client_id <> ${'fleetId'} and client_id <> ${'readerId'}`;

const findAsking = statement.all`
  select ${shown.of('l')}, ${unexported.of('l')}, ${ofOthers}
  from learners l where l.help is not null order by l.help_at, l.client_id limit ${'limit'}`;
