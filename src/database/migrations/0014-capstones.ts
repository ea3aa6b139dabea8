import type { Migration } from '../migration.ts';

/** The last runs of capstones, and what each client achieved in them. */
export const migration: Migration = {
  number: 14,
  name: 'capstones',

  async up(sql) {
    await sql.run`create table capstone_runs (
      client_id text not null,
      capstone_id text not null,
      number integer not null,
      started_at text not null,
      ends_at text not null,
      due_at text,
      steps integer not null,
      given text not null,
      plan text not null,
      ended_at text,
      outcome text,
      score integer,
      faults text not null,
      primary key (client_id, capstone_id, number)
    )`;
    await sql.run`create index capstone_runs_due on capstone_runs (due_at) where due_at is not null`;
    // One at a time.
    await sql.run`create unique index capstone_runs_on on capstone_runs (client_id) where ended_at is null`;

    await sql.run`create table capstone_records (
      client_id text not null,
      capstone_id text not null,
      runs integer not null,
      best_score integer,
      completed_at text,
      primary key (client_id, capstone_id)
    )`;
  },
};
