pragma foreign_keys = off;
begin;
CREATE TABLE migrations (
      number integer primary key,
      name text not null,
      applied_at text not null
    );
CREATE TABLE clients (
      id text not null primary key,
      secret_hash text not null,
      scopes text not null,
      preset integer not null check (preset in (0, 1)),
      created_at text not null,
      last_used_at text not null,
      policy_count integer not null default 0
    );
CREATE TABLE policies (
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
    );
CREATE TABLE signing_keys (
      id text not null primary key,
      jwk text not null,
      created_at text not null
    );
CREATE TABLE claim_counts (
      client_id text not null primary key references clients (id) on delete cascade,
      claims integer not null
    );
CREATE TABLE claim_numbers (
      year integer not null primary key,
      last integer not null
    );
CREATE TABLE claims (
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
    );
CREATE TABLE event_head (
      id integer not null primary key check (id = 1),
      seq bigint not null
    );
CREATE TABLE events (
      seq bigint not null primary key,
      event_id text not null,
      client_id text not null,
      claim_id text not null,
      payload text not null,
      published_at text not null
    );
CREATE TABLE subscriptions (
      id text not null primary key,
      client_id text not null references clients (id) on delete cascade,
      number integer not null,
      url text not null,
      secret text not null,
      created_at text not null,
      taken_seq bigint not null,
      deliveries integer not null default 0,
      unique (client_id, number)
    );
CREATE TABLE deliveries (
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
    );
CREATE TABLE delivery_attempts (
      subscription_id text not null,
      delivery_number integer not null,
      attempt integer not null,
      attempted_at text not null,
      response_status integer,
      error text,
      primary key (subscription_id, delivery_number, attempt),
      foreign key (subscription_id, delivery_number) references deliveries (subscription_id, number) on delete cascade
    );
CREATE TABLE kafka_relay (
      id integer not null primary key check (id = 1),
      seq bigint not null
    );
insert into "migrations" values
  (1, 'insurer', '2025-03-01T08:00:00.000Z'),
  (2, 'claims', '2025-03-01T08:00:00.000Z'),
  (3, 'relay', '2025-03-01T08:00:00.000Z');
insert into "clients" values
  ('preset-reader', '71d0b739beaa515997ee314c3c6115d66913aa6ad020caeb305a03f75bbef137', 'policies:read', 1, '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z', 0),
  ('preset-fleet', '9cd32d4ce7fe5f373422107d654e3f19862a70000a91278662637599d7e18281', 'policies:read policies:write claims:read claims:write', 1, '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z', 75),
  ('demo-bd992be4a942389a2c4d', '9def374b40fc9ecbff2728b46fd3efdc5b7c1d9c3d4cd9ad732c185dd4f6b298', 'policies:read policies:write claims:read claims:write', 0, '2025-03-01T08:00:00.000Z', '2026-03-03T07:50:00.000Z', 1),
  ('demo-303f27c217a4ffd02377', '1442d34a88edb09e5cbe24f652e3215329728e8dbcb36122819186c179835d5c', 'policies:read policies:write claims:read claims:write', 0, '2025-03-01T08:00:00.000Z', '2026-03-03T07:50:00.000Z', 5);
