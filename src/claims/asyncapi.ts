import { scopes } from '../insurer/index.ts';
import { messages, type Query, schemas } from './asyncapi-messages.ts';
import { claimStatusChanged } from './status-changed.ts';

const topic = claimStatusChanged.name;

import { retentionDays } from '../events/topic.ts';
import { pauses } from '../webhooks/index.ts';

/**
 * The AsyncAPI 3.0 document of the topic: its events as they are read over HTTP and as they come to webhooks. Seen from
 * L-Plate, all of its operations send.
 */
export function asyncApiDocument(publicUrl: string): object {
  const { host, protocol } = new URL(publicUrl);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'L-Plate claims topic',
      version: '1.0.0',
      description: about(publicUrl),
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      externalDocs: { description: 'The claims interface (OpenAPI)', url: `${publicUrl}/claims/v1/openapi.yaml` },
    },
    defaultContentType: 'application/json',
    servers: {
      lplate: {
        host,
        pathname: '/claims/v1',
        protocol: protocol.replace(':', ''),
        title: 'L-Plate',
        description: 'The claims system, where the topic is read.',
        security,
      },
      subscriber: {
        host: '{host}',
        protocol: 'https',
        title: 'Yours',
        description: 'Where your webhook listens: the `url` that you subscribed with, `http` or `https`.',
        variables: {
          host: { description: 'Host, and port where it is needed, of your URL.', examples: ['portal.example'] },
        },
      },
    },
    channels: { [topic]: topicChannel, webhooks: webhookChannel },
    operations,
    components: {
      messages,
      schemas,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'Client credentials, exchanged for a token, which goes into `Authorization: Bearer`.',
          flows: {
            clientCredentials: {
              tokenUrl: `${publicUrl}/insurer/v1/auth/token`,
              availableScopes: { 'claims:read': scopes['claims:read'] },
            },
          },
          scopes: ['claims:read'],
        },
      },
    },
  };
}

const about = (
  publicUrl: string,
) => `Whenever a claim changes status, the claims system of this synthetic insurer publishes an event to the topic \`${topic}\`. Read it instead of asking for each claim again and again. Every insurer, vehicle, person and policy is fictional.

The topic holds the events of your own policies' claims. To register a claim is no change of status: its first event comes when it is taken under review.

## Three ways to read

- **In batches:** ask for what follows your cursor, and wait up to 30 seconds for it if there is nothing yet (a long poll).
- **As a stream:** the same address with \`Accept: text/event-stream\` sends each event as it happens (server-sent events).
- **By webhook:** subscribe with a URL of yours at \`POST /subscriptions\` of the [claims interface](${publicUrl}/docs?api=claims-v1), and each event is posted to it, signed.

\`\`\`sh
TOPIC=${publicUrl}/claims/v1/topics/${topic}
curl "$TOPIC?after=earliest&wait=30" \\
  -H "Authorization: Bearer $TOKEN"
curl -N "$TOPIC" -H 'Accept: text/event-stream' \\
  -H "Authorization: Bearer $TOKEN"
\`\`\`

## What you can rely on

1. **At least once.** An event can come more than once, and always with the same \`eventId\`: process each \`eventId\` only once. So that you meet it while you practise, some events are delivered twice in a row on purpose: about one in ten, unless this service was set otherwise.
2. **In order per claim.** The events of one \`claimId\` come in the order of its changes. Events of different claims mix.
3. **Kept for ${retentionDays} days.** An older cursor is refused with 410 [\`cursor-expired\`](${publicUrl}/problems/cursor-expired). Then read the claims list (\`GET /claims\` of the claims interface) to catch up, and go on from \`latest\`: ask for that cursor before you read the list, so that nothing falls between the two.
4. **No personal data.** An event names a claim and a policy, never a person.

## Your cursor

Where you are in the topic is yours to keep: store the cursor together with what you made of its events, and hand it back to go on from there. A cursor is a text such as \`1042-1\`; take it as it is. \`earliest\` is the oldest event that is kept, \`latest\` is after the newest.

## Versions

\`eventVersion\` is the version of the payload's schema. Members may be added to it: ignore those you don't know.`;

const security = [{ $ref: '#/components/securitySchemes/oauth2' }];

