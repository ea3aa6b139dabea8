import { clientsBeingRemoved } from '../clients/clients.ts';
import { alias, integer, text } from '../database/columns.ts';
import type { Database, Role, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, instant } from '../time/clock.ts';
import { nextMove } from './claim.ts';
import { claims } from './claims.ts';
import { claimStatusChanged, statusChanged } from './status-changed.ts';

/** The node with this role moves claims, and registers those of the fleet. */
export const deskRole: Role = { name: 'desk', lock: 0 };

/** How many claims move in one transaction, at most. */
const batch = 100;

/**
 * The claims desk: changes the status of each claim when it is due. Due times are in the database, so a restart loses
 * and repeats nothing. A claim changes only from the status that was read, so that two desks don't change it twice, and
 * only if it is still due then: its client may move its clock meanwhile.
 */
export class ClaimsDesk {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #randomness: Randomness;

  constructor(database: Database, clock: Clock, log: EventLog, randomness: Randomness) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#randomness = randomness;
  }

  /** Makes every move that is due, in the order in which they were due. Returns how many. */
  async round(): Promise<number> {
    let moved = 0;
    for (;;) {
      const due = await findDue(this.#database.sql, { now: instant(this.#clock.now()), batch });
      if (due.length === 0) return moved;
      moved += await this.#move(due);
      this.#log.announce();
    }
  }

  /** Changes and events in one transaction. */
  #move(due: Awaited<ReturnType<typeof findDue>>): Promise<number> {
    return this.#database.write(async (sql) => {
      const events = [];
      const gone = await clientsBeingRemoved(sql);
      for (const row of due) {
        if (gone.has(row.clientId)) {
          await stop(sql, { id: row.id });
          continue;
        }
        const { clockOffset: offset, dueAt } = row;
        const move = nextMove({ ...row, claimId: row.id, dueAt: later(dueAt, offset) });
        const nextDueAt = move.nextDueAt && later(move.nextDueAt, -offset);
        const changed = await change(sql, { ...move, id: row.id, dueAt, nextDueAt });
        if (changed === 0) continue;
        // By what it reports, since nobody knows when a round comes.
        const eventId = this.#randomness.uuidOf(`event ${row.id} ${move.newStatus}`);
        const event = statusChanged(eventId, row.id, row.policyId, move);
        events.push({ clientId: row.clientId, event, trace: row.trace });
      }
      await this.#log.append(sql, claimStatusChanged, events);
      return events.length;
    });
  }
}

// A claim that is due has a time, in real time. Those of one moment in the order of their years and numbers, which differ in length.
const findDue = statement.all`
  select ${claims.pick('id', 'clientId', 'policyId', 'status', 'outcome', 'paceSeconds', 'trace').of('c')},
    c.due_at as ${alias('dueAt', text)}, k.clock_offset as ${alias('clockOffset', integer)}
  from claims c join clients k on k.id = c.client_id
  where c.due_at <= ${'now'}
  order by c.due_at, substr(c.id, 1, 8), length(c.id), c.id limit ${'batch'}`;

const change = statement.run`
  update claims set status = ${'newStatus'}, status_reason = ${'statusReason'}, updated_at = ${'occurredAt'},
    due_at = ${'nextDueAt'}
  where id = ${'id'} and status = ${'previousStatus'} and due_at = ${'dueAt'}`;

/** Makes the moves of a client's claims due `by` milliseconds earlier. */
export async function moveDueClaims(sql: Sql, clientId: string, by: number): Promise<void> {
  for (const { id, dueAt } of await lockOpen(sql, { clientId })) await setDue(sql, { id, dueAt: later(dueAt, -by) });
}

const later = (at: string, milliseconds: number) => instant(Date.parse(at) + milliseconds);

// The desk may be about to move them.
const lockOpen = statement.all`
  update claims set due_at = due_at where client_id = ${'clientId'} and due_at is not null
  returning ${claims.pick('id')}, due_at as ${alias('dueAt', text)}`;

const setDue = statement.run`update claims set due_at = ${'dueAt'} where id = ${'id'}`;

const stop = statement.run`update claims set due_at = null where id = ${'id'}`;
