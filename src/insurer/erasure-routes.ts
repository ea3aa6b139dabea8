import { createHmac } from 'node:crypto';
import type { StoredAnswers } from '../http/answers/stored-answers.ts';
import { type Api, type Handlers, tableOf } from '../http/endpoint.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { addressKey } from '../http/requests/address.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { creationProblems, keyOf } from '../http/requests/idempotency-key.ts';
import type { Erasure } from './erasure.ts';
import type { Erasures } from './erasures.ts';
import { asFieldError } from './policies.ts';
import { holderFaults } from './policy.ts';
import { base, erasureTexts as texts } from './route-texts.ts';
import { trimHolder } from './routes.ts';

export interface ErasureRoutesOptions {
  readonly erasures: Erasures;
  /** Answers to erasures that were accepted. */
  readonly asked: StoredAnswers<Erasure>;
}

/** Erasures, which stand beside the endpoints of the specification. */
export function erasureRoutes(api: Api, options: ErasureRoutesOptions): void {
  const route = tableOf(api, texts, handlers(options));
  route('POST', '/erasures', 'eraseHolder', 'policies:write', creationProblems, {
    preValidation: async ({ body }) => trimHolder(body),
    body: 'json',
    hidesBody: true,
    keptTexts: ['holder'],
    ruleFaults: ({ body }) => holderFaults(Object(body)).map(asFieldError),
  });
  route('GET', '/erasures/:erasureId', 'readErasure', 'policies:read', ['erasure-not-found']);
}

/** Seconds after which to ask again: calls that other nodes have answered are written meanwhile. */
const askAgain = '2';

function handlers({ erasures, asked }: ErasureRoutesOptions): Handlers<typeof texts> {
  return {
    async eraseHolder(request, reply) {
      const { clientId } = callerOf(request);
      const { holder } = request.body;
      // What the key is compared by: nobody can find the name by trying who has not the key, which is not kept.
      request.body = {
        holder: createHmac('sha256', keyOf(request) ?? '')
          .update(holder)
          .digest('base64url'),
      };
      const erasure = await asked.answer(request, reply, (keep) =>
        erasures.accept({ clientId, address: addressKey(request.ip) }, holder, keep),
      );
      return reply
        .code(202)
        .header('Location', absoluteUrl(request, `${base}/erasures/${erasure.id}`))
        .header('Retry-After', askAgain)
        .send(erasure);
    },

    async readErasure(request, reply) {
      const erasure = await erasures.read(callerOf(request).clientId, request.params.erasureId);
      if (erasure.status !== 'completed') reply.header('Retry-After', askAgain);
      return erasure;
    },
  };
}
