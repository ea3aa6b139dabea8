import type { Migration } from '../migration.ts';

/** Imports of policies, and what became of each of their rows. `lines` has what was sent, until all of it is done. */
export const migration: Migration = {
  number: 28,
  name: 'policy-imports',

  async up(sql) {
    await sql.run`create table policy_imports (
      id text not null primary key,
      client_id text not null references clients (id),
      lines text not null,
      bytes bigint not null,
      total integer not null,
      done integer not null,
      created integer not null,
      refused integer not null,
      created_at text not null,
      completed_at text,
      due_at text,
      expires_at text
    )`;
    await sql.run`create index policy_imports_of_client on policy_imports (client_id, id)`;
    await sql.run`create index policy_imports_due on policy_imports (due_at, id) where due_at is not null`;
    await sql.run`create index policy_imports_old on policy_imports (expires_at) where expires_at is not null`;
    await sql.run`create table policy_import_rows (
      import_id text not null references policy_imports (id) on delete cascade,
      position integer not null,
      client_id text not null references clients (id),
      line integer not null,
      policy_id text,
      problem text,
      primary key (import_id, position)
    )`;
    await sql.run`create index policy_import_rows_of_client on policy_import_rows (client_id, import_id, position)`;
  },
};
