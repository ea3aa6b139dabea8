import type { Migration } from '../migration.ts';

/** Moves of all clocks that are under way. */
export const migration: Migration = {
  number: 30,
  name: 'class-moves',

  async up(sql) {
    // Numbered among the moves of clocks. Of the clients that were there when it began; in milliseconds.
    await sql.run`create table class_moves (
      number bigint not null primary key,
      by_ms bigint not null,
      begun_at text not null
    )`;
    // The last of them that a client took part in.
    await sql.run`alter table clients add column class_move bigint not null default 0`;
  },
};
