import type { Migration } from '../migration.ts';

/** The address that an import came from: each has a share of the bytes that all may take. */
export const migration: Migration = {
  number: 29,
  name: 'import-addresses',

  async up(sql) {
    await sql.run`alter table policy_imports add column address text not null default 'unknown'`;
    await sql.run`create index policy_imports_of_address on policy_imports (address, expires_at)
      where expires_at is not null`;
  },
};
