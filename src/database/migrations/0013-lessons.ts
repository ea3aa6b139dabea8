import type { Migration } from '../migration.ts';

/** How far each client got with the lessons. */
export const migration: Migration = {
  number: 13,
  name: 'lessons',

  async up(sql) {
    await sql.run`create table lesson_progress (
      client_id text not null,
      lesson_id text not null,
      hints integer not null,
      misses integer not null,
      last_miss text,
      changed_at text not null,
      solved_at text,
      proof text,
      primary key (client_id, lesson_id)
    )`;

    // To read on in the log of a client.
    await sql.run`create index exchanges_kept on exchanges (client_id, kept)`;
  },
};
