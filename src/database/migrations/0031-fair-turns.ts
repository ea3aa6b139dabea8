import type { Migration } from '../migration.ts';

/** Where a client was created: work that waits takes turns by address. And what the turns and shares of imports are told by. */
export const migration: Migration = {
  number: 31,
  name: 'fair-turns',

  async up(sql) {
    await sql.run`alter table clients add column address text not null default 'unknown'`;
    await sql.run`create index policy_imports_turns on policy_imports (due_at, address, client_id, total, done)
      where due_at is not null`;
    await sql.run`create index policy_imports_shares on policy_imports (address, client_id, expires_at, bytes)`;
    await sql.run`drop index policy_imports_of_address`;
    await sql.run`drop index policy_imports_due`;
  },
};
