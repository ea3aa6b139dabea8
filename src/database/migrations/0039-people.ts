import type { Migration } from '../migration.ts';

/** The people of a client, where they may be sent back to, and what they let the client do. */
export const migration: Migration = {
  number: 39,
  name: 'people',

  async up(sql) {
    await sql.run`create table people (
      id text not null primary key,
      client_id text not null,
      number integer not null,
      name text not null,
      user_name text not null,
      password text not null
    )`;
    await sql.run`create unique index people_by_client on people (client_id, number)`;
    // As JSON.
    await sql.run`create table redirect_uris (
      client_id text not null primary key,
      uris text not null
    )`;
    // Times by the clock of the client.
    await sql.run`create table consents (
      id text not null primary key,
      client_id text not null,
      person_id text not null,
      scopes text not null,
      created_at text not null,
      expires_at text not null,
      withdraw_at text,
      redirect_uri text not null,
      challenge text not null,
      code_hash text not null,
      code_expires_at text not null,
      family_key text not null,
      refreshed integer not null,
      refreshed_at text,
      ended_at text,
      ended_by text
    )`;
    await sql.run`create index consents_by_client on consents (client_id, id)`;
  },
};
