import type { Logger } from 'pino';
import {
  type ActiveDrills,
  type Drill,
  type DrillName,
  type DrillParameters,
  everybody,
  isOn,
} from '../../active-drills.ts';
import type { Consents } from '../../clients/consents.ts';
import { type RowOf, table, text, textOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { freeRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import type { Tokens } from '../../http/requests/bearer.ts';
import { nearName } from '../../http/requests/near-name.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { PeriodicJob, reason } from '../../time/periodic-job.ts';
import { minute } from '../../time/units.ts';
import { refusePreset, refuseUnknown } from '../refusals.ts';
import { drillNames } from './catalogue.ts';
import type { DrillView } from './schemas.ts';
import { removeEndedTurns, removeTurns, turnsIn, turnsTaken } from './turns.ts';

/*
 * Drills are rows with the time when they end: no job ends them. Each node has those that are on in memory. It reads them
 * at its start, at a signal that they have changed, and once a second, in case a signal was lost and to tell of ends. So
 * they outlive a restart; the calls that they have had are counted anew, on each node by itself, but for sequences (turns.ts).
 */

const drills = table('drills', {
  /** `everybody` for those of all clients. */
  clientId: text,
  name: textOf<DrillName>(),
  /** Of this start. */
  id: text,
  /** JSON. */
  parameters: text,
  startedBy: textOf<DrillView['startedBy']>(),
  startedAt: text,
  endsAt: text,
});

/** The channel on which nodes hear that drills have changed. */
const drillsChanged = 'drills';

/** Milliseconds between two readings. */
const readEveryMs = 1000;

/** Rows that one step of housekeeping removes. */
const stepSize = 500;

export interface NewDrill {
  readonly name: DrillName;
  readonly parameters: object;
  readonly minutes: number;
  readonly startedBy: DrillView['startedBy'];
}

export interface DrillUntil extends Omit<NewDrill, 'minutes'> {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export interface DrillsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly log: Logger;
  readonly tokens: Tokens;
  readonly consents: Consents;
  readonly active: ActiveDrills;
  /** The first segments of the paths whose calls drills hit. */
  readonly systems: readonly string[];
}

export class Drills {
  readonly name = 'ended drills';
  readonly #options: DrillsOptions;
  readonly #reading: PeriodicJob;

  private constructor(options: DrillsOptions) {
    const { database, log } = options;
    this.#options = options;
    this.#reading = new PeriodicJob(
      () => this.#read(),
      (error) => log.warn({ error: (error as Error).name, reason: reason(error) }, 'drills could not be read'),
      () => log.info('drills are read again'),
    ).every(readEveryMs);
    database.onSignal(drillsChanged, () => void this.#reading.run());
  }

  static async open(options: DrillsOptions): Promise<Drills> {
    const opened = new Drills(options);
    options.active.takeTurnsBy(turnsIn(options.database));
    await opened.#reading.run();
    return opened;
  }

  /**
   * Starts a drill of a client, or of `everybody`, in place of the one of this name that is on.
   *
   * @throws {ProblemError} `preset-client`, or `gone()` when the client is gone
   */
  async start(
    clientId: string,
    { name, parameters, minutes, startedBy }: NewDrill,
    gone?: () => ProblemError,
  ): Promise<DrillView> {
    const { database, clock, tokens, consents, active } = this.#options;
    if (clientId !== everybody) refusePreset(clientId);
    const now = clock.now();
    const endsAt = now + Math.round(minutes * minute);
    const row = await database.write(async (sql) => {
      // So that it is not removed meanwhile, and the drill left behind.
      if (clientId !== everybody) await tokens.lockClient(sql, clientId, gone);
      return this.startIn(sql, clientId, { name, parameters, startedBy, endsAt });
    });
    await this.changed();
    // Those that are given from now on have their time by the drill.
    const withdrawn = clientId === everybody && withdrawsAfter(name, parameters);
    if (withdrawn) await consents.withdrawAllLater(withdrawn, (each) => active.isExempt(each));
    return view(row, now, clientId === everybody ? undefined : 0);
  }

  /** The same within a transaction that has locked the client. `changed` is to be called when it is durable. */
  async startIn(sql: Sql, clientId: string, { parameters, endsAt, ...drill }: DrillUntil) {
    const { clocks, randomness, consents } = this.#options;
    const ofClient = clientId === everybody ? undefined : clientId;
    const row = {
      ...drill,
      clientId,
      id: randomness.uuid('drill'),
      parameters: JSON.stringify(parameters),
      startedAt: instant(clocks.present(ofClient)),
      endsAt: instant(endsAt),
    };
    await put(sql, row);
    const withdrawn = ofClient !== undefined && withdrawsAfter(drill.name, parameters);
    if (withdrawn) await consents.withdrawLater(sql, clientId, withdrawn);
    return row;
  }

  /** Ends those of a client that a capstone started, within a transaction. `changed` as for `startIn`. */
  async endOfCapstone(sql: Sql, clientId: string): Promise<void> {
    await removeStartedBy(sql, { clientId, startedBy: 'capstone' });
  }

  /** Those that are on for a client, those of all included; for `everybody` only these. */
  async list(clientId: string): Promise<DrillView[]> {
    const { active, clock, database } = this.#options;
    const now = clock.now();
    const rows = await findOf(database.sql, { clientId, now: instant(now) });
    const taken = clientId === everybody ? undefined : await turnsTaken(database.sql, clientId);
    return rows
      .filter((row) => isOn({ startedAt: Date.parse(row.startedAt), endsAt: Date.parse(row.endsAt) }, now))
      .filter((row) => row.clientId === clientId || !active.isExempt(clientId))
      .map((row) => view(row, now, taken && (taken.get(row.id) ?? 0)));
  }

  /**
   * The one of a name that hits the client's calls.
   *
   * @throws {ProblemError} `drill-not-found`
   */
  async read(clientId: string, name: string): Promise<DrillView> {
    const named = (await this.list(clientId)).filter((each) => each.name === name);
    return named.find(({ appliesTo }) => appliesTo === 'client') ?? named[0] ?? notFound(name);
  }

  /**
   * Ends it, if it is on.
   *
   * @throws {ProblemError} `drill-not-found` for a name that no drill has
   */
  async end(clientId: string, name: string): Promise<void> {
    const known = drillNames.find((each) => each === name) ?? notFound(name);
    const ended = await this.#options.database.write((sql) => remove(sql, { clientId, name: known }));
    if (ended > 0) await this.changed();
  }

  /** For a drill that is started without one. */
  readonly newSeed = () => this.#options.randomness.integer('drill seed', 0, 2 ** 31);

  get systems(): readonly string[] {
    return this.#options.systems;
  }

  /** @throws {ProblemError} `preset-client`, `client-not-found` */
  async checkLearner(clientId: string): Promise<void> {
    if (clientId === everybody) return;
    refusePreset(clientId);
    await refuseUnknown(this.#options.tokens, clientId);
  }

  /** Removes those that have ended. */
  async step(): Promise<boolean> {
    const { database, clock } = this.#options;
    const ended = { now: instant(clock.now()), limit: stepSize };
    const drills = await database.write((sql) => removeEnded(sql, ended));
    const turns = await database.write((sql) => removeEndedTurns(sql, ended));
    return drills === stepSize || turns === stepSize;
  }

  close(): Promise<void> {
    return this.#reading.stop();
  }

  /** To be called when drills were started or ended in the database. */
  async changed(): Promise<void> {
    await this.#reading.run();
    this.#options.database.signal(drillsChanged);
  }

  async #read(): Promise<void> {
    const { database, clock, active } = this.#options;
    const rows = await findOn(database.sql, { now: instant(clock.now()) });
    active.replace(rows.map(drillOf));
  }
}

/** Milliseconds after which a drill has consents withdrawn that were given before it; false for another drill. */
function withdrawsAfter(name: DrillName, parameters: object): number | false {
  return name === 'consent-withdrawn' && (parameters as DrillParameters[typeof name]).afterMinutes * minute;
}

function drillOf({ parameters, startedAt, endsAt, ...row }: RowOf<typeof drills>): Drill {
  return {
    ...row,
    parameters: JSON.parse(parameters),
    startedAt: Date.parse(startedAt),
    endsAt: Date.parse(endsAt),
  };
}

/** @param taken how many turns of its sequence are; undefined for a drill of all clients, of whom each takes its own */
function view(row: RowOf<typeof drills>, now: number, taken: number | undefined): DrillView {
  const { clientId, id: _, parameters: text, endsAt, ...shown } = row;
  const parameters = JSON.parse(text);
  return {
    ...shown,
    parameters,
    appliesTo: clientId === everybody ? 'everybody' : 'client',
    endsAt,
    secondsLeft: Math.ceil((Date.parse(endsAt) - now) / 1000),
    ...(parameters.sequence && taken !== undefined && { left: parameters.sequence.slice(taken) }),
  };
}

function notFound(name: string): never {
  throw new ProblemError('drill-not-found', adviceOn(name));
}

function adviceOn(name: string): string {
  if (drillNames.some((each) => each === name))
    return `The drill ${name} is not on. It may have ended by itself. POST starts it.`;
  const near = nearName(name, drillNames);
  const meant = near === undefined ? 'GET /range/v1/drills lists those there are.' : `Did you mean ${near}?`;
  return `No drill has this name. ${meant}`;
}

/** Removes the drills of a client that is being removed. Returns how many rows that were. */
export async function removeDrills(sql: Sql, clientId: string): Promise<number> {
  await removeTurns(sql, clientId);
  return removeOf(sql, { clientId });
}

const put = statement.run`
  insert into drills ${drills.values}
  on conflict (client_id, name) do update set
    id = excluded.id, parameters = excluded.parameters, started_by = excluded.started_by,
    started_at = excluded.started_at, ends_at = excluded.ends_at`;

const findOn = statement.all`select ${drills} from drills where ends_at > ${'now'}`;

const findOf = statement.all`
  select ${drills} from drills
  where (client_id = ${'clientId'} or client_id = '') and ends_at > ${'now'}
  order by started_at, client_id, name`;

const remove = statement.run`
  delete from drills where client_id = ${'clientId'} and name = ${'name'}`;

const removeStartedBy = statement.run`
  delete from drills where client_id = ${'clientId'} and started_by = ${'startedBy'}`;

const removeOf = statement.run`delete from drills where client_id = ${'clientId'}`;

const removeEnded = statement.run`
  with ended as materialized (
    select client_id, name from drills where ends_at <= ${'now'} order by ends_at limit ${'limit'} ${freeRows}
  )
  delete from drills where (client_id, name) in (select client_id, name from ended)`;
