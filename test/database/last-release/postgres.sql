SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.claim_counts (
    client_id text NOT NULL,
    claims integer NOT NULL
);
CREATE TABLE public.claim_numbers (
    year integer NOT NULL,
    last integer NOT NULL
);
CREATE TABLE public.claims (
    id text NOT NULL,
    client_id text NOT NULL,
    policy_id text NOT NULL,
    number integer NOT NULL,
    status text NOT NULL,
    status_reason text,
    outcome text NOT NULL,
    pace_seconds integer NOT NULL,
    registered_at text NOT NULL,
    updated_at text NOT NULL,
    due_at text,
    CONSTRAINT claims_outcome_check CHECK ((outcome = ANY (ARRAY['APPROVED'::text, 'REJECTED'::text]))),
    CONSTRAINT claims_status_check CHECK ((status = ANY (ARRAY['REGISTERED'::text, 'UNDER_REVIEW'::text, 'APPROVED'::text, 'REJECTED'::text, 'CLOSED'::text])))
);
CREATE TABLE public.clients (
    id text NOT NULL,
    secret_hash text NOT NULL,
    scopes text NOT NULL,
    preset integer NOT NULL,
    created_at text NOT NULL,
    last_used_at text NOT NULL,
    policy_count integer DEFAULT 0 NOT NULL,
    CONSTRAINT clients_preset_check CHECK ((preset = ANY (ARRAY[0, 1])))
);
CREATE TABLE public.deliveries (
    subscription_id text NOT NULL,
    number integer NOT NULL,
    event_id text NOT NULL,
    claim_id text NOT NULL,
    payload text NOT NULL,
    status text NOT NULL,
    copies_left integer NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at text NOT NULL,
    next_attempt_at text,
    CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE TABLE public.delivery_attempts (
    subscription_id text NOT NULL,
    delivery_number integer NOT NULL,
    attempt integer NOT NULL,
    attempted_at text NOT NULL,
    response_status integer,
    error text
);
CREATE TABLE public.event_head (
    id integer NOT NULL,
    seq bigint NOT NULL,
    CONSTRAINT event_head_id_check CHECK ((id = 1))
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    event_id text NOT NULL,
    client_id text NOT NULL,
    claim_id text NOT NULL,
    payload text NOT NULL,
    published_at text NOT NULL
);
CREATE TABLE public.kafka_relay (
    id integer NOT NULL,
    seq bigint NOT NULL,
    CONSTRAINT kafka_relay_id_check CHECK ((id = 1))
);
CREATE TABLE public.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    applied_at text NOT NULL
);
CREATE TABLE public.policies (
    id text NOT NULL,
    client_id text NOT NULL,
    number integer NOT NULL,
    reg_number text NOT NULL,
    reg_key text NOT NULL,
    holder text,
    coverage_option text NOT NULL,
    status text NOT NULL,
    start_date text NOT NULL,
    end_date text NOT NULL,
    created_at text NOT NULL,
    updated_at text NOT NULL,
    CONSTRAINT policies_status_check CHECK ((status = ANY (ARRAY['active'::text, 'updated'::text, 'cancelled'::text, 'expired'::text])))
);
CREATE TABLE public.signing_keys (
    id text NOT NULL,
    jwk text NOT NULL,
    created_at text NOT NULL
);
CREATE TABLE public.subscriptions (
    id text NOT NULL,
    client_id text NOT NULL,
    number integer NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    created_at text NOT NULL,
    taken_seq bigint NOT NULL,
    deliveries integer DEFAULT 0 NOT NULL
);
INSERT INTO public.claim_counts VALUES
	('preset-fleet', 21),
	('demo-b581888b9121fc52dbc1', 5);
INSERT INTO public.claim_numbers VALUES
	(2025, 12),
	(2026, 14);