const topicChannel = {
  address: `/topics/${topic}`,
  title: `The topic ${topic}`,
  summary: 'Read over HTTP, at your own pace.',
  description:
    'One address, two ways to read it: a JSON batch, or server-sent events for who sends `Accept: text/event-stream`. Reading takes nothing away: any number of readers, each with a cursor of its own, can read the same events.',
  servers: [{ $ref: '#/servers/lplate' }],
  messages: {
    EventBatch: { $ref: '#/components/messages/EventBatch' },
    ClaimStatusChanged: { $ref: '#/components/messages/ClaimStatusChanged' },
  },
};

const webhookChannel = {
  address: null,
  title: 'Your webhook',
  summary: 'Posted to the URL of a subscription.',
  description:
    'The address is the `url` of your subscription. The events published after you subscribed come to it. To subscribe and unsubscribe, and to see what became of each delivery, call `/subscriptions` of the claims interface.',
  servers: [{ $ref: '#/servers/subscriber' }],
  messages: { WebhookDelivery: { $ref: '#/components/messages/WebhookDelivery' } },
};

const address = `\`GET /claims/v1/topics/${topic}\``;
const http = { bindingVersion: '0.3.0' };

const operations = {
  readBatch: {
    action: 'send',
    title: 'Read a batch',
    summary: 'GET answers with the events that follow a cursor.',
    description: `${address} is answered with a batch. If there are events after the cursor, the answer comes at once, with up to \`limit\` of them. If there are none, it waits up to \`wait\` seconds for one; a batch without events is a normal answer. Send its \`next\` as \`after\` the next time.

${list(schemas.TopicQuery)}

A value that is not taken is refused with 400 \`validation-error\`, a cursor that is older than what is kept with 410 \`cursor-expired\`.`,
    security,
    channel: { $ref: `#/channels/${topic}` },
    bindings: { http: { method: 'GET', query: { $ref: '#/components/schemas/TopicQuery' }, ...http } },
    messages: [{ $ref: `#/channels/${topic}/messages/EventBatch` }],
  },
  streamEvents: {
    action: 'send',
    title: 'Stream events',
    summary: 'GET with Accept: text/event-stream is answered with server-sent events, and stays open.',
    description: `${address} with the header \`Accept: text/event-stream\` is answered with each event as one server-sent event: \`id\` is its cursor, \`data\` the payload on one line. What follows the cursor comes first, then what happens, as it happens.

${list(schemas.StreamQuery)}

- After a break send the last \`id\` as the header \`Last-Event-ID\`, as an \`EventSource\` does by itself. It wins over \`after\`.
- \`retry: 3000\` asks clients to wait three seconds before they connect again.
- In quiet times a comment and an \`id\` without \`data\` show that the stream lives, and move the cursor on. An \`EventSource\` notes them and tells you nothing.
- A stream can end at any time, and does when its token expires: get a new one and resume.
- A cursor that is older than what is kept is refused with 410 \`cursor-expired\`, one stream too many with 429 \`quota-exceeded\`.`,
    security,
    channel: { $ref: `#/channels/${topic}` },
    bindings: { http: { method: 'GET', query: { $ref: '#/components/schemas/StreamQuery' }, ...http } },
    messages: [{ $ref: `#/channels/${topic}/messages/ClaimStatusChanged` }],
  },
  deliverToWebhook: {
    action: 'send',
    title: 'Deliver to a webhook',
    summary: 'POST to the URL of a subscription.',
    description: `L-Plate posts each event to you, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. Answer with any 2xx within 15 seconds, once you have stored it. Any other answer, a redirect too, or none counts as a failure: the delivery is tried again up to ${pauses.length} times, after pauses that grow from ${(pauses[0] as number) / 1000} seconds to ${(pauses.at(-1) as number) / 3_600_000} hours. After a day it has failed.

- While a delivery is open, later events of the same claim wait; those of other claims don’t.
- You can ask for a delivery again, and for a test event. The claim of a test event has the number 000000, which no claim has.`,
    channel: { $ref: '#/channels/webhooks' },
    bindings: { http: { method: 'POST', ...http } },
    messages: [{ $ref: '#/channels/webhooks/messages/WebhookDelivery' }],
  },
};

/** Query parameters in Markdown, since few viewers show what stands in bindings. */
function list({ properties }: Query): string {
  const lines = Object.entries(properties).map(
    ([name, { description, default: value }]) => `- \`${name}\` (default \`${value}\`): ${description}`,
  );
  return lines.join('\n');
}
