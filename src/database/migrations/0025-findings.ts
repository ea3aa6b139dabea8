import type { Migration } from '../migration.ts';

/** Keeps what each client called last, also when its log is gone, and what was found out about how it is used. */
export const migration: Migration = {
  number: 25,
  name: 'findings',

  async up(sql) {
    await sql.run`alter table learners add column last_call text`;
    await sql.run`alter table learners add column console_clock_off bigint`;
    await sql.run`alter table learners add column program_clock_off bigint`;
    await sql.run`alter table learners add column other_client text`;
    await sql.run`alter table learners add column other_client_at text`;
    await sql.run`alter table learners add column unattributed_at text`;
    // To forget one that is removed.
    await sql.run`create index learners_of_other on learners (other_client) where other_client is not null`;
  },
};
