import type { Migration } from '../migration.ts';

/** Claims, the log of their events, and the webhooks that deliver it. */
export const migration: Migration = {
  number: 2,
  name: 'claims',

  async up(sql) {
    // How many claims a client ever had. Kept apart from its row in clients, which belongs to the insurer.
    await sql.run`create table claim_counts (
      client_id text not null primary key references clients (id) on delete cascade,
      claims integer not null
    )`;
    // The last number given out in a year; numbers are never used again.
    await sql.run`create table claim_numbers (
      year integer not null primary key,
      last integer not null
    )`;
    // The dense number of a claim among its client's makes any page a seek.
    await sql.run`create table claims (
      id text not null primary key,
      client_id text not null references clients (id) on delete cascade,
      policy_id text not null references policies (id) on delete cascade,
      number integer not null,
      status text not null check (status in ('REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED')),
      status_reason text,
      outcome text not null check (outcome in ('APPROVED', 'REJECTED')),
      pace_seconds integer not null,
      registered_at text not null,
      updated_at text not null,
      due_at text,
      unique (client_id, number)
    )`;
    await sql.run`create index claims_of_policy on claims (policy_id, number)`;
    // What the claims desk owes.
    await sql.run`create index claims_due on claims (due_at) where due_at is not null`;

    // The event log takes its numbers from this row, the last lock of a transaction: gapless, in the order of commits.
    await sql.run`create table event_head (
      id integer not null primary key check (id = 1),
      seq bigint not null
    )`;
    await sql.run`insert into event_head (id, seq) values (1, 0)`;
    // Events outlive their client and claim, until retention ends; so they refer to neither.
    await sql.run`create table events (
      seq bigint not null primary key,
      event_id text not null,
      client_id text not null,
      claim_id text not null,
      payload text not null,
      published_at text not null
    )`;
    await sql.run`create index events_of_client on events (client_id, seq)`;

    await sql.run`create table subscriptions (
      id text not null primary key,
      client_id text not null references clients (id) on delete cascade,
      number integer not null,
      url text not null,
      secret text not null,
      created_at text not null,
      taken_seq bigint not null,
      deliveries integer not null default 0,
      unique (client_id, number)
    )`;
    await sql.run`create table deliveries (
      subscription_id text not null references subscriptions (id) on delete cascade,
      number integer not null,
      event_id text not null,
      claim_id text not null,
      payload text not null,
      status text not null check (status in ('waiting', 'pending', 'delivered', 'failed')),
      copies_left integer not null,
      attempts integer not null default 0,
      tries integer not null default 0,
      created_at text not null,
      next_attempt_at text,
      primary key (subscription_id, number)
    )`;
    await sql.run`create index deliveries_due on deliveries (next_attempt_at) where status = 'pending'`;
    // The next call of one subscription.
    await sql.run`create index deliveries_next on deliveries (subscription_id, next_attempt_at, number)
      where status = 'pending'`;
    // The next one of the same claim.
    await sql.run`create index deliveries_open on deliveries (subscription_id, claim_id, number)
      where status in ('waiting', 'pending')`;
    await sql.run`create table delivery_attempts (
      subscription_id text not null,
      delivery_number integer not null,
      attempt integer not null,
      attempted_at text not null,
      response_status integer,
      error text,
      primary key (subscription_id, delivery_number, attempt),
      foreign key (subscription_id, delivery_number) references deliveries (subscription_id, number) on delete cascade
    )`;
  },
};
