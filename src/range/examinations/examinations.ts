import { integer, type RowOf, table, text, textOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { isStageName, type StageName } from '../../examination-stages.ts';
import type { Tokens } from '../../http/requests/bearer.ts';

export const outcomes = ['passed', 'failed', 'skipped'] as const;

const examinations = table('examinations', {
  clientId: text,
  stage: textOf<StageName>(),
  outcome: textOf<(typeof outcomes)[number]>(),
  /** When it was, by the clock of the machine that examined. */
  at: text,
  seed: integer,
});

const shown = examinations.omit('clientId');

/** What came of a stage. */
export type StageOutcome = RowOf<typeof shown>;

/** What the machines of clients report of the insurers that they build: of each stage what came of it last. */
export class Examinations {
  readonly #database: Database;
  readonly #tokens: Tokens;

  constructor(database: Database, tokens: Tokens) {
    this.#database = database;
    this.#tokens = tokens;
  }

  async put(clientId: string, outcome: StageOutcome): Promise<void> {
    await this.#database.write(async (sql) => {
      await this.#tokens.lockClient(sql, clientId);
      await putOutcome(sql, { clientId, ...outcome });
    });
  }

  async of(clientId: string): Promise<StageOutcome[]> {
    return known(await findOfClient(this.#database.sql, { clientId }));
  }
}

/** Of clients that follow each other by their ids. */
export async function outcomesOf(sql: Sql, first: string, last: string) {
  return Map.groupBy(known(await findOfClients(sql, { first, last })), ({ clientId }) => clientId);
}

/** How many stages passed. */
export const passedOf = (all: readonly StageOutcome[]) => all.filter(({ outcome }) => outcome === 'passed').length;

/** A newer version may have stored stages that this one has not. */
const known = <Row extends StageOutcome>(rows: Row[]) => rows.filter(({ stage }) => isStageName(stage));

/** Removes what is kept of a client that is being removed. Returns how many rows that were: at most one a stage. */
export function removeExaminations(sql: Sql, clientId: string): Promise<number> {
  return remove(sql, { clientId });
}

const findOfClient = statement.all`select ${shown} from examinations where client_id = ${'clientId'}`;

const findOfClients = statement.all`
  select ${examinations} from examinations where client_id >= ${'first'} and client_id <= ${'last'}`;

const putOutcome = statement.run`
  insert into examinations ${examinations.values}
  on conflict (client_id, stage) do update set outcome = excluded.outcome, at = excluded.at, seed = excluded.seed`;

const remove = statement.run`delete from examinations where client_id = ${'clientId'}`;
