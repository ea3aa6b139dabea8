import type { Migration } from '../migration.ts';

/** Versions of policies, for their tags, and the answers that are kept under the `Idempotency-Key` of a request. */
export const migration: Migration = {
  number: 7,
  name: 'safe-repeats',

  async up(sql) {
    // Changes with all that the interface shows of a policy but its expiry, which needs no write.
    await sql.run`alter table policies add column version integer not null default 1`;

    await sql.run`create table kept_answers (
      client_id text not null references clients (id) on delete cascade,
      endpoint text not null,
      idempotency_key text not null,
      fingerprint text not null,
      answer text not null,
      kept_at text not null,
      primary key (client_id, endpoint, idempotency_key)
    )`;
    // For the removal of those that are a day old.
    await sql.run`create index kept_answers_old on kept_answers (kept_at)`;
  },
};
