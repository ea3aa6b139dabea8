import type { Migration } from '../migration.ts';

/** Documents of claims: photographs and PDFs that were sent. `address` is that of who sent it, as calls are counted by. */
export const migration: Migration = {
  number: 43,
  name: 'claim-documents',

  async up(sql) {
    await sql.run`create table claim_documents (
      id text not null primary key,
      claim_id text not null references claims (id) on delete cascade,
      client_id text not null references clients (id) on delete cascade,
      address text not null,
      name text not null,
      media_type text not null,
      size integer not null,
      digest text not null,
      created_at text not null,
      content bytea not null
    )`;
    await sql.run`create index claim_documents_of_claim on claim_documents (claim_id, id)`;
    // Has all that the sums of bytes are made of.
    await sql.run`create index claim_documents_of_client on claim_documents (client_id, id, address, size)`;
  },
};
