import { type Clock, instant } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../events/event-log.ts';
import type { PolicyRecords } from '../insurer/index.ts';
import { nextMove, type Pending } from './claim.ts';
import { claimStatusChanged, statusChanged } from './status-changed.ts';

interface DueRow {
  id: string;
  client_id: string;
  policy_id: string;
  status: Pending['status'];
  outcome: Pending['outcome'];
  pace_seconds: number;
  due_at: string;
}

/** How many claims move in one transaction, at most. */
const batch = 100;

/**
 * The claims desk: changes the status of each claim when it is due. Due times are in the database, so a restart loses
 * and repeats nothing. A claim changes only from the status that was read, so that two desks don't change it twice.
 */
export class ClaimsDesk {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #records: PolicyRecords;

  constructor(database: Database, clock: Clock, log: EventLog, records: PolicyRecords) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#records = records;
  }

  /** Makes every move that is due, in the order in which they were due. Returns how many. */
  async round(): Promise<number> {
    let moved = 0;
    for (;;) {
      // Those of one moment in the order of their years and numbers, which may differ in length.
      const due = await this.#database.sql.all<DueRow>`
        select id, client_id, policy_id, status, outcome, pace_seconds, due_at from claims
        where due_at <= ${instant(this.#clock.now())}
        order by due_at, substr(id, 1, 8), length(id), id limit ${batch}`;
      if (due.length === 0) return moved;
      moved += await this.#move(due);
      this.#log.announce();
    }
  }

  /** Changes and events in one transaction. */
  #move(due: readonly DueRow[]): Promise<number> {
    return this.#database.write(async (sql) => {
      const events = [];
      const gone = await this.#records.beingRemoved(sql);
      for (const row of due) {
        if (gone.has(row.client_id)) {
          await sql.run`update claims set due_at = null where id = ${row.id}`;
          continue;
        }
        const move = nextMove(pending(row));
        const changed = await sql.run`
          update claims set status = ${move.newStatus}, status_reason = ${move.statusReason},
            updated_at = ${move.occurredAt}, due_at = ${move.nextDueAt}
          where id = ${row.id} and status = ${row.status}`;
        if (changed > 0) events.push({ clientId: row.client_id, event: statusChanged(row.id, row.policy_id, move) });
      }
      await this.#log.append(sql, claimStatusChanged, events);
      return events.length;
    });
  }
}

function pending({ id, status, outcome, pace_seconds, due_at }: DueRow): Pending {
  return { claimId: id, status, outcome, paceSeconds: pace_seconds, dueAt: due_at };
}