insert into "policies" values
  ('pol-01a201af-cb09-74ea-acfc-5f08161708e7', 'preset-fleet', 1, 'FL-0001', 'FL0001', 'Kestrel Couriers, van 1', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-7338-9e7e-72ee47d26000', 'preset-fleet', 2, 'FL-0002', 'FL0002', 'Kestrel Couriers, van 2', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-71ae-8c39-82c18b164190', 'preset-fleet', 3, 'FL-0003', 'FL0003', 'Kestrel Couriers, van 3', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-745b-87a1-4e2b9b9e1e40', 'preset-fleet', 4, 'FL-0004', 'FL0004', 'Kestrel Couriers, van 4', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-72a3-a598-909b058f48c9', 'preset-fleet', 5, 'FL-0005', 'FL0005', 'Kestrel Couriers, van 5', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-7c23-b51b-0e22e81a6c48', 'preset-fleet', 6, 'FL-0006', 'FL0006', 'Kestrel Couriers, van 6', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-7e6e-9b1c-ec38ad1c0425', 'preset-fleet', 7, 'FL-0007', 'FL0007', 'Kestrel Couriers, van 7', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-77b4-8cb2-b5ae2b0770f3', 'preset-fleet', 8, 'FL-0008', 'FL0008', 'Kestrel Couriers, van 8', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb09-7bf6-90b8-a59d1d78ed86', 'preset-fleet', 9, 'FL-0009', 'FL0009', 'Kestrel Couriers, van 9', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7717-838a-8aa369ee68d6', 'preset-fleet', 10, 'FL-0010', 'FL0010', 'Kestrel Couriers, van 10', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7f32-9244-733740113780', 'preset-fleet', 11, 'FL-0011', 'FL0011', 'Kestrel Couriers, van 11', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7756-8e62-a33302189896', 'preset-fleet', 12, 'FL-0012', 'FL0012', 'Kestrel Couriers, van 12', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-77d3-acdc-935143debaf0', 'preset-fleet', 13, 'FL-0013', 'FL0013', 'Kestrel Couriers, van 13', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-74bb-a66c-ce99b911f4f6', 'preset-fleet', 14, 'FL-0014', 'FL0014', 'Kestrel Couriers, van 14', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-71d0-9efc-350298c04c1a', 'preset-fleet', 15, 'FL-0015', 'FL0015', 'Kestrel Couriers, van 15', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7d3b-9e1f-72ec02c295c4', 'preset-fleet', 16, 'FL-0016', 'FL0016', 'Kestrel Couriers, van 16', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7a4e-8509-5c9ed9374c59', 'preset-fleet', 17, 'FL-0017', 'FL0017', 'Kestrel Couriers, van 17', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-770a-8df5-07758f7522e0', 'preset-fleet', 18, 'FL-0018', 'FL0018', 'Kestrel Couriers, van 18', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7774-a110-d1b70273f535', 'preset-fleet', 19, 'FL-0019', 'FL0019', 'Kestrel Couriers, van 19', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7c65-88ae-4547f6bcb92b', 'preset-fleet', 20, 'FL-0020', 'FL0020', 'Kestrel Couriers, van 20', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-735a-b722-12f68abc3609', 'preset-fleet', 21, 'FL-0021', 'FL0021', 'Kestrel Couriers, van 21', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-78e6-a0d4-a04f57ccf1b3', 'preset-fleet', 22, 'FL-0022', 'FL0022', 'Kestrel Couriers, van 22', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7d03-b630-0ba702d4d33f', 'preset-fleet', 23, 'FL-0023', 'FL0023', 'Kestrel Couriers, van 23', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7fbc-bd4c-d7cb79809bb4', 'preset-fleet', 24, 'FL-0024', 'FL0024', 'Kestrel Couriers, van 24', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-73ae-92c2-a5d19569a3f2', 'preset-fleet', 25, 'FL-0025', 'FL0025', 'Kestrel Couriers, van 25', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7a96-b9e2-1e35b6223bd9', 'preset-fleet', 26, 'FL-0026', 'FL0026', 'Kestrel Couriers, van 26', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7da1-bd42-d588e232a93e', 'preset-fleet', 27, 'FL-0027', 'FL0027', 'Kestrel Couriers, van 27', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-729b-a84d-9d582468ef79', 'preset-fleet', 28, 'FL-0028', 'FL0028', 'Kestrel Couriers, van 28', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7fbf-9559-59e0771f6a66', 'preset-fleet', 29, 'FL-0029', 'FL0029', 'Kestrel Couriers, van 29', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7975-abca-4ea426008000', 'preset-fleet', 30, 'FL-0030', 'FL0030', 'Kestrel Couriers, van 30', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7a74-a54e-7b80ac6eb04f', 'preset-fleet', 31, 'FL-0031', 'FL0031', 'Kestrel Couriers, van 31', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-76d5-8431-7b859f3411c3', 'preset-fleet', 32, 'FL-0032', 'FL0032', 'Kestrel Couriers, van 32', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-740d-bfad-88d5d68a280f', 'preset-fleet', 33, 'FL-0033', 'FL0033', 'Kestrel Couriers, van 33', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7f94-a55c-8edbfd436c84', 'preset-fleet', 34, 'FL-0034', 'FL0034', 'Kestrel Couriers, van 34', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7f78-9d5a-b2da32f43f03', 'preset-fleet', 35, 'FL-0035', 'FL0035', 'Kestrel Couriers, van 35', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb27-7326-8edb-85382be73c84', 'preset-fleet', 36, 'FL-0036', 'FL0036', 'Kestrel Couriers, van 36', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-78c4-b4e5-26b37871dc1e', 'preset-fleet', 37, 'FL-0037', 'FL0037', 'Kestrel Couriers, van 37', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7e29-83dc-23cefa3bcc83', 'preset-fleet', 38, 'FL-0038', 'FL0038', 'Kestrel Couriers, van 38', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7448-a9a7-9a36d4e7e432', 'preset-fleet', 39, 'FL-0039', 'FL0039', 'Kestrel Couriers, van 39', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7e49-ab5d-c917fa0bf853', 'preset-fleet', 40, 'FL-0040', 'FL0040', 'Kestrel Couriers, van 40', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-77ff-849c-951e1453f6d3', 'preset-fleet', 41, 'FL-0041', 'FL0041', 'Kestrel Couriers, van 41', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-76f2-830a-76ce4d0f69b5', 'preset-fleet', 42, 'FL-0042', 'FL0042', 'Kestrel Couriers, van 42', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-74f9-91f2-993bd5816c64', 'preset-fleet', 43, 'FL-0043', 'FL0043', 'Kestrel Couriers, van 43', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7e97-b614-dc979a83ce9b', 'preset-fleet', 44, 'FL-0044', 'FL0044', 'Kestrel Couriers, van 44', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7ebf-b15b-d114d94779c3', 'preset-fleet', 45, 'FL-0045', 'FL0045', 'Kestrel Couriers, van 45', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7be9-b0ea-df0f80d6a523', 'preset-fleet', 46, 'FL-0046', 'FL0046', 'Kestrel Couriers, van 46', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7f0a-a835-58124b3b5b78', 'preset-fleet', 47, 'FL-0047', 'FL0047', 'Kestrel Couriers, van 47', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7792-82fe-7c314a72e4b8', 'preset-fleet', 48, 'FL-0048', 'FL0048', 'Kestrel Couriers, van 48', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-71fa-be2c-a7c9514ffbb2', 'preset-fleet', 49, 'FL-0049', 'FL0049', 'Kestrel Couriers, van 49', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7029-b95c-a724fff574e7', 'preset-fleet', 50, 'FL-0050', 'FL0050', 'Kestrel Couriers, van 50', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7c3d-84b4-eff650aba33b', 'preset-fleet', 51, 'FL-0051', 'FL0051', 'Kestrel Couriers, van 51', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7cf5-930f-85c8ce827a21', 'preset-fleet', 52, 'FL-0052', 'FL0052', 'Kestrel Couriers, van 52', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7ad4-8f1b-d632f9727048', 'preset-fleet', 53, 'FL-0053', 'FL0053', 'Kestrel Couriers, van 53', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-75d2-bb09-7219b4dc0648', 'preset-fleet', 54, 'FL-0054', 'FL0054', 'Kestrel Couriers, van 54', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-785a-9a3b-7fa513d7c8e2', 'preset-fleet', 55, 'FL-0055', 'FL0055', 'Kestrel Couriers, van 55', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-76a9-9b00-3579a715bf7b', 'preset-fleet', 56, 'FL-0056', 'FL0056', 'Kestrel Couriers, van 56', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7179-bdb8-f01ac1498a50', 'preset-fleet', 57, 'FL-0057', 'FL0057', 'Kestrel Couriers, van 57', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7e66-ab6b-3a0071c709bf', 'preset-fleet', 58, 'FL-0058', 'FL0058', 'Kestrel Couriers, van 58', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7acd-b26d-edcbca63543f', 'preset-fleet', 59, 'FL-0059', 'FL0059', 'Kestrel Couriers, van 59', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-734b-9263-284c04340238', 'preset-fleet', 60, 'FL-0060', 'FL0060', 'Kestrel Couriers, van 60', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7fae-be06-495f1140f750', 'preset-fleet', 61, 'FL-0061', 'FL0061', 'Kestrel Couriers, van 61', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7966-ad5b-1f07cb329d8f', 'preset-fleet', 62, 'FL-0062', 'FL0062', 'Kestrel Couriers, van 62', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7993-a7f0-6b412cdfef9b', 'preset-fleet', 63, 'FL-0063', 'FL0063', 'Kestrel Couriers, van 63', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-718d-a91e-1ace71aec9b9', 'preset-fleet', 64, 'FL-0064', 'FL0064', 'Kestrel Couriers, van 64', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7d73-a3c1-9ab0343ae08b', 'preset-fleet', 65, 'FL-0065', 'FL0065', 'Kestrel Couriers, van 65', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-76a4-91ec-17202fdd6dbf', 'preset-fleet', 66, 'FL-0066', 'FL0066', 'Kestrel Couriers, van 66', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-725d-9ffc-fb01b0e88994', 'preset-fleet', 67, 'FL-0067', 'FL0067', 'Kestrel Couriers, van 67', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7942-bfa6-8117858bd213', 'preset-fleet', 68, 'FL-0068', 'FL0068', 'Kestrel Couriers, van 68', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-735f-aedd-a7fbc7472cac', 'preset-fleet', 69, 'FL-0069', 'FL0069', 'Kestrel Couriers, van 69', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7998-9189-1de5573ac95a', 'preset-fleet', 70, 'FL-0070', 'FL0070', 'Kestrel Couriers, van 70', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7f86-912f-caf630dc1444', 'preset-fleet', 71, 'FL-0071', 'FL0071', 'Kestrel Couriers, van 71', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb28-7b4d-a0ab-13f197b8748d', 'preset-fleet', 72, 'FL-0072', 'FL0072', 'Kestrel Couriers, van 72', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb29-709a-bc44-c95691595ff4', 'preset-fleet', 73, 'FL-0073', 'FL0073', 'Kestrel Couriers, van 73', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb29-7f5d-af1f-20df4831e5f4', 'preset-fleet', 74, 'FL-0074', 'FL0074', 'Kestrel Couriers, van 74', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-cb29-7638-95e1-69dd6bc8d314', 'preset-fleet', 75, 'FL-0075', 'FL0075', 'Kestrel Couriers, van 75', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-d02b-731a-a3e2-b91876455358', 'demo-bd992be4a942389a2c4d', 1, 'OT-0001', 'OT0001', NULL, 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-d051-728f-b6da-ec79ace7daa6', 'demo-303f27c217a4ffd02377', 1, 'LR-0001', 'LR0001', NULL, 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
  ('pol-01a201af-d078-7f65-8482-2ca24d609216', 'demo-303f27c217a4ffd02377', 2, 'T-1', 'T1', NULL, 'MTPL-12M', 'active', '2026-03-02', '2027-03-01', '2026-03-02T08:00:00.000Z', '2026-03-02T08:00:00.000Z'),
  ('pol-01a201af-d260-71e8-bbee-56e149eb685a', 'demo-303f27c217a4ffd02377', 3, 'LR-0002', 'LR0002', NULL, 'MTPL-12M', 'active', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z'),
  ('pol-01a201af-d265-7dcf-ac47-650d3cd846fd', 'demo-303f27c217a4ffd02377', 4, 'LR-0003', 'LR0003', 'Ada Example', 'MTPL-12M', 'updated', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z'),
  ('pol-01a201af-d277-76aa-9aef-a2a334edfa16', 'demo-303f27c217a4ffd02377', 5, 'LR-0004', 'LR0004', NULL, 'MTPL-12M', 'cancelled', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z');
insert into "signing_keys" values
  ('current', '{"kty":"EC","x":"gkMoxIXWdN6BYS5AJ92_rhElLkrzzfj5gPZ6DICupSs","y":"Y7Vj1S_PGuDTCVQiTT2_shWOC_HRBMabz92oKGXXtrA","crv":"P-256","d":"UnbpedLRGXcrA3hG448jSQ4OiHOgt7q3ufkBIU-vpRg","kid":"spZp1jMnkzpQJczAuyhzQYt-RFkIFmVWC0U3Hik74h4","alg":"ES256","use":"sig"}', '2025-03-01T08:00:00.000Z');
insert into "claim_counts" values
  ('preset-fleet', 21),
  ('demo-303f27c217a4ffd02377', 5);
insert into "claim_numbers" values
  (2025, 12),
  (2026, 14);
insert into "claims" values
  ('CLM-2025-000012', 'preset-fleet', 'pol-01a201af-cb27-7756-8e62-a33302189896', 12, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2025-03-01T08:00:00.000Z', '2025-03-01T08:03:00.000Z', NULL),
  ('CLM-2026-000001', 'preset-fleet', 'pol-01a201af-cb27-77d3-acdc-935143debaf0', 13, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T08:00:05.000Z', '2026-03-02T08:03:05.000Z', NULL),
  ('CLM-2026-000002', 'preset-fleet', 'pol-01a201af-cb27-74bb-a66c-ce99b911f4f6', 14, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T08:12:35.000Z', '2026-03-02T08:15:35.000Z', NULL),
  ('CLM-2026-000003', 'preset-fleet', 'pol-01a201af-cb27-71d0-9efc-350298c04c1a', 15, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2026-03-02T08:42:35.000Z', '2026-03-02T08:45:35.000Z', NULL),
  ('CLM-2026-000004', 'preset-fleet', 'pol-01a201af-cb27-7d3b-9e1f-72ec02c295c4', 16, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T09:42:35.000Z', '2026-03-02T09:45:35.000Z', NULL),
  ('CLM-2026-000005', 'preset-fleet', 'pol-01a201af-cb27-7a4e-8509-5c9ed9374c59', 17, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T11:42:35.000Z', '2026-03-02T11:45:35.000Z', NULL),
  ('CLM-2026-000006', 'preset-fleet', 'pol-01a201af-cb27-770a-8df5-07758f7522e0', 18, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2026-03-02T15:42:35.000Z', '2026-03-02T15:45:35.000Z', NULL),
  ('CLM-2026-000007', 'preset-fleet', 'pol-01a201af-cb27-7774-a110-d1b70273f535', 19, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T21:42:35.000Z', '2026-03-02T21:45:35.000Z', NULL),
  ('CLM-2026-000008', 'preset-fleet', 'pol-01a201af-cb27-7c65-88ae-4547f6bcb92b', 20, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-03T07:42:35.000Z', '2026-03-03T07:45:35.000Z', NULL),
  ('CLM-2026-000009', 'demo-303f27c217a4ffd02377', 'pol-01a201af-d260-71e8-bbee-56e149eb685a', 1, 'CLOSED', 'The compensation was paid.', 'APPROVED', 1, '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:38.000Z', NULL),
  ('CLM-2026-000010', 'demo-303f27c217a4ffd02377', 'pol-01a201af-d260-71e8-bbee-56e149eb685a', 2, 'APPROVED', NULL, 'APPROVED', 100, '2026-03-03T07:42:38.000Z', '2026-03-03T07:45:58.000Z', '2026-03-03T07:47:38.000Z'),
  ('CLM-2026-000011', 'demo-303f27c217a4ffd02377', 'pol-01a201af-d260-71e8-bbee-56e149eb685a', 3, 'REJECTED', 'The claim was reported too late.', 'REJECTED', 100, '2026-03-03T07:42:38.000Z', '2026-03-03T07:45:58.000Z', '2026-03-03T07:47:38.000Z'),
  ('CLM-2026-000012', 'demo-303f27c217a4ffd02377', 'pol-01a201af-d260-71e8-bbee-56e149eb685a', 4, 'UNDER_REVIEW', NULL, 'APPROVED', 60, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:08.000Z', '2026-03-03T07:47:08.000Z'),
  ('CLM-2026-000013', 'preset-fleet', 'pol-01a201af-cb27-735a-b722-12f68abc3609', 21, 'REGISTERED', NULL, 'REJECTED', 60, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:10.000Z', '2026-03-03T07:47:10.000Z'),
  ('CLM-2026-000014', 'demo-303f27c217a4ffd02377', 'pol-01a201af-d260-71e8-bbee-56e149eb685a', 5, 'REGISTERED', NULL, 'APPROVED', 60, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:10.000Z', '2026-03-03T07:47:10.000Z');
insert into "event_head" values
  (1, 68);
insert into "events" values
  (34, '5c0cedd5-827d-41a1-9317-66619968f94b', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"5c0cedd5-827d-41a1-9317-66619968f94b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:01:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-cb27-7756-8e62-a33302189896","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
  (35, 'd17ee176-65db-4177-891b-5dc0fb363fde', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"d17ee176-65db-4177-891b-5dc0fb363fde","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:02:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-cb27-7756-8e62-a33302189896","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T08:00:05.000Z'),
  (36, '441db6ab-9283-4be6-a730-4b17f948bc08', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"441db6ab-9283-4be6-a730-4b17f948bc08","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:03:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-cb27-7756-8e62-a33302189896","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T08:00:05.000Z'),
  (37, 'e0468977-0939-49c6-9f3b-8bb99ddfc758', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"e0468977-0939-49c6-9f3b-8bb99ddfc758","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:01:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-cb27-77d3-acdc-935143debaf0","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:02:35.000Z'),
  (38, '292d9988-3b13-4007-a35d-af768206b042', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"292d9988-3b13-4007-a35d-af768206b042","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:02:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-cb27-77d3-acdc-935143debaf0","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:02:35.000Z'),
  (39, 'fa3b649b-5f4d-47d7-90dd-ae59f9edbeae', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"fa3b649b-5f4d-47d7-90dd-ae59f9edbeae","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:03:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-cb27-77d3-acdc-935143debaf0","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:12:35.000Z'),
  (40, 'e2d6e769-1b64-41e6-bed7-018433242474', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"e2d6e769-1b64-41e6-bed7-018433242474","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:13:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-cb27-74bb-a66c-ce99b911f4f6","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:42:35.000Z'),
  (41, '56b4aae5-4ebf-4d47-a6a6-ef919191976e', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"56b4aae5-4ebf-4d47-a6a6-ef919191976e","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:14:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-cb27-74bb-a66c-ce99b911f4f6","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:42:35.000Z'),
  (42, '5e6a6ac8-8be0-4b55-bfaf-c7809402a17c', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"5e6a6ac8-8be0-4b55-bfaf-c7809402a17c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:15:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-cb27-74bb-a66c-ce99b911f4f6","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:42:35.000Z'),
  (43, 'd0a35a9e-09ad-4413-940d-827be9dab994', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"d0a35a9e-09ad-4413-940d-827be9dab994","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-cb27-71d0-9efc-350298c04c1a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T09:42:35.000Z'),
  (44, 'bc585f81-327f-44d4-8c37-e973886ea5f6', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"bc585f81-327f-44d4-8c37-e973886ea5f6","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-cb27-71d0-9efc-350298c04c1a","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T09:42:35.000Z'),
  (45, '3ce3351f-58f1-4c35-973a-bb0c7dccfa5f', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"3ce3351f-58f1-4c35-973a-bb0c7dccfa5f","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-cb27-71d0-9efc-350298c04c1a","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T09:42:35.000Z'),
  (46, '89c83d5f-06e9-4dce-afae-277a97ab13ae', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"89c83d5f-06e9-4dce-afae-277a97ab13ae","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-cb27-7d3b-9e1f-72ec02c295c4","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T11:42:35.000Z'),
  (47, '2b8c411f-6e03-4354-a558-52b4edbca692', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"2b8c411f-6e03-4354-a558-52b4edbca692","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-cb27-7d3b-9e1f-72ec02c295c4","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T11:42:35.000Z'),
  (48, 'ecd661ae-535d-49f0-9a38-e8eacc978f63', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"ecd661ae-535d-49f0-9a38-e8eacc978f63","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-cb27-7d3b-9e1f-72ec02c295c4","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T11:42:35.000Z'),
  (49, '431c9728-4fdb-45da-bd8a-f968f9494717', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"431c9728-4fdb-45da-bd8a-f968f9494717","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-cb27-7a4e-8509-5c9ed9374c59","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T15:42:35.000Z'),
  (50, 'a648b1d4-6a59-4da1-8a7f-9f722b33eb81', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"a648b1d4-6a59-4da1-8a7f-9f722b33eb81","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-cb27-7a4e-8509-5c9ed9374c59","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T15:42:35.000Z'),
  (51, '87ab7367-8ad9-47d3-922e-54c986070afe', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"87ab7367-8ad9-47d3-922e-54c986070afe","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-cb27-7a4e-8509-5c9ed9374c59","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T15:42:35.000Z'),
  (52, '587fb96b-e13c-43e1-8072-b530c1c73291', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"587fb96b-e13c-43e1-8072-b530c1c73291","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-cb27-770a-8df5-07758f7522e0","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T21:42:35.000Z'),
  (53, 'ab4bed0f-4738-4a60-81c5-6902e583394a', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"ab4bed0f-4738-4a60-81c5-6902e583394a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-cb27-770a-8df5-07758f7522e0","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T21:42:35.000Z'),
  (54, 'f4d94434-b654-47c9-a915-21b68c9f2368', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"f4d94434-b654-47c9-a915-21b68c9f2368","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-cb27-770a-8df5-07758f7522e0","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T21:42:35.000Z'),
  (55, '7d697295-b3c6-48ca-a6b9-43e7537cb34d', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"7d697295-b3c6-48ca-a6b9-43e7537cb34d","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-cb27-7774-a110-d1b70273f535","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:42:35.000Z'),
  (56, '12274d84-c035-4d09-9608-a8818de9b686', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"12274d84-c035-4d09-9608-a8818de9b686","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-cb27-7774-a110-d1b70273f535","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:42:35.000Z'),
  (57, '113ba0ec-5b87-4a09-ae06-b196e1e8f135', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"113ba0ec-5b87-4a09-ae06-b196e1e8f135","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-cb27-7774-a110-d1b70273f535","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:42:35.000Z'),
  (58, '145927f3-d11e-4b02-8caa-b53042ccfcce', 'demo-303f27c217a4ffd02377', 'CLM-2026-000009', '{"eventId":"145927f3-d11e-4b02-8caa-b53042ccfcce","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:36.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:42:36.000Z'),
  (59, 'a10a81ee-8975-446b-a5da-c042dbbd4a73', 'demo-303f27c217a4ffd02377', 'CLM-2026-000009', '{"eventId":"a10a81ee-8975-446b-a5da-c042dbbd4a73","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:37.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:42:37.000Z'),
  (60, '1237234e-acaf-4eb8-b3e9-df70c5eac8cc', 'demo-303f27c217a4ffd02377', 'CLM-2026-000009', '{"eventId":"1237234e-acaf-4eb8-b3e9-df70c5eac8cc","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:38.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:42:38.000Z'),
  (61, '1f983001-4595-4121-a1d7-506118ae03df', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"1f983001-4595-4121-a1d7-506118ae03df","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-cb27-7c65-88ae-4547f6bcb92b","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
  (62, 'c5b8eec0-57c4-465f-b413-ad85d8a416a5', 'demo-303f27c217a4ffd02377', 'CLM-2026-000010', '{"eventId":"c5b8eec0-57c4-465f-b413-ad85d8a416a5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
  (63, '1bbd8bad-0361-442c-b865-599c8d3a2841', 'demo-303f27c217a4ffd02377', 'CLM-2026-000011', '{"eventId":"1bbd8bad-0361-442c-b865-599c8d3a2841","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
  (64, '5c52d3ef-5e40-46ec-a2df-5263ceb25b8f', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"5c52d3ef-5e40-46ec-a2df-5263ceb25b8f","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-cb27-7c65-88ae-4547f6bcb92b","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
  (65, 'a5656592-9f0a-4ffa-a08b-ef27b3feae91', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"a5656592-9f0a-4ffa-a08b-ef27b3feae91","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-cb27-7c65-88ae-4547f6bcb92b","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:46:10.000Z'),
  (66, '9378092c-e07a-47cd-98fd-14ba5157ec14', 'demo-303f27c217a4ffd02377', 'CLM-2026-000010', '{"eventId":"9378092c-e07a-47cd-98fd-14ba5157ec14","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:46:10.000Z'),
  (67, 'f011fa24-bb1d-4b39-9f32-69da02b24d5a', 'demo-303f27c217a4ffd02377', 'CLM-2026-000011', '{"eventId":"f011fa24-bb1d-4b39-9f32-69da02b24d5a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The claim was reported too late."}}', '2026-03-03T07:46:10.000Z'),
  (68, '27c62cd9-8c8c-4ba7-829b-e0750931c049', 'demo-303f27c217a4ffd02377', 'CLM-2026-000012', '{"eventId":"27c62cd9-8c8c-4ba7-829b-e0750931c049","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:46:08.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000012","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:46:10.000Z');
insert into "subscriptions" values
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 'demo-303f27c217a4ffd02377', 1, 'http://127.0.0.1:9/hooks', 'whsec_b2YgYSBmaXh0dXJlIG9ubHksIG5vdCBhIHNlY3JldC4=', '2026-03-02T08:00:00.000Z', 68, 9);
insert into "deliveries" values
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, '90accdef-24e6-4057-9ee6-4777e1df9040', 'CLM-2026-000000', '{"eventId":"90accdef-24e6-4057-9ee6-4777e1df9040","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:00:00.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000000","policyNumber":"pol-00000000-0000-7000-8000-000000000000","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'failed', 1, 11, 11, '2026-03-02T08:00:00.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 2, '145927f3-d11e-4b02-8caa-b53042ccfcce', 'CLM-2026-000009', '{"eventId":"145927f3-d11e-4b02-8caa-b53042ccfcce","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:36.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:36.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 3, 'a10a81ee-8975-446b-a5da-c042dbbd4a73', 'CLM-2026-000009', '{"eventId":"a10a81ee-8975-446b-a5da-c042dbbd4a73","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:37.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:37.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 4, '1237234e-acaf-4eb8-b3e9-df70c5eac8cc', 'CLM-2026-000009', '{"eventId":"1237234e-acaf-4eb8-b3e9-df70c5eac8cc","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:38.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:38.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 5, 'c5b8eec0-57c4-465f-b413-ad85d8a416a5', 'CLM-2026-000010', '{"eventId":"c5b8eec0-57c4-465f-b413-ad85d8a416a5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 2, 2, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:40.000Z'),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 6, '1bbd8bad-0361-442c-b865-599c8d3a2841', 'CLM-2026-000011', '{"eventId":"1bbd8bad-0361-442c-b865-599c8d3a2841","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 2, 2, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:40.000Z'),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 7, '9378092c-e07a-47cd-98fd-14ba5157ec14', 'CLM-2026-000010', '{"eventId":"9378092c-e07a-47cd-98fd-14ba5157ec14","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', 'waiting', 1, 0, 0, '2026-03-03T07:46:10.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 8, 'f011fa24-bb1d-4b39-9f32-69da02b24d5a', 'CLM-2026-000011', '{"eventId":"f011fa24-bb1d-4b39-9f32-69da02b24d5a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The claim was reported too late."}}', 'waiting', 1, 0, 0, '2026-03-03T07:46:10.000Z', NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 9, '27c62cd9-8c8c-4ba7-829b-e0750931c049', 'CLM-2026-000012', '{"eventId":"27c62cd9-8c8c-4ba7-829b-e0750931c049","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:46:08.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000012","policyNumber":"pol-01a201af-d260-71e8-bbee-56e149eb685a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 1, 1, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:15.000Z');
insert into "delivery_attempts" values
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 1, '2026-03-02T08:00:00.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 2, '2026-03-02T08:00:05.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 3, '2026-03-02T08:00:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 4, '2026-03-02T08:02:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 5, '2026-03-02T08:12:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 6, '2026-03-02T08:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 7, '2026-03-02T09:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 8, '2026-03-02T11:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 9, '2026-03-02T15:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 10, '2026-03-02T21:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 1, 11, '2026-03-03T07:42:35.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 2, 1, '2026-03-03T07:42:36.000Z', 204, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 3, 1, '2026-03-03T07:42:38.000Z', 204, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 4, 1, '2026-03-03T07:42:38.000Z', 204, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 5, 1, '2026-03-03T07:45:08.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 6, 1, '2026-03-03T07:45:08.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 5, 2, '2026-03-03T07:46:10.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 6, 2, '2026-03-03T07:46:10.000Z', 500, NULL),
  ('sub-01a201af-d07e-702f-b856-52867c01e9bf', 9, 1, '2026-03-03T07:46:10.000Z', 500, NULL);
insert into "kafka_relay" values
  (1, 0);
CREATE INDEX clients_idle on clients (last_used_at) where preset = 0;
CREATE UNIQUE INDEX policies_in_force on policies (reg_key) where status in ('active', 'updated');
CREATE INDEX claims_of_policy on claims (policy_id, number);
CREATE INDEX claims_due on claims (due_at) where due_at is not null;
CREATE INDEX events_of_client on events (client_id, seq);
CREATE INDEX deliveries_due on deliveries (next_attempt_at) where status = 'pending';
CREATE INDEX deliveries_next on deliveries (subscription_id, next_attempt_at, number)
      where status = 'pending';
CREATE INDEX deliveries_open on deliveries (subscription_id, claim_id, number)
      where status in ('waiting', 'pending');
commit;
