import Type from 'typebox';
import { eventBatch, TopicQuery } from '../events/topic-schemas.ts';
import { emptyNote } from '../events/topic-texts.ts';
import { type Enumeration, enumerated } from '../text/enumeration.ts';
import { signature } from '../webhooks/index.ts';
import { type ClaimStatus, nextMove } from './claim.ts';
import type { ClaimStatusChanged } from './schemas.ts';
import { claimStatusChanged, statusChanged } from './status-changed.ts';

// The messages of the topic, for its AsyncAPI document: schemas and examples.

type Schema = Record<string, unknown>;
export type Query = Schema & { properties: Record<string, { description: string; default?: unknown }> };

/** So that the examples of deliveries can be verified by who reads them. */
const exampleSecret = `whsec_${Buffer.from('an example: never use it as key!').toString('base64')}`;

/** The life of one claim. The examples tell it, so that those of batch, stream and webhook fit together. */
const taken = change('6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11', 'REGISTERED', '2026-03-02T10:15:40.000Z');
const rejected = change('b3d9a0c4-52e7-4f18-8a6b-90c1d7e2f354', 'UNDER_REVIEW', '2026-03-02T10:15:50.000Z');
const closed = change('0e8f5d27-c1b6-4a93-b7d2-4c6a8e1f3b95', 'REJECTED', '2026-03-02T10:16:00.000Z');

const changes = [
  { name: 'takenUnderReview', summary: 'A change without a reason', event: taken },
  { name: 'rejected', summary: 'A rejection, with its reason', event: rejected },
  { name: 'closed', summary: 'The end of the claim, with its reason', event: closed },
] as const;

const eventPayload = { $ref: '#/components/schemas/ClaimStatusChanged' };

const streamHeaders = {
  type: 'object',
  properties: { 'Content-Type': { type: 'string', const: 'text/event-stream' } },
};

const streamed = {
  name: 'ClaimStatusChanged',
  title: 'A claim changed status',
  summary: 'One event: the data of a server-sent event.',
  description: `In the stream it looks like this. The last one is a duplicate, with its own cursor.

\`\`\`
retry: 3000
id: 1041-1
data: {"eventId":"${taken.eventId.slice(0, 8)}…

id: 1042-1
data: {"eventId":"${rejected.eventId.slice(0, 8)}…

id: 1042-2
data: {"eventId":"${rejected.eventId.slice(0, 8)}…
\`\`\``,
  contentType: 'application/json',
  bindings: { http: { headers: streamHeaders, bindingVersion: '0.3.0' } },
  payload: eventPayload,
  examples: changes.map(({ name, summary, event }) => ({ name, summary, payload: event })),
};

const batch = {
  name: 'EventBatch',
  title: 'A batch of events',
  summary: 'The events after a cursor, and the cursor to continue from.',
  contentType: 'application/json',
  payload: { $ref: '#/components/schemas/EventBatch' },
  examples: [
    {
      name: 'withDuplicate',
      summary: 'The rejection was delivered twice: ignore the second one',
      payload: { events: [taken, rejected, rejected, closed], next: '1043-1' },
    },
    {
      name: 'nothingNew',
      summary: 'No events after the cursor',
      payload: { events: [], next: '1043-1', note: emptyNote(claimStatusChanged, { seq: 1043, copy: 1 }) },
    },
  ],
};

const delivery = {
  name: 'WebhookDelivery',
  title: 'A claim changed status, posted to a webhook',
  summary: 'One event, signed.',
  description: `After \`v1,\` the signature is the Base64 of an HMAC-SHA256 over \`webhook-id\`, \`webhook-timestamp\` and the exact bytes of the body, joined by dots. The key is the part after \`whsec_\` of the subscription’s secret, decoded from Base64. Refuse a delivery if its signature does not match, or if its timestamp is off by minutes.

The examples are signed with \`${exampleSecret}\`, and their bodies are the payloads as JSON without white space.`,
  contentType: 'application/json',
  headers: { $ref: '#/components/schemas/WebhookHeaders' },
  payload: eventPayload,
  examples: changes.map(({ name, summary, event }) => ({ name, summary, headers: signed(event), payload: event })),
};

