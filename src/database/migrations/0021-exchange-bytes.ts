import type { Migration } from '../migration.ts';

/** How many bytes the exchanges take, so that those of all and of each address have a bound. */
export const migration: Migration = {
  number: 21,
  name: 'exchange bytes',

  async up(sql) {
    // Where those came from that were there before is not known.
    await sql.run`alter table exchanges add column address text not null default 'unknown'`;
    await sql.run`alter table exchanges add column size bigint not null default 0`;
    await sql.run`update exchanges set size = 300 + length(path) + length(summary) + length(details)`;
    // The oldest of an address.
    await sql.run`create index exchanges_of_address on exchanges (address, started_at)`;

    // Those of all have an empty address.
    await sql.run`create table exchange_bytes (
      address text not null primary key,
      bytes bigint not null
    )`;
    await sql.run`create index exchange_bytes_by_size on exchange_bytes (bytes)`;
    await sql.run`insert into exchange_bytes (address, bytes)
      select 'unknown', coalesce(sum(size), 0) from exchanges`;
    await sql.run`insert into exchange_bytes (address, bytes) select '', bytes from exchange_bytes`;
    await sql.run`delete from exchange_bytes where address <> '' and bytes = 0`;
  },
};