INSERT INTO public.claims VALUES
	('CLM-2025-000001', 'preset-fleet', 'pol-01a201af-d465-7a72-bae2-bff1941aa191', 1, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:27:00.000Z', '2025-03-01T07:30:00.000Z', NULL),
	('CLM-2025-000002', 'preset-fleet', 'pol-01a201af-d465-75b6-bb56-2201e39095a5', 2, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:30:00.000Z', '2025-03-01T07:33:00.000Z', NULL),
	('CLM-2025-000003', 'preset-fleet', 'pol-01a201af-d466-708d-a8db-e78460e037b4', 3, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2025-03-01T07:33:00.000Z', '2025-03-01T07:36:00.000Z', NULL),
	('CLM-2025-000004', 'preset-fleet', 'pol-01a201af-d466-728d-af95-cb6131498a06', 4, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:36:00.000Z', '2025-03-01T07:39:00.000Z', NULL),
	('CLM-2025-000005', 'preset-fleet', 'pol-01a201af-d467-7400-99e3-83bf50c83d7b', 5, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:39:00.000Z', '2025-03-01T07:42:00.000Z', NULL),
	('CLM-2025-000006', 'preset-fleet', 'pol-01a201af-d467-73df-b777-1a95bb6abc6f', 6, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2025-03-01T07:42:00.000Z', '2025-03-01T07:45:00.000Z', NULL),
	('CLM-2025-000007', 'preset-fleet', 'pol-01a201af-d468-78c3-8570-2c404cb869b9', 7, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:45:00.000Z', '2025-03-01T07:48:00.000Z', NULL),
	('CLM-2025-000008', 'preset-fleet', 'pol-01a201af-d468-7609-a67a-d3228cfeb998', 8, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:48:00.000Z', '2025-03-01T07:51:00.000Z', NULL),
	('CLM-2025-000009', 'preset-fleet', 'pol-01a201af-d468-7ab0-9df3-df5d9938349c', 9, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2025-03-01T07:51:00.000Z', '2025-03-01T07:54:00.000Z', NULL),
	('CLM-2025-000010', 'preset-fleet', 'pol-01a201af-d468-7b05-8106-518d6febcf4a', 10, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:54:00.000Z', '2025-03-01T07:57:00.000Z', NULL),
	('CLM-2025-000011', 'preset-fleet', 'pol-01a201af-d468-7f73-8d97-c76d73242ae9', 11, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2025-03-01T07:57:00.000Z', '2025-03-01T08:00:00.000Z', NULL),
	('CLM-2025-000012', 'preset-fleet', 'pol-01a201af-d469-7761-a606-a10733320df6', 12, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2025-03-01T08:00:00.000Z', '2025-03-01T08:03:00.000Z', NULL),
	('CLM-2026-000001', 'preset-fleet', 'pol-01a201af-d46a-7529-a039-1d81480c3f80', 13, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T08:00:05.000Z', '2026-03-02T08:03:05.000Z', NULL),
	('CLM-2026-000002', 'preset-fleet', 'pol-01a201af-d472-7144-8541-681dec19706b', 14, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T08:12:35.000Z', '2026-03-02T08:15:35.000Z', NULL),
	('CLM-2026-000003', 'preset-fleet', 'pol-01a201af-d472-7e3a-aafe-1287b48ad104', 15, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2026-03-02T08:42:35.000Z', '2026-03-02T08:45:35.000Z', NULL),
	('CLM-2026-000004', 'preset-fleet', 'pol-01a201af-d473-721c-b3f2-4ed9eec7d669', 16, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T09:42:35.000Z', '2026-03-02T09:45:35.000Z', NULL),
	('CLM-2026-000005', 'preset-fleet', 'pol-01a201af-d473-729d-8678-ab35b828492c', 17, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T11:42:35.000Z', '2026-03-02T11:45:35.000Z', NULL),
	('CLM-2026-000006', 'preset-fleet', 'pol-01a201af-d473-75cb-8f20-dcd64e6cda63', 18, 'CLOSED', 'The rejection was not contested.', 'REJECTED', 60, '2026-03-02T15:42:35.000Z', '2026-03-02T15:45:35.000Z', NULL),
	('CLM-2026-000007', 'preset-fleet', 'pol-01a201af-d474-78b7-9d9b-02ff7c586f6b', 19, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-02T21:42:35.000Z', '2026-03-02T21:45:35.000Z', NULL),
	('CLM-2026-000009', 'demo-b581888b9121fc52dbc1', 'pol-01a201af-d679-7ceb-b5d1-da54711977b8', 1, 'CLOSED', 'The compensation was paid.', 'APPROVED', 1, '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:38.000Z', NULL),
	('CLM-2026-000013', 'preset-fleet', 'pol-01a201af-d474-737c-bf62-7b38340613ef', 21, 'REGISTERED', NULL, 'REJECTED', 60, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:10.000Z', '2026-03-03T07:47:10.000Z'),
	('CLM-2026-000008', 'preset-fleet', 'pol-01a201af-d474-722b-9fee-6764207fbe2c', 20, 'CLOSED', 'The compensation was paid.', 'APPROVED', 60, '2026-03-03T07:42:35.000Z', '2026-03-03T07:45:35.000Z', NULL),
	('CLM-2026-000010', 'demo-b581888b9121fc52dbc1', 'pol-01a201af-d679-7ceb-b5d1-da54711977b8', 2, 'APPROVED', NULL, 'APPROVED', 100, '2026-03-03T07:42:38.000Z', '2026-03-03T07:45:58.000Z', '2026-03-03T07:47:38.000Z'),
	('CLM-2026-000011', 'demo-b581888b9121fc52dbc1', 'pol-01a201af-d679-7ceb-b5d1-da54711977b8', 3, 'REJECTED', 'The claim was reported too late.', 'REJECTED', 100, '2026-03-03T07:42:38.000Z', '2026-03-03T07:45:58.000Z', '2026-03-03T07:47:38.000Z'),
	('CLM-2026-000012', 'demo-b581888b9121fc52dbc1', 'pol-01a201af-d679-7ceb-b5d1-da54711977b8', 4, 'UNDER_REVIEW', NULL, 'APPROVED', 60, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:08.000Z', '2026-03-03T07:47:08.000Z'),
	('CLM-2026-000014', 'demo-b581888b9121fc52dbc1', 'pol-01a201af-d679-7ceb-b5d1-da54711977b8', 5, 'REGISTERED', NULL, 'APPROVED', 60, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:10.000Z', '2026-03-03T07:47:10.000Z');
INSERT INTO public.clients VALUES
	('preset-reader', 'a067dd9b87bef943302d853e6c00b858f4c15fa6f0d4f3181e5e01d5ea012d58', 'policies:read', 1, '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z', 0),
	('preset-fleet', 'ae6cc58761afe7468dc6ec1c5861d943c44fe5f836faae062b13e5a378e1f4bc', 'policies:read policies:write claims:read claims:write', 1, '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z', 75),
	('demo-b581888b9121fc52dbc1', '432cea7da3f040f013c0003161536d36caa6951953436c1e950cbe135f370c30', 'policies:read policies:write claims:read claims:write', 0, '2025-03-01T08:00:00.000Z', '2026-03-03T07:50:00.000Z', 5),
	('demo-3c8a30151df2470452e6', 'b2538ba059616986cbd8f1d5146df95d9c49971fbb664dc9655245d8a603259a', 'policies:read policies:write claims:read claims:write', 0, '2025-03-01T08:00:00.000Z', '2026-03-03T07:50:00.000Z', 1);
INSERT INTO public.deliveries VALUES
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, '70279794-bc45-4e12-a413-dc800daf1d5f', 'CLM-2026-000000', '{"eventId":"70279794-bc45-4e12-a413-dc800daf1d5f","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:00:00.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000000","policyNumber":"pol-00000000-0000-7000-8000-000000000000","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'failed', 1, 11, 11, '2026-03-02T08:00:00.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 2, '1859570f-7169-4d06-b7f7-63a4554302c9', 'CLM-2026-000009', '{"eventId":"1859570f-7169-4d06-b7f7-63a4554302c9","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:36.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:36.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 3, '0f589e26-3256-443d-ba15-690b4e9b4605', 'CLM-2026-000009', '{"eventId":"0f589e26-3256-443d-ba15-690b4e9b4605","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:37.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:37.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 4, 'c1a43f82-cb4f-4c98-847a-997d916d0acb', 'CLM-2026-000009', '{"eventId":"c1a43f82-cb4f-4c98-847a-997d916d0acb","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:38.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', 'delivered', 0, 1, 0, '2026-03-03T07:42:38.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 7, 'b2f57473-7e19-4568-a813-3738bc2e3024', 'CLM-2026-000010', '{"eventId":"b2f57473-7e19-4568-a813-3738bc2e3024","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', 'waiting', 1, 0, 0, '2026-03-03T07:46:10.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 8, '68cda852-a7d1-4ac3-97af-d0a04b506814', 'CLM-2026-000011', '{"eventId":"68cda852-a7d1-4ac3-97af-d0a04b506814","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The claim was reported too late."}}', 'waiting', 1, 0, 0, '2026-03-03T07:46:10.000Z', NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 5, 'f25bed5e-9983-4eb6-ab6b-d4cd74395a2b', 'CLM-2026-000010', '{"eventId":"f25bed5e-9983-4eb6-ab6b-d4cd74395a2b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 2, 2, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:40.000Z'),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 6, '5d4478f7-fc6e-4b2f-a9fa-0ceec5dbdce5', 'CLM-2026-000011', '{"eventId":"5d4478f7-fc6e-4b2f-a9fa-0ceec5dbdce5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 2, 2, '2026-03-03T07:45:08.000Z', '2026-03-03T07:46:40.000Z'),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 9, '070193d2-1052-4e64-b023-d6b13f413105', 'CLM-2026-000012', '{"eventId":"070193d2-1052-4e64-b023-d6b13f413105","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:46:08.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000012","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', 'pending', 1, 1, 1, '2026-03-03T07:46:10.000Z', '2026-03-03T07:46:15.000Z');
INSERT INTO public.delivery_attempts VALUES
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 1, '2026-03-02T08:00:00.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 2, '2026-03-02T08:00:05.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 3, '2026-03-02T08:00:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 4, '2026-03-02T08:02:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 5, '2026-03-02T08:12:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 6, '2026-03-02T08:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 7, '2026-03-02T09:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 8, '2026-03-02T11:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 9, '2026-03-02T15:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 10, '2026-03-02T21:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 1, 11, '2026-03-03T07:42:35.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 2, 1, '2026-03-03T07:42:36.000Z', 204, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 3, 1, '2026-03-03T07:42:37.000Z', 204, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 4, 1, '2026-03-03T07:42:38.000Z', 204, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 5, 1, '2026-03-03T07:45:08.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 6, 1, '2026-03-03T07:45:08.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 5, 2, '2026-03-03T07:46:10.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 6, 2, '2026-03-03T07:46:10.000Z', 500, NULL),
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 9, 1, '2026-03-03T07:46:10.000Z', 500, NULL);
INSERT INTO public.event_head VALUES
	(1, 68);
INSERT INTO public.events VALUES
	(1, '9e56c32f-eebf-4e33-980b-cbd7bd100fec', 'preset-fleet', 'CLM-2025-000001', '{"eventId":"9e56c32f-eebf-4e33-980b-cbd7bd100fec","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:28:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000001","policyNumber":"pol-01a201af-d465-7a72-bae2-bff1941aa191","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(2, 'c3834f46-5c15-4b17-a70e-3b7645ef2fbf', 'preset-fleet', 'CLM-2025-000002', '{"eventId":"c3834f46-5c15-4b17-a70e-3b7645ef2fbf","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:31:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000002","policyNumber":"pol-01a201af-d465-75b6-bb56-2201e39095a5","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(3, 'fbe4aaa1-8076-4dcf-b95b-ab09f2c0099a', 'preset-fleet', 'CLM-2025-000003', '{"eventId":"fbe4aaa1-8076-4dcf-b95b-ab09f2c0099a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:34:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000003","policyNumber":"pol-01a201af-d466-708d-a8db-e78460e037b4","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(4, '9fd1548c-1ad7-4cf0-a20b-8448fe30cdd5', 'preset-fleet', 'CLM-2025-000004', '{"eventId":"9fd1548c-1ad7-4cf0-a20b-8448fe30cdd5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:37:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000004","policyNumber":"pol-01a201af-d466-728d-af95-cb6131498a06","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(5, 'e43ee94c-09db-42e9-9c39-3672ca84a1e7', 'preset-fleet', 'CLM-2025-000005', '{"eventId":"e43ee94c-09db-42e9-9c39-3672ca84a1e7","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:40:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000005","policyNumber":"pol-01a201af-d467-7400-99e3-83bf50c83d7b","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(6, '0e2a2fd7-c213-4c2d-a095-10b131a289ab', 'preset-fleet', 'CLM-2025-000006', '{"eventId":"0e2a2fd7-c213-4c2d-a095-10b131a289ab","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:43:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000006","policyNumber":"pol-01a201af-d467-73df-b777-1a95bb6abc6f","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(7, '4890b880-f746-47a5-ae28-d99030d7926a', 'preset-fleet', 'CLM-2025-000007', '{"eventId":"4890b880-f746-47a5-ae28-d99030d7926a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:46:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000007","policyNumber":"pol-01a201af-d468-78c3-8570-2c404cb869b9","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(8, '4e4b71e4-b176-4b14-943f-1f57bd8c25ab', 'preset-fleet', 'CLM-2025-000008', '{"eventId":"4e4b71e4-b176-4b14-943f-1f57bd8c25ab","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:49:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000008","policyNumber":"pol-01a201af-d468-7609-a67a-d3228cfeb998","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(9, 'ed15f7ed-0b76-4d71-89d1-f973d265894f', 'preset-fleet', 'CLM-2025-000009', '{"eventId":"ed15f7ed-0b76-4d71-89d1-f973d265894f","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:52:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000009","policyNumber":"pol-01a201af-d468-7ab0-9df3-df5d9938349c","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(10, '3b8ad956-1a7a-401d-b7ce-d1190e822e0f', 'preset-fleet', 'CLM-2025-000010', '{"eventId":"3b8ad956-1a7a-401d-b7ce-d1190e822e0f","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:55:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000010","policyNumber":"pol-01a201af-d468-7b05-8106-518d6febcf4a","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(11, '709c8dbd-3d41-46c9-a84a-6c1853eb3a4c', 'preset-fleet', 'CLM-2025-000011', '{"eventId":"709c8dbd-3d41-46c9-a84a-6c1853eb3a4c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:58:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000011","policyNumber":"pol-01a201af-d468-7f73-8d97-c76d73242ae9","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(12, '637e2348-cd2d-4bdc-bb3e-b89a4219cd83', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"637e2348-cd2d-4bdc-bb3e-b89a4219cd83","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:01:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-d469-7761-a606-a10733320df6","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(13, '1edbb73c-cdb3-4191-8220-8100af2326d7', 'preset-fleet', 'CLM-2025-000001', '{"eventId":"1edbb73c-cdb3-4191-8220-8100af2326d7","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:29:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000001","policyNumber":"pol-01a201af-d465-7a72-bae2-bff1941aa191","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(14, '04c6fb47-5913-4ca7-8045-f42a1eda4222', 'preset-fleet', 'CLM-2025-000002', '{"eventId":"04c6fb47-5913-4ca7-8045-f42a1eda4222","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:32:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000002","policyNumber":"pol-01a201af-d465-75b6-bb56-2201e39095a5","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(15, '04f5f2e5-4ba2-4ab9-81c9-13450999d172', 'preset-fleet', 'CLM-2025-000003', '{"eventId":"04f5f2e5-4ba2-4ab9-81c9-13450999d172","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:35:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000003","policyNumber":"pol-01a201af-d466-708d-a8db-e78460e037b4","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T08:00:05.000Z'),
	(16, '5a56bf7d-e64c-499f-a71c-fd711b08ed00', 'preset-fleet', 'CLM-2025-000004', '{"eventId":"5a56bf7d-e64c-499f-a71c-fd711b08ed00","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:38:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000004","policyNumber":"pol-01a201af-d466-728d-af95-cb6131498a06","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(17, '0d3a13d1-ad97-4237-99b1-026773492830', 'preset-fleet', 'CLM-2025-000005', '{"eventId":"0d3a13d1-ad97-4237-99b1-026773492830","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:41:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000005","policyNumber":"pol-01a201af-d467-7400-99e3-83bf50c83d7b","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(18, '4505c75c-829b-4971-b5eb-187d913eab5b', 'preset-fleet', 'CLM-2025-000006', '{"eventId":"4505c75c-829b-4971-b5eb-187d913eab5b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:44:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000006","policyNumber":"pol-01a201af-d467-73df-b777-1a95bb6abc6f","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T08:00:05.000Z'),
	(19, 'b13ab468-08af-42a6-b581-b103b645909e', 'preset-fleet', 'CLM-2025-000007', '{"eventId":"b13ab468-08af-42a6-b581-b103b645909e","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:47:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000007","policyNumber":"pol-01a201af-d468-78c3-8570-2c404cb869b9","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(20, 'f4a9fdde-1a51-4a1d-9bbc-c313f21fb965', 'preset-fleet', 'CLM-2025-000008', '{"eventId":"f4a9fdde-1a51-4a1d-9bbc-c313f21fb965","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:50:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000008","policyNumber":"pol-01a201af-d468-7609-a67a-d3228cfeb998","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(21, 'b966708c-d9c9-4945-9df5-5e7b7e00eff3', 'preset-fleet', 'CLM-2025-000009', '{"eventId":"b966708c-d9c9-4945-9df5-5e7b7e00eff3","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:53:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000009","policyNumber":"pol-01a201af-d468-7ab0-9df3-df5d9938349c","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T08:00:05.000Z'),
	(22, '1dab214f-4e67-4160-b6bd-a8921e153895', 'preset-fleet', 'CLM-2025-000010', '{"eventId":"1dab214f-4e67-4160-b6bd-a8921e153895","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:56:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000010","policyNumber":"pol-01a201af-d468-7b05-8106-518d6febcf4a","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(23, '3cd930d2-63c0-4258-981a-c170b4e2c6c0', 'preset-fleet', 'CLM-2025-000011', '{"eventId":"3cd930d2-63c0-4258-981a-c170b4e2c6c0","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:59:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000011","policyNumber":"pol-01a201af-d468-7f73-8d97-c76d73242ae9","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:00:05.000Z'),
	(24, '8654a2b5-5609-47d6-8510-fd2462f7195c', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"8654a2b5-5609-47d6-8510-fd2462f7195c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:02:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-d469-7761-a606-a10733320df6","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T08:00:05.000Z'),
	(25, 'c7f92148-31fb-4937-9ba3-64a7ba6f59cd', 'preset-fleet', 'CLM-2025-000001', '{"eventId":"c7f92148-31fb-4937-9ba3-64a7ba6f59cd","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:30:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000001","policyNumber":"pol-01a201af-d465-7a72-bae2-bff1941aa191","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(26, '54d8e993-f4f4-43d8-b552-87aede3fcb59', 'preset-fleet', 'CLM-2025-000002', '{"eventId":"54d8e993-f4f4-43d8-b552-87aede3fcb59","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:33:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000002","policyNumber":"pol-01a201af-d465-75b6-bb56-2201e39095a5","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(27, '20f3b3c7-ace2-489d-9246-d8ed3745d4f0', 'preset-fleet', 'CLM-2025-000003', '{"eventId":"20f3b3c7-ace2-489d-9246-d8ed3745d4f0","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:36:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000003","policyNumber":"pol-01a201af-d466-708d-a8db-e78460e037b4","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T08:00:05.000Z'),
	(28, '712896ff-9ab5-424a-a90a-808ad2fbab1d', 'preset-fleet', 'CLM-2025-000004', '{"eventId":"712896ff-9ab5-424a-a90a-808ad2fbab1d","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:39:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000004","policyNumber":"pol-01a201af-d466-728d-af95-cb6131498a06","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(29, 'd76ab47a-b9e6-48b2-b7b8-af94e6d72bad', 'preset-fleet', 'CLM-2025-000005', '{"eventId":"d76ab47a-b9e6-48b2-b7b8-af94e6d72bad","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:42:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000005","policyNumber":"pol-01a201af-d467-7400-99e3-83bf50c83d7b","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(30, '676a2500-73d8-4a16-8add-5d00dde2f6be', 'preset-fleet', 'CLM-2025-000006', '{"eventId":"676a2500-73d8-4a16-8add-5d00dde2f6be","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:45:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000006","policyNumber":"pol-01a201af-d467-73df-b777-1a95bb6abc6f","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T08:00:05.000Z'),
	(31, '1857fe70-2e0f-4a54-8a4f-1f9d6259eb05', 'preset-fleet', 'CLM-2025-000007', '{"eventId":"1857fe70-2e0f-4a54-8a4f-1f9d6259eb05","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:48:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000007","policyNumber":"pol-01a201af-d468-78c3-8570-2c404cb869b9","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(32, '19a3f5f7-fd27-4403-b31f-cf2c437177a6', 'preset-fleet', 'CLM-2025-000008', '{"eventId":"19a3f5f7-fd27-4403-b31f-cf2c437177a6","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:51:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000008","policyNumber":"pol-01a201af-d468-7609-a67a-d3228cfeb998","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(33, 'd5bd3d1c-6f5a-4f7c-b297-b478153abb4c', 'preset-fleet', 'CLM-2025-000009', '{"eventId":"d5bd3d1c-6f5a-4f7c-b297-b478153abb4c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:54:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000009","policyNumber":"pol-01a201af-d468-7ab0-9df3-df5d9938349c","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T08:00:05.000Z'),
	(34, '91a6f38b-c565-4c44-bb56-349bc525b286', 'preset-fleet', 'CLM-2025-000010', '{"eventId":"91a6f38b-c565-4c44-bb56-349bc525b286","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T07:57:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000010","policyNumber":"pol-01a201af-d468-7b05-8106-518d6febcf4a","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(35, 'fae75d97-8882-40f1-b689-097ad3c59fae', 'preset-fleet', 'CLM-2025-000011', '{"eventId":"fae75d97-8882-40f1-b689-097ad3c59fae","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:00:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000011","policyNumber":"pol-01a201af-d468-7f73-8d97-c76d73242ae9","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:00:05.000Z'),
	(36, '0359d576-4807-4cd2-ac4e-1ac18e50e0d0', 'preset-fleet', 'CLM-2025-000012', '{"eventId":"0359d576-4807-4cd2-ac4e-1ac18e50e0d0","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2025-03-01T08:03:00.000Z","source":"claims-core","data":{"claimId":"CLM-2025-000012","policyNumber":"pol-01a201af-d469-7761-a606-a10733320df6","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T08:00:05.000Z'),
	(37, '18a1824e-fc63-42c1-a8be-2a5907341fc2', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"18a1824e-fc63-42c1-a8be-2a5907341fc2","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:01:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-d46a-7529-a039-1d81480c3f80","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:02:35.000Z'),
	(38, '254611f3-1d01-4e3e-9a53-1b12baca6f33', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"254611f3-1d01-4e3e-9a53-1b12baca6f33","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:02:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-d46a-7529-a039-1d81480c3f80","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:02:35.000Z'),
	(39, '4d36f511-a2e3-4158-afa5-a9ebacd20b49', 'preset-fleet', 'CLM-2026-000001', '{"eventId":"4d36f511-a2e3-4158-afa5-a9ebacd20b49","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:03:05.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000001","policyNumber":"pol-01a201af-d46a-7529-a039-1d81480c3f80","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:12:35.000Z'),
	(40, '842c7313-26e1-4474-9583-63ced21ffe09', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"842c7313-26e1-4474-9583-63ced21ffe09","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:13:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-d472-7144-8541-681dec19706b","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T08:42:35.000Z'),
	(43, '1193884c-1178-4874-b26d-5154f6505aa3', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"1193884c-1178-4874-b26d-5154f6505aa3","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-d472-7e3a-aafe-1287b48ad104","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T09:42:35.000Z'),
	(45, '3277cd7a-6aa3-43a2-ab69-0f6fdbef5002', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"3277cd7a-6aa3-43a2-ab69-0f6fdbef5002","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-d472-7e3a-aafe-1287b48ad104","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T09:42:35.000Z'),
	(48, 'ef22e059-7da4-4d0d-a668-0aced6828bde', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"ef22e059-7da4-4d0d-a668-0aced6828bde","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-d473-721c-b3f2-4ed9eec7d669","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T11:42:35.000Z'),
	(49, 'f89525d3-0e6c-4d18-957b-b630235b2c87', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"f89525d3-0e6c-4d18-957b-b630235b2c87","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-d473-729d-8678-ab35b828492c","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T15:42:35.000Z'),
	(50, '1e3f0916-4048-4358-b4a5-bfc2b3352e87', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"1e3f0916-4048-4358-b4a5-bfc2b3352e87","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-d473-729d-8678-ab35b828492c","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T15:42:35.000Z'),
	(52, '00197c49-ccc7-4cfd-8dbc-ec6050f55d1b', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"00197c49-ccc7-4cfd-8dbc-ec6050f55d1b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-d473-75cb-8f20-dcd64e6cda63","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T21:42:35.000Z'),
	(54, '35d5eb7c-495c-4de9-9060-1d3a2a71a349', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"35d5eb7c-495c-4de9-9060-1d3a2a71a349","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-d473-75cb-8f20-dcd64e6cda63","previousStatus":"REJECTED","newStatus":"CLOSED","statusReason":"The rejection was not contested."}}', '2026-03-02T21:42:35.000Z'),
	(56, '2f1c16d7-d449-479d-aa77-50ec6535d4f5', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"2f1c16d7-d449-479d-aa77-50ec6535d4f5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-d474-78b7-9d9b-02ff7c586f6b","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:42:35.000Z'),
	(57, '28b4fa35-0b33-495d-af73-04b77f5ccdbb', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"28b4fa35-0b33-495d-af73-04b77f5ccdbb","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-d474-78b7-9d9b-02ff7c586f6b","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:42:35.000Z'),
	(41, 'f5586518-7b30-49f5-ac05-5a8d647f14fd', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"f5586518-7b30-49f5-ac05-5a8d647f14fd","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:14:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-d472-7144-8541-681dec19706b","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T08:42:35.000Z'),
	(44, '429d6cfb-b4ec-403c-a4aa-170ef40fd96c', 'preset-fleet', 'CLM-2026-000003', '{"eventId":"429d6cfb-b4ec-403c-a4aa-170ef40fd96c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000003","policyNumber":"pol-01a201af-d472-7e3a-aafe-1287b48ad104","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T09:42:35.000Z'),
	(46, '9f6fc65b-42de-49ab-9439-17de1ca36141', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"9f6fc65b-42de-49ab-9439-17de1ca36141","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-d473-721c-b3f2-4ed9eec7d669","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-02T11:42:35.000Z'),
	(51, '33ae9e33-370f-4699-a777-6f8b2de002d7', 'preset-fleet', 'CLM-2026-000005', '{"eventId":"33ae9e33-370f-4699-a777-6f8b2de002d7","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T11:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000005","policyNumber":"pol-01a201af-d473-729d-8678-ab35b828492c","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T15:42:35.000Z'),
	(55, 'abd17b0e-7b4b-4651-8d62-cacf180dce08', 'preset-fleet', 'CLM-2026-000007', '{"eventId":"abd17b0e-7b4b-4651-8d62-cacf180dce08","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T21:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000007","policyNumber":"pol-01a201af-d474-78b7-9d9b-02ff7c586f6b","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:42:35.000Z'),
	(58, '1859570f-7169-4d06-b7f7-63a4554302c9', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000009', '{"eventId":"1859570f-7169-4d06-b7f7-63a4554302c9","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:36.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:42:36.000Z'),
	(64, 'c7caee0c-6870-4c2c-af22-b9121936b82a', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"c7caee0c-6870-4c2c-af22-b9121936b82a","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-d474-722b-9fee-6764207fbe2c","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
	(42, '29c7b902-d950-4d5c-93aa-73153c837e78', 'preset-fleet', 'CLM-2026-000002', '{"eventId":"29c7b902-d950-4d5c-93aa-73153c837e78","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T08:15:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000002","policyNumber":"pol-01a201af-d472-7144-8541-681dec19706b","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-02T08:42:35.000Z'),
	(47, '515f87b5-55ef-4917-a066-bbb00cad0a14', 'preset-fleet', 'CLM-2026-000004', '{"eventId":"515f87b5-55ef-4917-a066-bbb00cad0a14","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T09:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000004","policyNumber":"pol-01a201af-d473-721c-b3f2-4ed9eec7d669","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-02T11:42:35.000Z'),
	(53, '147182b6-0230-4170-9b0b-506a4b8d6f6c', 'preset-fleet', 'CLM-2026-000006', '{"eventId":"147182b6-0230-4170-9b0b-506a4b8d6f6c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-02T15:44:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000006","policyNumber":"pol-01a201af-d473-75cb-8f20-dcd64e6cda63","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The damage is not covered by motor third-party liability."}}', '2026-03-02T21:42:35.000Z'),
	(60, 'c1a43f82-cb4f-4c98-847a-997d916d0acb', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000009', '{"eventId":"c1a43f82-cb4f-4c98-847a-997d916d0acb","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:38.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:42:38.000Z'),
	(59, '0f589e26-3256-443d-ba15-690b4e9b4605', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000009', '{"eventId":"0f589e26-3256-443d-ba15-690b4e9b4605","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:42:37.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000009","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:42:37.000Z'),
	(65, 'cba34c44-7d8a-4b4e-aa26-522bde8b7e2c', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"cba34c44-7d8a-4b4e-aa26-522bde8b7e2c","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-d474-722b-9fee-6764207fbe2c","previousStatus":"APPROVED","newStatus":"CLOSED","statusReason":"The compensation was paid."}}', '2026-03-03T07:46:10.000Z'),
	(66, 'b2f57473-7e19-4568-a813-3738bc2e3024', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000010', '{"eventId":"b2f57473-7e19-4568-a813-3738bc2e3024","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"APPROVED","statusReason":null}}', '2026-03-03T07:46:10.000Z'),
	(67, '68cda852-a7d1-4ac3-97af-d0a04b506814', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000011', '{"eventId":"68cda852-a7d1-4ac3-97af-d0a04b506814","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:45:58.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"UNDER_REVIEW","newStatus":"REJECTED","statusReason":"The claim was reported too late."}}', '2026-03-03T07:46:10.000Z'),
	(68, '070193d2-1052-4e64-b023-d6b13f413105', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000012', '{"eventId":"070193d2-1052-4e64-b023-d6b13f413105","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:46:08.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000012","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:46:10.000Z'),
	(61, 'f0ade94c-8935-456c-a9fd-ce7d8e0bd66b', 'preset-fleet', 'CLM-2026-000008', '{"eventId":"f0ade94c-8935-456c-a9fd-ce7d8e0bd66b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:43:35.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000008","policyNumber":"pol-01a201af-d474-722b-9fee-6764207fbe2c","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
	(62, 'f25bed5e-9983-4eb6-ab6b-d4cd74395a2b', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000010', '{"eventId":"f25bed5e-9983-4eb6-ab6b-d4cd74395a2b","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000010","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z'),
	(63, '5d4478f7-fc6e-4b2f-a9fa-0ceec5dbdce5', 'demo-b581888b9121fc52dbc1', 'CLM-2026-000011', '{"eventId":"5d4478f7-fc6e-4b2f-a9fa-0ceec5dbdce5","eventType":"ClaimStatusChanged","eventVersion":"1.0","occurredAt":"2026-03-03T07:44:18.000Z","source":"claims-core","data":{"claimId":"CLM-2026-000011","policyNumber":"pol-01a201af-d679-7ceb-b5d1-da54711977b8","previousStatus":"REGISTERED","newStatus":"UNDER_REVIEW","statusReason":null}}', '2026-03-03T07:45:08.000Z');
INSERT INTO public.kafka_relay VALUES
	(1, 0);
INSERT INTO public.migrations VALUES
	(1, 'insurer', '2025-03-01T08:00:00.000Z'),
	(2, 'claims', '2025-03-01T08:00:00.000Z'),
	(3, 'relay', '2025-03-01T08:00:00.000Z');
INSERT INTO public.policies VALUES
	('pol-01a201af-d465-7a72-bae2-bff1941aa191', 'preset-fleet', 1, 'FL-0001', 'FL0001', 'Kestrel Couriers, van 1', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d465-75b6-bb56-2201e39095a5', 'preset-fleet', 2, 'FL-0002', 'FL0002', 'Kestrel Couriers, van 2', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d466-708d-a8db-e78460e037b4', 'preset-fleet', 3, 'FL-0003', 'FL0003', 'Kestrel Couriers, van 3', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d466-728d-af95-cb6131498a06', 'preset-fleet', 4, 'FL-0004', 'FL0004', 'Kestrel Couriers, van 4', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d467-7400-99e3-83bf50c83d7b', 'preset-fleet', 5, 'FL-0005', 'FL0005', 'Kestrel Couriers, van 5', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d467-73df-b777-1a95bb6abc6f', 'preset-fleet', 6, 'FL-0006', 'FL0006', 'Kestrel Couriers, van 6', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d468-78c3-8570-2c404cb869b9', 'preset-fleet', 7, 'FL-0007', 'FL0007', 'Kestrel Couriers, van 7', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d468-7609-a67a-d3228cfeb998', 'preset-fleet', 8, 'FL-0008', 'FL0008', 'Kestrel Couriers, van 8', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d468-7ab0-9df3-df5d9938349c', 'preset-fleet', 9, 'FL-0009', 'FL0009', 'Kestrel Couriers, van 9', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d468-7b05-8106-518d6febcf4a', 'preset-fleet', 10, 'FL-0010', 'FL0010', 'Kestrel Couriers, van 10', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d468-7f73-8d97-c76d73242ae9', 'preset-fleet', 11, 'FL-0011', 'FL0011', 'Kestrel Couriers, van 11', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d469-7761-a606-a10733320df6', 'preset-fleet', 12, 'FL-0012', 'FL0012', 'Kestrel Couriers, van 12', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d46a-7529-a039-1d81480c3f80', 'preset-fleet', 13, 'FL-0013', 'FL0013', 'Kestrel Couriers, van 13', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d472-7144-8541-681dec19706b', 'preset-fleet', 14, 'FL-0014', 'FL0014', 'Kestrel Couriers, van 14', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d472-7e3a-aafe-1287b48ad104', 'preset-fleet', 15, 'FL-0015', 'FL0015', 'Kestrel Couriers, van 15', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d473-721c-b3f2-4ed9eec7d669', 'preset-fleet', 16, 'FL-0016', 'FL0016', 'Kestrel Couriers, van 16', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d473-729d-8678-ab35b828492c', 'preset-fleet', 17, 'FL-0017', 'FL0017', 'Kestrel Couriers, van 17', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d473-75cb-8f20-dcd64e6cda63', 'preset-fleet', 18, 'FL-0018', 'FL0018', 'Kestrel Couriers, van 18', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d474-78b7-9d9b-02ff7c586f6b', 'preset-fleet', 19, 'FL-0019', 'FL0019', 'Kestrel Couriers, van 19', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d474-722b-9fee-6764207fbe2c', 'preset-fleet', 20, 'FL-0020', 'FL0020', 'Kestrel Couriers, van 20', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d474-737c-bf62-7b38340613ef', 'preset-fleet', 21, 'FL-0021', 'FL0021', 'Kestrel Couriers, van 21', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d474-70ad-a2cb-3887bbcdc4fc', 'preset-fleet', 22, 'FL-0022', 'FL0022', 'Kestrel Couriers, van 22', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d474-7115-be1e-cd2428ffeaae', 'preset-fleet', 23, 'FL-0023', 'FL0023', 'Kestrel Couriers, van 23', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-77de-adf6-a2ba66a654aa', 'preset-fleet', 24, 'FL-0024', 'FL0024', 'Kestrel Couriers, van 24', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-71a2-948b-6d4dd4d7dab4', 'preset-fleet', 25, 'FL-0025', 'FL0025', 'Kestrel Couriers, van 25', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-7636-b65e-de63c1888fd5', 'preset-fleet', 26, 'FL-0026', 'FL0026', 'Kestrel Couriers, van 26', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-773d-bf78-19b4e2761ac0', 'preset-fleet', 27, 'FL-0027', 'FL0027', 'Kestrel Couriers, van 27', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-7221-a880-d0333c94e7d8', 'preset-fleet', 28, 'FL-0028', 'FL0028', 'Kestrel Couriers, van 28', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d475-7216-854d-7acb6b7c2efb', 'preset-fleet', 29, 'FL-0029', 'FL0029', 'Kestrel Couriers, van 29', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d476-77f3-abb7-b511952780ea', 'preset-fleet', 30, 'FL-0030', 'FL0030', 'Kestrel Couriers, van 30', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d476-7580-98fb-9961d04da906', 'preset-fleet', 31, 'FL-0031', 'FL0031', 'Kestrel Couriers, van 31', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d476-7777-85d1-763e9646f227', 'preset-fleet', 32, 'FL-0032', 'FL0032', 'Kestrel Couriers, van 32', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d476-7c51-ac84-a1c11d6904ca', 'preset-fleet', 33, 'FL-0033', 'FL0033', 'Kestrel Couriers, van 33', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d477-770b-9a43-a4d860d88257', 'preset-fleet', 34, 'FL-0034', 'FL0034', 'Kestrel Couriers, van 34', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d477-763e-80e3-e15e4dacf319', 'preset-fleet', 35, 'FL-0035', 'FL0035', 'Kestrel Couriers, van 35', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d477-708e-bf49-f0b302165b32', 'preset-fleet', 36, 'FL-0036', 'FL0036', 'Kestrel Couriers, van 36', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d477-744b-9e14-f824b21c3a54', 'preset-fleet', 37, 'FL-0037', 'FL0037', 'Kestrel Couriers, van 37', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d477-72bd-97ab-4682317a9c42', 'preset-fleet', 38, 'FL-0038', 'FL0038', 'Kestrel Couriers, van 38', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d478-785f-a951-5d84f3131c06', 'preset-fleet', 39, 'FL-0039', 'FL0039', 'Kestrel Couriers, van 39', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d478-7dda-bf7e-ac898d18cdcf', 'preset-fleet', 40, 'FL-0040', 'FL0040', 'Kestrel Couriers, van 40', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d478-7f53-acdf-a33a91923577', 'preset-fleet', 41, 'FL-0041', 'FL0041', 'Kestrel Couriers, van 41', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d478-734f-8797-24408e9466df', 'preset-fleet', 42, 'FL-0042', 'FL0042', 'Kestrel Couriers, van 42', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-7ca1-b071-64fb18b4d3ce', 'preset-fleet', 43, 'FL-0043', 'FL0043', 'Kestrel Couriers, van 43', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-7729-821c-c1985a8cb21e', 'preset-fleet', 44, 'FL-0044', 'FL0044', 'Kestrel Couriers, van 44', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-755c-9563-5de00de25608', 'preset-fleet', 45, 'FL-0045', 'FL0045', 'Kestrel Couriers, van 45', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-7e97-b0fc-15dc487fda3b', 'preset-fleet', 46, 'FL-0046', 'FL0046', 'Kestrel Couriers, van 46', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-784c-b391-0feb370c47cc', 'preset-fleet', 47, 'FL-0047', 'FL0047', 'Kestrel Couriers, van 47', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d479-7410-acef-a673d0ae2feb', 'preset-fleet', 48, 'FL-0048', 'FL0048', 'Kestrel Couriers, van 48', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-7985-b3f4-17289feb56ce', 'preset-fleet', 49, 'FL-0049', 'FL0049', 'Kestrel Couriers, van 49', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-7126-ac52-0b2cdc6dad2f', 'preset-fleet', 50, 'FL-0050', 'FL0050', 'Kestrel Couriers, van 50', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-7e7c-912c-1570b711492d', 'preset-fleet', 51, 'FL-0051', 'FL0051', 'Kestrel Couriers, van 51', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-7246-aabc-b0bdfb975af5', 'preset-fleet', 52, 'FL-0052', 'FL0052', 'Kestrel Couriers, van 52', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-7189-99e4-3bc7c076356e', 'preset-fleet', 53, 'FL-0053', 'FL0053', 'Kestrel Couriers, van 53', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47b-735c-9032-1ae189d369ea', 'preset-fleet', 54, 'FL-0054', 'FL0054', 'Kestrel Couriers, van 54', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-78b6-aee0-c6a93d2c5795', 'preset-fleet', 55, 'FL-0055', 'FL0055', 'Kestrel Couriers, van 55', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-79c8-9358-573f0978394a', 'preset-fleet', 56, 'FL-0056', 'FL0056', 'Kestrel Couriers, van 56', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-77d3-bfac-dc99e50c0664', 'preset-fleet', 57, 'FL-0057', 'FL0057', 'Kestrel Couriers, van 57', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-71ad-80b8-f29a847388a0', 'preset-fleet', 58, 'FL-0058', 'FL0058', 'Kestrel Couriers, van 58', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-7707-af97-22b65e3c01a2', 'preset-fleet', 59, 'FL-0059', 'FL0059', 'Kestrel Couriers, van 59', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-76ea-b0dd-632b4ef2bd92', 'preset-fleet', 60, 'FL-0060', 'FL0060', 'Kestrel Couriers, van 60', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-7094-9a21-bfe0e0fdb91c', 'preset-fleet', 61, 'FL-0061', 'FL0061', 'Kestrel Couriers, van 61', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-74ac-8e25-c4d2e9bb38a0', 'preset-fleet', 62, 'FL-0062', 'FL0062', 'Kestrel Couriers, van 62', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47c-76ad-883e-4c8eda331437', 'preset-fleet', 63, 'FL-0063', 'FL0063', 'Kestrel Couriers, van 63', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47d-7227-a687-82baa0317167', 'preset-fleet', 64, 'FL-0064', 'FL0064', 'Kestrel Couriers, van 64', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47d-75bf-a59c-b3db1d4c126f', 'preset-fleet', 65, 'FL-0065', 'FL0065', 'Kestrel Couriers, van 65', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47d-7bb8-8faf-de4e8625547e', 'preset-fleet', 66, 'FL-0066', 'FL0066', 'Kestrel Couriers, van 66', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47d-7837-9e58-85eff7757086', 'preset-fleet', 67, 'FL-0067', 'FL0067', 'Kestrel Couriers, van 67', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47d-7c4f-ae94-3fcb34d30e9f', 'preset-fleet', 68, 'FL-0068', 'FL0068', 'Kestrel Couriers, van 68', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-72b1-b952-b3ada8d283bf', 'preset-fleet', 69, 'FL-0069', 'FL0069', 'Kestrel Couriers, van 69', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-71d2-976c-9a13f66a1272', 'preset-fleet', 70, 'FL-0070', 'FL0070', 'Kestrel Couriers, van 70', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-72b3-99b3-fad22b303e93', 'preset-fleet', 71, 'FL-0071', 'FL0071', 'Kestrel Couriers, van 71', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-79ba-a144-f0dcde276482', 'preset-fleet', 72, 'FL-0072', 'FL0072', 'Kestrel Couriers, van 72', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-761e-ad33-cd2fbe0c4cb4', 'preset-fleet', 73, 'FL-0073', 'FL0073', 'Kestrel Couriers, van 73', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-754a-a2f0-6ce683d61abb', 'preset-fleet', 74, 'FL-0074', 'FL0074', 'Kestrel Couriers, van 74', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d47e-73d2-b5a5-b43c9def5b02', 'preset-fleet', 75, 'FL-0075', 'FL0075', 'Kestrel Couriers, van 75', 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d4eb-786a-8177-eb9b7dbe2878', 'demo-3c8a30151df2470452e6', 1, 'OT-0001', 'OT0001', NULL, 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d4f7-7213-bffc-9b64aa2a671c', 'demo-b581888b9121fc52dbc1', 1, 'LR-0001', 'LR0001', NULL, 'MTPL-12M', 'active', '2025-03-01', '2026-02-28', '2025-03-01T08:00:00.000Z', '2025-03-01T08:00:00.000Z'),
	('pol-01a201af-d506-741f-9963-e6f7257b277e', 'demo-b581888b9121fc52dbc1', 2, 'T-2', 'T2', NULL, 'MTPL-12M', 'active', '2026-03-02', '2027-03-01', '2026-03-02T08:00:00.000Z', '2026-03-02T08:00:00.000Z'),
	('pol-01a201af-d679-7ceb-b5d1-da54711977b8', 'demo-b581888b9121fc52dbc1', 3, 'LR-0002', 'LR0002', NULL, 'MTPL-12M', 'active', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z'),
	('pol-01a201af-d67c-77ed-a942-762f9807b2df', 'demo-b581888b9121fc52dbc1', 4, 'LR-0003', 'LR0003', 'Ada Example', 'MTPL-12M', 'updated', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z'),
	('pol-01a201af-d681-7f38-ab80-8fe1dd9a8909', 'demo-b581888b9121fc52dbc1', 5, 'LR-0004', 'LR0004', NULL, 'MTPL-12M', 'cancelled', '2026-03-03', '2027-03-02', '2026-03-03T07:42:35.000Z', '2026-03-03T07:42:35.000Z');
INSERT INTO public.signing_keys VALUES
	('current', '{"kty":"EC","x":"FBjFyXqA5tHw8lK8EsIP0GrGNubhgDb1hIALV6IIH2w","y":"tj01JUizuWcaQXKsU1rV82du-5i4EzlL-TR4huUumY0","crv":"P-256","d":"IjG4qSLDVPlDbXSzdzajpPfp-iCR7hH4ELtMD0a43RQ","kid":"zMHFeua_-cyjnnrCEzVRy1lc3STS8AE5q55g2VSNS_o","alg":"ES256","use":"sig"}', '2025-03-01T08:00:00.000Z');
INSERT INTO public.subscriptions VALUES
	('sub-01a201af-d50b-7bfa-b49f-24b4bff68c44', 'demo-b581888b9121fc52dbc1', 1, 'http://127.0.0.1:9/hooks', 'whsec_b2YgYSBmaXh0dXJlIG9ubHksIG5vdCBhIHNlY3JldC4=', '2026-03-02T08:00:00.000Z', 68, 9);
ALTER TABLE ONLY public.claim_counts
    ADD CONSTRAINT claim_counts_pkey PRIMARY KEY (client_id);
ALTER TABLE ONLY public.claim_numbers
    ADD CONSTRAINT claim_numbers_pkey PRIMARY KEY (year);
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_client_id_number_key UNIQUE (client_id, number);
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (subscription_id, number);
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (subscription_id, delivery_number, attempt);
ALTER TABLE ONLY public.event_head
    ADD CONSTRAINT event_head_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.kafka_relay
    ADD CONSTRAINT kafka_relay_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_client_id_number_key UNIQUE (client_id, number);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_client_id_number_key UNIQUE (client_id, number);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);
CREATE INDEX claims_due ON public.claims USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX claims_of_policy ON public.claims USING btree (policy_id, number);
CREATE INDEX clients_idle ON public.clients USING btree (last_used_at) WHERE (preset = 0);
CREATE INDEX deliveries_due ON public.deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX deliveries_next ON public.deliveries USING btree (subscription_id, next_attempt_at, number) WHERE (status = 'pending'::text);
CREATE INDEX deliveries_open ON public.deliveries USING btree (subscription_id, claim_id, number) WHERE (status = ANY (ARRAY['waiting'::text, 'pending'::text]));
CREATE INDEX events_of_client ON public.events USING btree (client_id, seq);
CREATE UNIQUE INDEX policies_in_force ON public.policies USING btree (reg_key) WHERE (status = ANY (ARRAY['active'::text, 'updated'::text]));
ALTER TABLE ONLY public.claim_counts
    ADD CONSTRAINT claim_counts_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES public.policies(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_subscription_id_delivery_number_fkey FOREIGN KEY (subscription_id, delivery_number) REFERENCES public.deliveries(subscription_id, number) ON DELETE CASCADE;
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE;
