import type { EndpointText } from '../../http/endpoint.ts';
import { streamType } from '../../http/requests/accepted-type.ts';
import { ofClient } from '../texts.ts';
import { RelayAnswerDraft, RelayCallId, RelayEvents, RelayState } from './schemas.ts';

const tags = ['Relay'];

export const texts = {
  readRelay: {
    schema: {
      operationId: 'readRelay',
      tags,
      summary: 'Make the calls of your webhooks yourself',
      description:
        'For receivers that this service can’t reach. With `Accept: text/event-stream` it is a stream of the calls to your subscriptions whose `via` is `relay`, signed and complete. A program makes each on its own machine, and sends what came of it to `POST /me/relay/{relayCallId}` within 15 seconds. At most 16 calls wait at a time. The newest stream of a client serves. `/kits` has such a program. Else it says whether a relay is connected.',
      security: ofClient,
      response: {
        200: { content: { 'application/json': { schema: RelayState }, [streamType]: { schema: RelayEvents } } },
      },
    },
    success: 'Whether a relay is connected, or the stream.',
    optionalHeaders: ['X-Accel-Buffering'],
    guesses: ['relay', 'me/relays', 'relays', 'me/tunnel'],
  },
  answerRelayCall: {
    schema: {
      operationId: 'answerRelayCall',
      tags,
      summary: 'Answer a call that your relay made',
      description:
        'What your receiver answered, or what happened in its place. It counts as if this service had made the call: the same retries, and the same log.',
      security: ofClient,
      params: RelayCallId,
      body: RelayAnswerDraft,
      response: { 204: {} },
    },
    success: 'Taken.',
  },
} satisfies Record<string, EndpointText>;
