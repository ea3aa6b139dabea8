import Type from 'typebox';
import { FileConditions, fileHeaders, optionalFileHeaders } from '../../http/answers/served-file.ts';
import type { EndpointText } from '../../http/endpoint.ts';
import { multipart } from '../../http/requests/bodies.ts';
import { IdempotencyKey } from '../../http/requests/idempotency-key.ts';
import { OptionalPageQuery } from '../../http/requests/paging.ts';
import { base } from '../route-texts.ts';
import { ClaimId } from '../schemas.ts';
import { attachment, ClaimDocument, ClaimDocumentList, exampleId, type MediaType, maxPerClaim } from './document.ts';

const DocumentId = Type.Object({
  ...ClaimId.properties,
  documentId: Type.String({ description: 'The id of one of its documents; it begins with doc-.' }),
});

const Form = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'A JPEG, PNG or WebP image or a PDF, with a filename, at most 1 MiB.',
      examples: ['%PDF-1.7\n'],
    }),
  },
  { $id: 'ClaimDocumentForm', description: 'The file, as forms send it.' },
);

const bytes = Type.Unsafe<Buffer>({
  type: 'string',
  format: 'binary',
  description: 'The bytes of the document.',
  examples: ['%PDF-1.7'],
});
const content = {
  'image/jpeg': { schema: bytes },
  'image/png': { schema: bytes },
  'image/webp': { schema: bytes },
  'application/pdf': { schema: bytes },
} satisfies Record<MediaType, object>;

const noChange =
  'A document can’t be changed, so that everybody sees what was sent. Send another one: POST /claims/{claimId}/documents.';
const noRemoval = 'A document can’t be deleted: it goes with its claim.';

const itsDocument = {
  parameters: { claimId: '$response.body#/claimId', documentId: '$response.body#/id' },
};

/** The shapes and texts of the documents of claims. */
export const documentTexts = {
  addDocument: {
    schema: {
      operationId: 'addDocument',
      tags: ['Documents'],
      summary: 'Add a document to a claim',
      description: `A photograph (JPEG, PNG or WebP) or a PDF, at most 1 MiB, as the part \`file\` of a form. A claim can have ${maxPerClaim}. The bytes tell its type, whatever the name and the Content-Type of the part say. Send an \`Idempotency-Key\` if you may have to repeat the request: what counts is the name and the bytes of the file.`,
      params: ClaimId,
      headers: IdempotencyKey,
      body: { content: { [multipart]: { schema: Form } } },
      response: { 201: ClaimDocument },
    },
    success: 'The document, without its bytes.',
    headers: { Location: `${base}/claims/CLM-2026-000042/documents/${exampleId}` },
    optionalHeaders: ['Idempotency-Replayed'],
    links: {
      readDocument: { operationId: 'readDocument', ...itsDocument, description: 'Its bytes can be read.' },
    },
    guesses: ['files', 'photos', 'images', 'attachments', 'uploads', 'upload'].map((end) => `claims/:claimId/${end}`),
  },
  listDocuments: {
    schema: {
      operationId: 'listDocuments',
      tags: ['Documents'],
      summary: 'List the documents of a claim',
      description: 'Oldest first.',
      params: ClaimId,
      querystring: OptionalPageQuery,
      response: { 200: ClaimDocumentList },
    },
    success: 'One page. A page after the last one has no items.',
    headers: { Link: `<${base}/claims/CLM-2026-000042/documents?page=1&pageSize=20>; rel="first"` },
    instead: { PUT: noChange, PATCH: noChange, DELETE: noRemoval },
  },
  readDocument: {
    schema: {
      operationId: 'readDocument',
      tags: ['Documents'],
      summary: 'Read a document',
      description:
        'Its bytes, or a part of them with `Range`: go on where a download broke off, with `If-Range` and the `ETag` of its beginning. It is sent to be saved: no browser shows it. `Content-Digest` is of the bytes of this response, `Repr-Digest` of the whole document. `HEAD` tells the size.',
      params: DocumentId,
      headers: FileConditions,
      response: { 200: { content }, 206: { content }, 304: {} },
    },
    success: 'The bytes: with 200 all of them, with 206 those of the range.',
    headers: {
      ...fileHeaders,
      'Content-Disposition': attachment('scratch.jpg'),
    },
    optionalHeaders: optionalFileHeaders,
    guesses: [
      ...['content', 'download', 'file'].map((end) => `claims/:claimId/documents/:documentId/${end}`),
      'documents/:documentId',
    ],
    instead: { PUT: noChange, PATCH: noChange, POST: noChange, DELETE: noRemoval },
  },
} satisfies Record<string, EndpointText>;
