import { clientsBeingRemoved } from '../clients/clients.ts';
import { alias, type Fragment, integer, text } from '../database/columns.ts';
import type { Database, Role, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, instant } from '../time/clock.ts';
import { dueAfter } from '../time/due-times.ts';
import { nextMove } from './claim.ts';
import { byNumber, claims } from './claims.ts';
import { claimStatusChanged, statusChanged } from './status-changed.ts';

/** The node with this role moves claims, and registers those of the fleet. */
export const deskRole: Role = { name: 'desk', lock: 0 };

/** How many claims move in one transaction, at most. */
const batch = 100;

/**
 * The claims desk: changes the status of each claim when it is due. Where more are due than one transaction moves, addresses
 * take turns, and clients of each, so that nobody waits for the claims of another. Due times are in the database, so a restart loses
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

  /** Makes every move that is due, those of a client in the order in which they were due. Returns how many. */
  async round(): Promise<number> {
    let moved = 0;
    for (;;) {
      const asked = { now: instant(this.#clock.now()), batch };
      const due = await findDue(this.#database.sql, asked);
      if (due.length === 0) return moved;
      moved += await this.#move(due.length < batch ? due : await findInTurn(this.#database.sql, asked));
      this.#log.announce();
    }
  }

  /** Changes and events in one transaction: rows in the order in which they are locked, events in that in which they were due. */
  #move(due: readonly DueClaim[]): Promise<number> {
    return this.#database.write(async (sql) => {
      const gone = await clientsBeingRemoved(sql);
      const events = new Map<DueClaim, DeskEvent>();
      for (const claim of due.toSorted(byNumber)) {
        const event = gone.has(claim.clientId) ? await stop(sql, { id: claim.id }) : await this.#change(sql, claim);
        if (typeof event === 'object') events.set(claim, event);
      }
      const made = due.flatMap((claim) => events.get(claim) ?? []);
      await this.#log.append(sql, claimStatusChanged, made);
      return made.length;
    });
  }

  /** Returns the event that reports the change; undefined if it is not due any more. */
  async #change(sql: Sql, claim: DueClaim): Promise<DeskEvent | undefined> {
    const { id, clientId, clockOffset: offset, dueAt, policyId, trace } = claim;
    const move = nextMove({ ...claim, claimId: id, dueAt: dueAfter(dueAt, offset) });
    const nextDueAt = move.nextDueAt && dueAfter(move.nextDueAt, -offset);
    if ((await change(sql, { ...move, id, dueAt, nextDueAt })) === 0) return undefined;
    // By what it reports, since nobody knows when a round comes.
    const eventId = this.#randomness.uuidOf(`event ${id} ${move.newStatus}`);
    return { clientId, event: statusChanged(eventId, id, policyId, move), trace };
  }
}

type DueClaim = Awaited<ReturnType<typeof findDue>>[number];
type DeskEvent = Parameters<EventLog['append']>[2][number] & { readonly event: ReturnType<typeof statusChanged> };

// Those of one moment in the order of their years and numbers, which differ in length.
const inOrder: Fragment<unknown, unknown> = {
  texts: ['c.due_at, substr(c.id, 1, 8), length(c.id), c.id'],
  parameters: [],
  output: [],
};

// A claim that is due has a time, in real time.
const findDue = statement.all`
  select ${claims.pick('id', 'clientId', 'number', 'policyId', 'status', 'outcome', 'paceSeconds', 'trace').of('c')},
    c.due_at as ${alias('dueAt', text)}, k.clock_offset as ${alias('clockOffset', integer)}
  from claims c join clients k on k.id = c.client_id
  where c.due_at <= ${'now'}
  order by ${inOrder} limit ${'batch'}`;

// The first of each address, of its clients in turn, then the second of each.
const findInTurn = statement.all`
  select ${claims.pick('id', 'clientId', 'number', 'policyId', 'status', 'outcome', 'paceSeconds', 'trace').of('t')},
    t.due_at as ${alias('dueAt', text)}, t.clock_offset as ${alias('clockOffset', integer)}
  from (
    select p.*, row_number() over (partition by p.address order by p.place, p.due_at, p.client_id) as turn from (
      select c.id, c.client_id, c.number, c.policy_id, c.status, c.outcome, c.pace_seconds, c.trace, c.due_at,
        k.clock_offset, k.address,
        row_number() over (partition by c.client_id order by ${inOrder}) as place
      from claims c join clients k on k.id = c.client_id
      where c.due_at <= ${'now'}
    ) p
  ) t
  order by t.turn, t.address limit ${'batch'}`;

const change = statement.run`
  update claims set status = ${'newStatus'}, status_reason = ${'statusReason'}, updated_at = ${'occurredAt'},
    due_at = ${'nextDueAt'}
  where id = ${'id'} and status = ${'previousStatus'} and due_at = ${'dueAt'}`;

/** Makes the moves of a client's claims due `by` milliseconds earlier. */
export async function moveDueClaims(sql: Sql, clientId: string, by: number): Promise<void> {
  for (const { id, dueAt } of await lockOpen(sql, { clientId })) await setDue(sql, { id, dueAt: dueAfter(dueAt, -by) });
}

// The desk may be about to move them. Asked so that those of all that are due are not looked through.
const lockOpen = statement.all`
  select ${claims.pick('id')}, due_at as ${alias('dueAt', text)} from claims
  where client_id = ${'clientId'} and coalesce(due_at, '') > '' order by number ${lockRows}`;

const setDue = statement.run`update claims set due_at = ${'dueAt'} where id = ${'id'}`;

const stop = statement.run`update claims set due_at = null where id = ${'id'}`;
