import type { Migration } from '../migration.ts';

/** Clients, their policies, and the keys that sign tokens. */
export const migration: Migration = {
  number: 1,
  name: 'insurer',

  async up(sql) {
    await sql.run`create table clients (
      id text not null primary key,
      secret_hash text not null,
      scopes text not null,
      preset integer not null check (preset in (0, 1)),
      created_at text not null,
      last_used_at text not null,
      policy_count integer not null default 0
    )`;
    // For the removal of clients that nobody uses.
    await sql.run`create index clients_idle on clients (last_used_at) where preset = 0`;

    // The dense number of a policy among its client's makes any page a seek.
    await sql.run`create table policies (
      id text not null primary key,
      client_id text not null references clients (id) on delete cascade,
      number integer not null,
      reg_number text not null,
      reg_key text not null,
      holder text,
      coverage_option text not null,
      status text not null check (status in ('active', 'updated', 'cancelled', 'expired')),
      start_date text not null,
      end_date text not null,
      created_at text not null,
      updated_at text not null,
      unique (client_id, number)
    )`;
    // One policy in force per vehicle.
    await sql.run`create unique index policies_in_force on policies (reg_key) where status in ('active', 'updated')`;

    await sql.run`create table signing_keys (
      id text not null primary key,
      jwk text not null,
      created_at text not null
    )`;
  },
};