/** By the names under which the document refers to them. */
export const messages = { ClaimStatusChanged: streamed, EventBatch: batch, WebhookDelivery: delivery };

const webhookHeaders = {
  type: 'object',
  description: 'The headers of each delivery.',
  properties: {
    'webhook-id': {
      type: 'string',
      format: 'uuid',
      description: 'The `eventId`: the same on each attempt and on a duplicate.',
      examples: [taken.eventId],
    },
    'webhook-timestamp': {
      type: 'integer',
      description: 'When this attempt was made, in seconds since 1970. The signature covers it.',
      examples: [signed(taken)['webhook-timestamp']],
    },
    'webhook-signature': {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$',
      description:
        'A version and the signature. While a secret is replaced there are two, with a space between them: one that fits is enough. It is different for each attempt, because the timestamp is.',
      examples: [signed(taken)['webhook-signature']],
    },
    'webhook-attempt': {
      type: 'integer',
      minimum: 1,
      description:
        'Counts the calls for this event, from 1. It also counts the second copy of a duplicate, and redeliveries that you requested.',
      examples: [1],
    },
    traceparent: {
      type: 'string',
      pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      description:
        'The trace of the call that caused the delivery, with a parent id of this attempt (W3C Trace Context). Absent if that call had none.',
      examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    },
    tracestate: {
      type: 'string',
      maxLength: 512,
      description:
        'The `tracestate` that the call had beside its `traceparent`, as it was but for members past 512 characters. Absent if it had none.',
      examples: ['congo=t61rcWkgMzE'],
    },
  },
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt'],
};

function signed(event: ClaimStatusChanged) {
  const timestamp = Date.parse(event.occurredAt) / 1000 + 1;
  return {
    'webhook-id': event.eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature(exampleSecret, event.eventId, timestamp, JSON.stringify(event)),
    'webhook-attempt': 1,
  };
}

/** The next change of a claim that stands at `status`, as the claims desk would make it. */
function change(eventId: string, status: ClaimStatus, dueAt: string): ClaimStatusChanged {
  const claimId = 'CLM-2026-000042';
  const move = nextMove({ claimId, status, outcome: 'REJECTED', paceSeconds: 10, dueAt });
  return statusChanged(eventId, claimId, 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', move);
}

/** The schemas and enumerations that others refer to, gathered when these are copied. */
const gathered: Record<string, Schema> = {};

/** A copy of a schema, whose parts that have a name, which generators give to a class, are references. */
function plain(schema: object): Schema {
  const refer = (member: string, value: unknown) => {
    if (member === '$id') return undefined;
    const { $id, [enumerated]: list } = (value ?? {}) as { $id?: string; [enumerated]?: Enumeration };
    if (list) {
      gathered[list.name] = { ...list.schema };
      const { type: _type, enum: _values, ...own } = value as Schema;
      return { $ref: `#/components/schemas/${list.name}`, ...own };
    }
    if ($id === undefined || value === schema) return value;
    gathered[$id] ??= plain(value as object);
    return { $ref: `#/components/schemas/${$id}` };
  };
  return JSON.parse(JSON.stringify(schema, refer));
}

const EventBatch = plain(eventBatch(claimStatusChanged));

// What the TypeBox schemas of the payload leave to words: that times are in UTC, and which changes have a reason.
const { ClaimStatusChanged: event, ClaimStatusChange: changed } = gathered as Record<string, Query>;
Object.assign(event?.properties.occurredAt ?? {}, { pattern: 'Z$' });
Object.assign(changed ?? {}, {
  if: { properties: { newStatus: { enum: ['REJECTED', 'CLOSED'] } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { statusReason: { type: 'string', minLength: 1 } } },
  else: { properties: { statusReason: { type: 'null' } } },
});

export const schemas = {
  EventBatch,
  TopicQuery: plain(TopicQuery) as Query,
  StreamQuery: plain(Type.Pick(TopicQuery, ['after'])) as Query,
  WebhookHeaders: webhookHeaders,
  ...gathered,
};
