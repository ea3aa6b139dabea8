import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';
import { relayErrors } from '../../webhooks/index.ts';
import { momentOrNull } from '../shapes.ts';

const relayError = enumeration(
  'RelayError',
  relayErrors,
  'refused: nobody listens. timeout: no answer within 15 seconds. closed: the connection ended before the answer. http: what came is no HTTP. tls: a certificate that is not valid. handshake: one of TLS that failed. name: a host name without an address.',
);

const headers = (description: string, example: Record<string, string>) =>
  Type.Record(Type.String(), Type.String({ maxLength: 8192, pattern: '^[^\\r\\n\\0]*$' }), {
    description,
    examples: [example],
  });

export const RelayState = Type.Object(
  { connectedAt: momentOrNull('Since when a relay is connected, in real time; null while none is.') },
  { $id: 'RelayState', description: 'Whether a relay is connected.' },
);

export const RelayEvents = Type.String({
  $id: 'RelayEvents',
  description:
    'Events `call`, whose data is JSON: `id`, `method`, `url`, `headers` with the signature, and `body` in base64. Send exactly these bytes. An event `replaced` ends the stream when a newer one of this client serves.',
  examples: [
    'event: call\nid: 01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f\ndata: {"id":"01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f","method":"POST","url":"http://127.0.0.1:9000/claims","headers":{"webhook-id":"…"},"body":"e30="}\n\n',
  ],
});

export const RelayCallId = Type.Object({
  relayCallId: Type.String({
    description: 'The id of a call that the stream sent.',
    examples: ['01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
  }),
});

/** Characters of base64 that are taken of a body. Of its bytes the first 1,024 are kept. */
const longestBody = 16_384;

export const RelayAnswerDraft = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        description: 'The status that your receiver answered.',
        examples: [204],
      }),
    ),
    headers: Type.Optional(
      headers('Its headers. Content-Type, Location, Retry-After and Date are kept.', { 'retry-after': '30' }),
    ),
    body: Type.Optional(
      Type.String({
        maxLength: longestBody,
        description: 'The beginning of its body, in base64. 1,024 bytes of it are kept.',
        examples: ['b2s='],
      }),
    ),
    error: Type.Optional(relayError('What happened in place of an answer; without `status` then.', 'refused')),
    detail: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'More of an error that is `other`. It is shown in the log of deliveries.',
        examples: ['this relay calls loopback addresses only'],
      }),
    ),
  },
  {
    $id: 'RelayAnswer',
    description: 'What came of a call: `status`, or `error`.',
    examples: [{ status: 204, headers: {}, body: '' }, { error: 'refused' }],
  },
);

export type RelayAnswerDraft = Static<typeof RelayAnswerDraft>;
