import { digestOf, sendFile } from '../../http/answers/served-file.ts';
import type { StoredAnswers } from '../../http/answers/stored-answers.ts';
import { type Api, type Handlers, tableOf } from '../../http/endpoint.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { addressKey } from '../../http/requests/address.ts';
import { callerOf } from '../../http/requests/bearer.ts';
import { creationProblems } from '../../http/requests/idempotency-key.ts';
import { fileOf, framing } from '../../http/requests/multipart.ts';
import { keptSecret } from '../../http/requests/names.ts';
import { asPage, links, pageOf } from '../../http/requests/paging.ts';
import { invalid } from '../../http/requests/validation.ts';
import { base } from '../route-texts.ts';
import { attachment, type ClaimDocument, fileName, maxBytes, mediaTypeOf } from './document.ts';
import type { Documents } from './documents.ts';
import { documentTexts as texts } from './texts.ts';

export interface DocumentRoutesOptions {
  readonly documents: Documents;
  /** Answers to documents that were added. */
  readonly added: StoredAnswers<ClaimDocument>;
}

/** What an `Idempotency-Key` is compared by: a form that is made again has another boundary. */
export const sentMembers = { properties: { claimId: {}, name: {}, digest: {} } };

const path = '/claims/:claimId/documents';

/** The documents of claims. */
export function documentRoutes(api: Api, options: DocumentRoutesOptions): void {
  const route = tableOf(api, texts, handlers(options));
  const forPeople = true;
  route('POST', path, 'addDocument', 'claims:write', ['claim-not-found', ...creationProblems], {
    forPeople,
    body: 'file',
    maxBody: maxBytes + framing,
  });
  route('GET', path, 'listDocuments', 'claims:read', ['claim-not-found', 'validation-error'], { forPeople });
  route(
    'GET',
    `${path}/:documentId`,
    'readDocument',
    'claims:read',
    ['claim-not-found', 'document-not-found', 'precondition-failed', 'range-not-satisfiable'],
    { forPeople },
  );
}

function handlers({ documents, added }: DocumentRoutesOptions): Handlers<typeof texts> {
  return {
    async addDocument(request, reply) {
      const { clientId, person } = callerOf(request);
      const { claimId } = request.params;
      const { name: sent, bytes: content } = await fileOf(request, maxBytes);
      const mediaType = mediaTypeOf(content);
      const name = fileName(sent, mediaType);
      if (request.server.secretFinder.isIn(name)) throw invalid([{ pointer: '/file', detail: keptSecret }]);
      request.body = { claimId, name, digest: digestOf(content) };
      const document = await added.answer(request, reply, (keep) =>
        documents.add(
          { clientId, claimId, holder: person?.name },
          { address: addressKey(request.ip), name, mediaType, content },
          keep,
        ),
      );
      return reply
        .code(201)
        .header('Location', absoluteUrl(request, `${base}/claims/${claimId}/documents/${document.id}`))
        .send(document);
    },

    async listDocuments(request, reply) {
      const { clientId, person } = callerOf(request);
      const page = pageOf(request.query);
      const { claimId } = request.params;
      const { items, total } = await documents.list({ clientId, claimId, holder: person?.name }, page);
      reply.header('Link', links(absoluteUrl(request, `${base}/claims/${claimId}/documents`), page, total));
      return asPage(items, total, page);
    },

    async readDocument(request, reply) {
      const { clientId, person } = callerOf(request);
      const { claimId, documentId } = request.params;
      const document = await documents.read({ clientId, claimId, holder: person?.name }, documentId);
      const { buffer, byteOffset, byteLength } = document.content;
      return sendFile(request, reply, {
        bytes: Buffer.from(buffer, byteOffset, byteLength),
        type: document.mediaType,
        disposition: attachment(document.name),
      });
    },
  };
}
