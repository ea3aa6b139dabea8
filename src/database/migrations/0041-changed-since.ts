import type { Migration } from '../migration.ts';

/** What changed since an instant is listed in the order of the changes. */
export const migration: Migration = {
  number: 41,
  name: 'changed-since',

  async up(sql) {
    await sql.run`create index policies_changed on policies (client_id, updated_at, id)`;
    await sql.run`create index claims_changed on claims (client_id, updated_at, id)`;
  },
};
