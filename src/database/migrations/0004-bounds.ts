import type { Migration } from '../migration.ts';

/** Bounds on what a client can have stored and called, and removal in steps. */
export const migration: Migration = {
  number: 4,
  name: 'bounds',

  async up(sql) {
    // Set when the removal of a client begins: from then on it is gone for every caller. Its row goes last.
    await sql.run`alter table clients add column removed_at text`;
    await sql.run`create index clients_removed on clients (removed_at, id) where removed_at is not null`;

    // A running total of the bytes of a client's events: what is stored is the last one less those before the first.
    await sql.run`alter table events add column client_bytes bigint not null default 0`;
    await sql.run`
      update events set client_bytes = t.total
      from (select seq, sum(length(payload) + 200) over (partition by client_id order by seq) as total from events) t
      where t.seq = events.seq`;

    await sql.run`alter table subscriptions add column status text not null default 'active'
      check (status in ('active', 'disabled', 'deleted'))`;
    await sql.run`create index subscriptions_deleted on subscriptions (id) where status = 'deleted'`;
    // Whether it may call this machine. Those that are there were made before anybody asked where from.
    await sql.run`alter table subscriptions add column loopback integer not null default 1 check (loopback in (0, 1))`;
    await sql.run`alter table subscriptions add column disabled_at text`;
    await sql.run`alter table subscriptions add column failing_since text`;
    await sql.run`alter table subscriptions add column last_failed_at text`;
    await sql.run`alter table subscriptions add column open_deliveries integer not null default 0`;
    await sql.run`alter table subscriptions add column stored_bytes bigint not null default 0`;
    await sql.run`alter table subscriptions add column missed_events integer not null default 0`;

    // The event whose payload is sent. Without one the payload is in the row itself: test events, and those of before.
    await sql.run`alter table deliveries add column event_seq bigint`;
    // Attempts as a JSON list of [number, time, status, error], and how many ended how.
    await sql.run`alter table deliveries add column kept_attempts text not null default '[]'`;
    await sql.run`alter table deliveries add column taken integer not null default 0`;
    await sql.run`alter table deliveries add column refused integer not null default 0`;
    await sql.run`alter table deliveries add column unanswered integer not null default 0`;
    await sql.run`
      update deliveries set
        kept_attempts = (
          select '[' || string_agg(
            '[' || cast(a.attempt as text) || ',"' || a.attempted_at || '",'
              || coalesce(cast(a.response_status as text), 'null') || ','
              || coalesce('"' || replace(replace(a.error, '\\', '\\\\'), '"', '\\"') || '"', 'null') || ']',
            ',' order by a.attempt
          ) || ']'
          from delivery_attempts a
          where a.subscription_id = deliveries.subscription_id and a.delivery_number = deliveries.number
        ),
        taken = (
          select count(*) from delivery_attempts a
          where a.subscription_id = deliveries.subscription_id and a.delivery_number = deliveries.number
            and a.response_status >= 200 and a.response_status < 300
        ),
        unanswered = (
          select count(*) from delivery_attempts a
          where a.subscription_id = deliveries.subscription_id and a.delivery_number = deliveries.number
            and a.response_status is null
        )
      where exists (
        select 1 from delivery_attempts a
        where a.subscription_id = deliveries.subscription_id and a.delivery_number = deliveries.number
      )`;
    // Of more than fifty attempts the oldest were forgotten: most likely they were refused.
    await sql.run`update deliveries set refused = attempts - taken - unanswered`;
    await sql.run`drop table delivery_attempts`;
    await sql.run`
      update subscriptions set
        open_deliveries = (
          select count(*) from deliveries d where d.subscription_id = subscriptions.id
            and d.status in ('waiting', 'pending')
        ),
        stored_bytes = (
          select coalesce(sum(length(d.payload) + length(d.kept_attempts) + 400), 0) from deliveries d
          where d.subscription_id = subscriptions.id
        )`;
  },
};
