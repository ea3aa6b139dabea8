import type { Migration } from '../migration.ts';

/** How far the events have been relayed to Kafka. */
export const migration: Migration = {
  number: 3,
  name: 'relay',

  async up(sql) {
    await sql.run`create table kafka_relay (
      id integer not null primary key check (id = 1),
      seq bigint not null
    )`;
    await sql.run`insert into kafka_relay (id, seq) values (1, 0)`;
  },
};
