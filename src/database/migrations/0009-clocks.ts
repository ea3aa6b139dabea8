import type { Migration } from '../migration.ts';

/** How far the clock of each client is ahead. */
export const migration: Migration = {
  number: 9,
  name: 'clocks',

  async up(sql) {
    // In milliseconds. It only grows.
    await sql.run`alter table clients add column clock_offset bigint not null default 0`;
    // The latest moves, as a JSON list of [when, by how much], in milliseconds.
    await sql.run`alter table clients add column clock_moves text not null default '[]'`;
    // The number of the last move, among those of all clients: by it each process finds what it does not know yet.
    await sql.run`alter table clients add column clock_number bigint`;
    await sql.run`create index clients_moved on clients (clock_number) where clock_number is not null`;

    // Numbers come from this row, the last lock of a transaction, so they are in the order of commits.
    await sql.run`create table clock_head (
      id integer not null primary key check (id = 1),
      moves bigint not null
    )`;
    await sql.run`insert into clock_head (id, moves) values (1, 0)`;
  },
};
