import type { Migration } from '../migration.ts';

/** Monthly statements, and the rows of their files: apart, since they are long and most reads need none of them. */
export const migration: Migration = {
  number: 42,
  name: 'statements',

  async up(sql) {
    await sql.run`create table statements (
      id text not null primary key,
      client_id text not null references clients (id),
      address text not null,
      month text not null,
      format text not null,
      currency text not null,
      bytes bigint not null,
      count bigint,
      premiums bigint,
      commissions bigint,
      created_at text not null,
      completed_at text,
      due_at text,
      expires_at text
    )`;
    await sql.run`create index statements_of_client on statements (client_id, id)`;
    await sql.run`create index statements_due on statements (due_at, id) where due_at is not null`;
    await sql.run`create index statements_old on statements (expires_at) where expires_at is not null`;
    await sql.run`create index statements_shares on statements (address, expires_at, bytes)`;
    await sql.run`create table statement_files (
      statement_id text not null primary key references statements (id) on delete cascade,
      content text not null
    )`;
  },
};
