import type { Migration } from '../migration.ts';

/** Keeps the trace that a call belonged to, with its exchange and with what it caused. */
export const migration: Migration = {
  number: 27,
  name: 'traces',

  async up(sql) {
    await sql.run`alter table exchanges add column trace_id text`;
    // Trace id and flags. A delivery has one of its own where no event is in the log.
    await sql.run`alter table claims add column trace text`;
    await sql.run`alter table events add column trace text`;
    await sql.run`alter table deliveries add column trace text`;
  },
};
