import { retentionDays } from '../events/retention.ts';
import { tokenFlow } from '../insurer/index.ts';
import { hour, second } from '../time/units.ts';
import { responseSeconds, retryIntervals } from '../webhooks/index.ts';
import { messages, type Query, schemas } from './asyncapi-messages.ts';
import { claimStatusChanged } from './status-changed.ts';

const topic = claimStatusChanged.name;

/**
 * The AsyncAPI 3.0 document of the topic: its events as they are read over HTTP and as they come to webhooks. Seen from
 * L-Plate, all of its operations send.
 */
export function asyncApiDocument(publicUrl: string): object {
  const { host, protocol } = new URL(publicUrl);
  const { tokenUrl, scopes: availableScopes } = tokenFlow(publicUrl, ['claims:read']);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'L-Plate claims topic',
      version: '1.0.0',
      description: overview(publicUrl),
      tags: [{ name: 'claims', description: 'Claims on policies, and how their status changes.' }],
      contact: { name: 'L-Plate', url: publicUrl },
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
        description: 'Your webhook receiver: the `url` of your subscription, `http` or `https`.',
        variables: {
          host: { description: 'The host of your URL, with the port if needed.', examples: ['portal.example'] },
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
          description: 'Client credentials. Exchange them for a token and send it as `Authorization: Bearer`.',
          flows: { clientCredentials: { tokenUrl, availableScopes } },
          scopes: ['claims:read'],
        },
      },
    },
  };
}

const overview = (
  publicUrl: string,
) => `Whenever a claim changes status, the claims system of this synthetic insurer publishes an event to the topic \`${topic}\`. Read the topic instead of polling each claim. Every insurer, vehicle, person and policy is fictional.

The topic contains the events of the claims on your own policies. Registering a claim is not a status change: its first event comes when it goes under review.

## Three ways to read

- **In batches:** request the events after your cursor. If there are none yet, the server waits for up to 30 seconds (a long poll).
- **As a stream:** the same address with \`Accept: text/event-stream\` sends each event as it happens (server-sent events).
- **By webhook:** subscribe with a URL of yours at \`POST /subscriptions\` of the [claims interface](${publicUrl}/docs?api=claims-v1), and each event is posted to it, with a signature.

\`\`\`sh
TOPIC=${publicUrl}/claims/v1/topics/${topic}
curl "$TOPIC?after=earliest&wait=30" \\
  -H "Authorization: Bearer $TOKEN"
curl -N "$TOPIC" -H 'Accept: text/event-stream' \\
  -H "Authorization: Bearer $TOKEN"
\`\`\`

## What you can rely on

1. **At least once.** An event can come more than once, and always with the same \`eventId\`: process each \`eventId\` only once. So that you can practise this, some events are delivered twice in a row on purpose: about one in ten, unless a setting of this service says otherwise.
2. **In order per claim.** The events of one \`claimId\` arrive in the order of its changes. Events of different claims can be mixed.
3. **Kept for ${retentionDays} days.** An older cursor returns 410 [\`cursor-expired\`](${publicUrl}/problems/cursor-expired). Then read the claims list (\`GET /claims\` of the claims interface) to catch up, and continue from \`latest\`. Request that cursor before you read the list, so that you miss nothing in between.
4. **No personal data.** An event names a claim and a policy, never a person.

## Your cursor

You keep your own position in the topic: store the cursor together with the result of processing the events, and send it to continue from there. A cursor is a text such as \`1042-1\`; don’t interpret it. \`earliest\` starts at the oldest event that is kept, \`latest\` after the newest.

## Versions

\`eventVersion\` is the version of the payload's schema. Members may be added to it: ignore those you don't know.`;

const security = [{ $ref: '#/components/securitySchemes/oauth2' }];

const topicChannel = {
  address: `/topics/${topic}`,
  title: `The topic ${topic}`,
  summary: 'Read over HTTP, at your own pace.',
  description:
    'One address, two ways to read it: a JSON batch, or server-sent events if you send `Accept: text/event-stream`. Reading does not remove events: any number of readers, each with its own cursor, can read the same events.',
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
    'The address is the `url` of your subscription. It gets the events that are published after you subscribed. To subscribe, to unsubscribe and to see the result of each delivery, call `/subscriptions` of the claims interface.',
  servers: [{ $ref: '#/servers/subscriber' }],
  messages: { WebhookDelivery: { $ref: '#/components/messages/WebhookDelivery' } },
};

const address = `\`GET /claims/v1/topics/${topic}\``;
const http = { bindingVersion: '0.3.0' };

const operations = {
  readBatch: {
    action: 'send',
    title: 'Read a batch',
    summary: 'GET returns the events after a cursor.',
    description: `${address} returns a batch. If there are events after the cursor, the response comes at once, with up to \`limit\` of them. If there are none, the server waits up to \`wait\` seconds for one. A batch without events is a normal response; its \`note\` says why there are none. Send its \`next\` as \`after\` in the next request.

${list(schemas.TopicQuery)}

A value that is not allowed returns 400 \`validation-error\`. A cursor older than the events that are kept returns 410 \`cursor-expired\`.`,
    security,
    channel: { $ref: `#/channels/${topic}` },
    bindings: { http: { method: 'GET', query: { $ref: '#/components/schemas/TopicQuery' }, ...http } },
    messages: [{ $ref: `#/channels/${topic}/messages/EventBatch` }],
  },
  streamEvents: {
    action: 'send',
    title: 'Stream events',
    summary: 'GET with Accept: text/event-stream returns server-sent events and stays open.',
    description: `${address} with the header \`Accept: text/event-stream\` returns each event as one server-sent event: \`id\` is its cursor, \`data\` the payload on one line. First come the events after your cursor, then new events as they happen.

${list(schemas.StreamQuery)}

- After an interruption send the last \`id\` as the header \`Last-Event-ID\`, as an \`EventSource\` does by itself. It overrides \`after\`.
- \`retry: 3000\` asks clients to wait three seconds before they connect again.
- If there are no events to begin with, a comment says why.
- When there are no events, a heartbeat shows that the stream is alive: a comment, or, when your cursor has moved, an \`id\` without \`data\`. An \`EventSource\` handles both without an event for you; in other clients, ignore an event without data.
- A stream can end at any time, and ends when its token expires: get a new token and resume.
- A cursor older than the events that are kept returns 410 \`cursor-expired\`. Too many open streams return 429 \`quota-exceeded\`.`,
    security,
    channel: { $ref: `#/channels/${topic}` },
    bindings: { http: { method: 'GET', query: { $ref: '#/components/schemas/StreamQuery' }, ...http } },
    messages: [{ $ref: `#/channels/${topic}/messages/ClaimStatusChanged` }],
  },
  deliverToWebhook: {
    action: 'send',
    title: 'Deliver to a webhook',
    summary: 'POST to the URL of a subscription.',
    description: `L-Plate posts each event to you, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. Store it, then answer with any 2xx within ${responseSeconds} seconds. Any other response (also a redirect), or none, counts as a failure: the delivery is retried up to ${retryIntervals.length} times, after intervals that grow from ${(retryIntervals[0] as number) / second} seconds to ${(retryIntervals.at(-1) as number) / hour} hours. After a day the delivery has failed. After 429, 502, 504, or 503 with Retry-After, no call is made to the URL for as long as Retry-After asks: at least 5 seconds, at most an hour. If you answer 410, the subscription is disabled at once.

- While a delivery is open, later events of the same claim wait; those of other claims don’t.
- You can request a redelivery, and a test event. The claim of a test event has the number 000000, which no claim has.`,
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
