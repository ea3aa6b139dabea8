import { lockClient } from '../../clients/clients.ts';
import type { OwnedRows } from '../../clients/owned-rows.ts';
import { alias, bytes, integer, type RowOf, table, text, textOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { lockRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { digestOf } from '../../http/answers/served-file.ts';
import type { Keep } from '../../http/answers/stored-answers.ts';
import { ProblemError, unavailable } from '../../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../../http/requests/id-advice.ts';
import type { Page } from '../../http/requests/paging.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { instant } from '../../time/clock.ts';
import { findClaim } from '../claims.ts';
import { type ClaimDocument, isDocumentId, type MediaType, maxBytesOfClient, maxPerClaim } from './document.ts';

/** Bytes that a document counts as besides its own, so that there are never so many that their sum takes long. */
const overhead = 16 * 1024;

/** Bytes of all documents; and `reserved` more, for addresses that have no more than `address`. */
const roomFor = { all: 512e6, reserved: 32e6, address: 4e6 };

/** What `Retry-After` says where there is no room for one more. */
const retrySeconds = 60;

const documents = table('claim_documents', {
  id: text,
  claimId: text,
  clientId: text,
  address: text,
  name: text,
  mediaType: textOf<MediaType>(),
  size: integer,
  digest: text,
  createdAt: text,
  content: bytes,
});

const shown = documents.pick('id', 'claimId', 'name', 'mediaType', 'size', 'digest', 'createdAt');

/** Who asks, and of which claim. `holder`: for whom the client calls, if it does for a person. */
export interface OfClaim {
  readonly clientId: string;
  readonly claimId: string;
  readonly holder?: string | undefined;
}

/** A document that is sent. `address`: that of its sender, as calls are counted by. */
export interface NewDocument {
  readonly address: string;
  readonly name: string;
  readonly mediaType: MediaType;
  readonly content: Buffer;
}

/** The documents of a claim, whose rows go with it. A client sees those of its own claims only. */
export class Documents {
  readonly #database: Database;
  readonly #clocks: ClientClocks;
  readonly #randomness: Randomness;

  constructor(database: Database, clocks: ClientClocks, randomness: Randomness) {
    this.#database = database;
    this.#clocks = clocks;
    this.#randomness = randomness;
  }

  /**
   * Resolves when the document is durable. `keep` is called in its transaction.
   *
   * @throws {ProblemError} `claim-not-found`, `quota-exceeded`, `unavailable` when there is no room for its bytes, or
   *   `invalid-token` when the client is gone
   */
  async add(of: OfClaim, { content, ...sent }: NewDocument, keep?: Keep<ClaimDocument>): Promise<ClaimDocument> {
    const { clientId, claimId } = of;
    const now = this.#clocks.now(clientId);
    const document: ClaimDocument = {
      id: `doc-${this.#randomness.uuidV7('document', now)}`,
      claimId,
      name: sent.name,
      mediaType: sent.mediaType,
      size: content.length,
      digest: digestOf(content),
      createdAt: instant(now),
    };
    return this.#database.write(async (sql) => {
      // Of one client one is added at a time: else two at once would both see room for the last one.
      await lockClient(sql, clientId);
      await findClaim(sql, of);
      await checkRoom(sql, of, sent.address, content.length + overhead);
      await insert(sql, { ...document, clientId, address: sent.address, content });
      await keep?.(sql, document);
      return document;
    });
  }

  /**
   * The documents of a claim on one page, oldest first, and how many there are.
   *
   * @throws {ProblemError} `claim-not-found`
   */
  async list(of: OfClaim, { page, pageSize }: Page): Promise<{ items: ClaimDocument[]; total: number }> {
    const { sql } = this.#database;
    await findClaim(sql, of);
    const items = await findAll(sql, { claimId: of.claimId });
    return { items: items.slice((page - 1) * pageSize, page * pageSize), total: items.length };
  }

  /** @throws {ProblemError} `claim-not-found`, `document-not-found` */
  async read(of: OfClaim, id: string): Promise<RowOf<typeof withContent>> {
    const { sql } = this.#database;
    await findClaim(sql, of);
    const row = isDocumentId(id) ? await find(sql, { id, claimId: of.claimId }) : undefined;
    if (row) return row;
    const advice = isDocumentId(id) ? '' : idAdvice(id, documentIds);
    const detail = `The claim has no document ${shownId(id)}.${advice} GET /claims/${of.claimId}/documents lists those it has.`;
    throw new ProblemError('document-not-found', detail);
  }

  /** Bytes that all documents count as. */
  async bytes(): Promise<number> {
    return (await sumBytes(this.#database.sql, { address: '', clientId: '', overhead }))?.kept ?? 0;
  }
}

/** Two nodes at once may take a little more than there is for all. */
async function checkRoom(sql: Sql, { claimId, clientId }: OfClaim, address: string, weight: number): Promise<void> {
  if (((await countOf(sql, { claimId }))?.documents ?? 0) >= maxPerClaim) {
    const detail = `This claim has ${maxPerClaim} documents, which is the limit. Register another claim for more.`;
    throw new ProblemError('quota-exceeded', detail);
  }
  const sums = await sumBytes(sql, { address, clientId, overhead });
  if ((sums?.ofClient ?? 0) + weight > maxBytesOfClient) {
    const detail = `This client has stored ${maxBytesOfClient} bytes of documents, which is the limit. Continue with a new demo client.`;
    throw new ProblemError('quota-exceeded', detail);
  }
  const { all, reserved, address: small } = roomFor;
  const [left, own] = [all - (sums?.kept ?? 0), (sums?.ofAddress ?? 0) + weight];
  // An address may have as much as is left for the others, so that there always is something left.
  if (own <= left || (own <= small && weight <= left + reserved)) return;
  const whose = own > all / 2 ? 'from your address' : 'of all clients';
  const detail = `There is no room for more documents ${whose}. Yours was refused and changed nothing. Try again after the number of seconds in Retry-After.`;
  throw unavailable(detail, retrySeconds);
}

const withContent = documents.pick('name', 'mediaType', 'content');

const documentIds: IdForm = {
  prefix: 'doc-',
  others: [
    [/^CLM-/, 'It is the id of a claim. The id of a document begins with doc-.'],
    [/\.(?:jpe?g|png|webp|pdf)$/i, 'It looks like a name. The id of a document begins with doc-.'],
  ],
};

/** They go before the claims that they are of. */
export const ownedDocuments: OwnedRows = {
  name: 'documents of claims',
  remove: (sql, clientId, limit) => removeSome(sql, { clientId, limit }),
  count: async (sql, clientId) => (await countOfClient(sql, { clientId }))?.documents ?? 0,
  async erase(sql, { clientId, name: finder }, after) {
    const next = await lockNext(sql, { clientId, after });
    if (!next) return { changed: 0 };
    const { id, name, content } = next;
    if (finder.isInBytes(content)) return { changed: await removeOne(sql, { id }), after: id };
    const erased = finder.erase(name);
    return { changed: erased === name ? 0 : await rename(sql, { id, name: erased }), after: id };
  },
  keeps: {
    what: 'documents of claims',
    why: 'Those that have the name as a text are gone. What photographs show, what is packed in a PDF, and names of up to four letters were not looked for. To remove all: POST /range/v1/me/reset.',
    count: async (sql, { clientId }) => (await countOfClient(sql, { clientId }))?.documents ?? 0,
  },
};

const lockNext = statement.get`
  select ${documents.pick('id', 'name', 'content')} from claim_documents
  where client_id = ${'clientId'} and id > ${'after'} order by id limit 1 ${lockRows}`;

const rename = statement.run`update claim_documents set name = ${'name'} where id = ${'id'}`;

const removeOne = statement.run`delete from claim_documents where id = ${'id'}`;

const insert = statement.run`insert into claim_documents ${documents.values}`;

const find = statement.get`
  select ${withContent} from claim_documents where id = ${'id'} and claim_id = ${'claimId'}`;

const findAll = statement.all`
  select ${shown} from claim_documents where claim_id = ${'claimId'} order by id`;

const countOf = statement.get`
  select count(*) as ${alias('documents', integer)} from claim_documents where claim_id = ${'claimId'}`;

const countOfClient = statement.get`
  select count(*) as ${alias('documents', integer)} from claim_documents where client_id = ${'clientId'}`;

const sumBytes = statement.get`
  select cast(coalesce(sum(weight), 0) as bigint) as ${alias('kept', integer)},
    cast(coalesce(sum(case when address = ${'address'} then weight else 0 end), 0) as bigint) as ${alias('ofAddress', integer)},
    cast(coalesce(sum(case when client_id = ${'clientId'} then weight else 0 end), 0) as bigint) as ${alias('ofClient', integer)}
  from (select address, client_id, size + ${'overhead'} as weight from claim_documents) d`;

const removeSome = statement.run`
  delete from claim_documents where id in (
    select id from claim_documents where client_id = ${'clientId'} order by id limit ${'limit'}
  )`;
