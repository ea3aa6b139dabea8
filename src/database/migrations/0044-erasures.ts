import type { Migration } from '../migration.ts';

/** Names that clients have erased. `holder` has the name only until it was taken out of everything else. */
export const migration: Migration = {
  number: 44,
  name: 'erasures',

  async up(sql) {
    await sql.run`create table erasures (
      id text not null primary key,
      client_id text not null references clients (id),
      address text not null,
      holder text,
      place text not null,
      touched text not null,
      kept text not null,
      created_at text not null,
      completed_at text,
      due_at text,
      expires_at text
    )`;
    await sql.run`create index erasures_of_client on erasures (client_id, id)`;
    await sql.run`create index erasures_due on erasures (due_at, address, client_id) where due_at is not null`;
    await sql.run`create index erasures_old on erasures (expires_at) where expires_at is not null`;
  },
};
