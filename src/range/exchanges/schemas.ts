import Type, { type Static } from 'typebox';
import type { DrillName } from '../../active-drills.ts';
import { type UsedSecret, usedSecrets } from '../../clients/client.ts';
import { streamEnds } from '../../http/exchanges.ts';
import { PageOf } from '../../http/requests/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { traceIdPattern } from '../../text/trace-context.ts';
import { anyMembers, moment, textOrNull, whole } from '../shapes.ts';

const example = {
  id: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  subscription: 'sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  event: '0b6f4c1e-5a7d-4c55-9d0e-2b7a1f5f9c12',
};

const end = enumeration(
  'ExchangeEnd',
  ['answered', 'cut', 'open'],
  'How an exchange ended. `cut`: the connection was lost or closed before the end of the answer. `open`: a stream that is not over.',
);

export const kind = enumeration(
  'ExchangeKind',
  ['call', 'stream', 'delivery'],
  'What an exchange is. `stream`: a call that was answered with a stream of events. `delivery`: an attempt of L-Plate to deliver an event to a webhook of yours, so a call that went the other way.',
);

const noteCode = enumeration(
  'ExchangeNoteCode',
  [
    'drill',
    'magic-plate',
    'lesson',
    'unanswered',
    'no-such-path',
    'ignored-names',
    'malformed-trace',
    'token-expires',
    'secret-before',
    'retry-too-early',
    'pages-skipped',
    'repeated-create',
    'cursor-again',
    'event-again',
    'not-called',
    'no-answer',
    'slow-answer',
    'redirect',
    'not-taken',
    'forgery-refused',
    'forgery-taken',
    'forgery-asked-again',
  ] as const,
  'What a remark on an exchange is about. `drill`: a drill hit it. `magic-plate`: its registration number did. `lesson`: it nearly solved a lesson. `no-such-path`: nothing is at its path, but another is near. More may be added.',
);

const Note = Type.Object(
  {
    code: noteCode('What it is about.', 'ignored-names'),
    text: Type.String({
      description: 'The remark.',
      examples: ['Ignored, since nothing here has these names: query/sort.'],
    }),
    header: Type.Optional(
      Type.String({
        description: 'The header that it is about, of the request or the answer. Absent if it is about none.',
        examples: ['L-Plate-Ignored'],
      }),
    ),
    names: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Of `ignored-names` the names, as `L-Plate-Ignored` has them: `query/` or `body/`, and the name, percent-encoded.',
        examples: [['query/sort']],
      }),
    ),
    drill: Type.Optional(
      Type.Unsafe<DrillName>({ type: 'string', description: 'Of `drill` its name.', examples: ['delay'] }),
    ),
    lesson: Type.Optional(Type.String({ description: 'Of `lesson` its id.', examples: ['list-filter'] })),
  },
  { $id: 'ExchangeNote', description: 'A remark, and what it is about.' },
);

const encoding = enumeration('BodyEncoding', ['utf-8', 'base64'], 'How a text stands for bytes.');

const summary = {
  id: Type.String({ format: 'uuid', description: 'The `X-Request-Id` of the answer.', examples: [example.id] }),
  kind: kind('What it is.', 'call'),
  startedAt: moment('When the call came, or was made.'),
  method: Type.String({ description: 'The method.', examples: ['GET'] }),
  url: Type.String({
    description: 'The URL from the root of the server, as it was sent; of a delivery, that of the webhook.',
    examples: ['/insurer/v1/policies?page=2'],
  }),
  route: Type.String({
    description: 'The pattern of the route that answered; `(none)` if there is none, `(webhook)` for a delivery.',
    examples: ['/insurer/v1/policies'],
  }),
  status: whole('The status of the answer; 499 if the call was cut before it, 0 if a webhook did not answer.', 404),
  durationMs: Type.Number({ description: 'Milliseconds from the call to the end of the answer.', examples: [3.2] }),
  end: end('How it ended.', 'answered'),
  problem: textOrNull('The identifier of the problem, or the SOAP fault, that was answered.', 'policy-not-found'),
  fromConsole: Type.Optional(
    Type.Boolean({
      description:
        'Whether the console made the call: it has the header `L-Plate-Console`, and counts for no lesson. Absent for everything else.',
      examples: [true],
    }),
  ),
  byHand: Type.Optional(
    Type.Boolean({
      description:
        'Whether you wrote the call by hand in the console: it counts as your own. Absent for everything else.',
      // What the console made is not by hand.
      examples: [false],
    }),
  ),
  fromElsewhere: Type.Optional(
    Type.Boolean({
      description:
        'Whether anybody may have made the call: it only named the client, without a token or secret of it, and came from an address where the client has used neither. It counts for no lesson. Absent for everything else.',
      // Who writes by hand has a token.
      examples: [false],
    }),
  ),
  secretUsed: Type.Optional(
    Type.Unsafe<UsedSecret>({
      type: 'string',
      enum: [...usedSecrets],
      description:
        'Of a request for a token, once you have had a new secret: whether it used that or the one before. Absent for everything else.',
      examples: ['before'],
    }),
  ),
  revoked: Type.Optional(
    Type.Boolean({
      description:
        'Of a call to revoke a token: whether a consent ended with it. Absent where the text was no token that you got, and for everything else.',
      examples: [true],
    }),
  ),
  drills: Type.Array(Type.Unsafe<DrillName>({ type: 'string' }), {
    description: 'The drills that hit the call, by name; of a magic plate the one with its outcome.',
    examples: [[]],
  }),
  remarks: Type.Array(Type.String(), {
    description: 'What is worth knowing about the call, in sentences.',
    examples: [['Ignored, since nothing here has these names: query/sort.']],
  }),
  notes: Type.Optional(
    Type.Array(Note, {
      description:
        'The remarks once more, each with what it is about, for programs. Absent without a remark, and for calls of before there were notes.',
    }),
  ),
  stream: Type.Optional(
    Type.Object(
      {
        events: whole('How many events were sent.', 3),
        end: Type.Unsafe<(typeof streamEnds)[number] | null>({
          type: ['string', 'null'],
          enum: [...streamEnds, null],
          description:
            'Why it ended; null while it goes on. `caller-gone`: the caller closed the connection, or lost it. `not-read`: its token had expired, and the caller did not read to the end. `cursor-expired`: the caller was so slow that it missed events which are not kept any more. `stopped`: the service was stopped. `unavailable`: its database was away. `drill`: the drill `cut-streams` cut it. `no-place`: there were too many streams, and its place was for somebody with fewer.',
          examples: ['token-expired'],
        }),
      },
      { description: 'What a stream came to. Absent for everything else.' },
    ),
  ),
  delivery: Type.Optional(
    Type.Object(
      {
        subscriptionId: Type.String({ description: 'The subscription.', examples: [example.subscription] }),
        eventId: Type.String({ description: 'The event; also in the header `webhook-id`.', examples: [example.event] }),
        attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt.', examples: [1] }),
        error: textOrNull('Why there was no answer; null if there was one.', null),
        via: Type.Optional(
          Type.Unsafe<'relay' | 'inbox'>({
            type: 'string',
            enum: ['relay', 'inbox'],
            description: 'How the call went out; absent where this service called the URL itself.',
            examples: ['inbox'],
          }),
        ),
      },
      { description: 'What was delivered. Absent for everything else.' },
    ),
  ),
  traceId: Type.Optional(
    Type.String({
      pattern: traceIdPattern,
      description:
        'The trace that its `traceparent` (W3C Trace Context) names. Absent without one, and where it is malformed.',
      examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
    }),
  ),
};

export const ExchangeSummary = Type.Object(summary, {
  $id: 'ExchangeSummary',
  description: 'A call and what it was answered, in short.',
});

export const ExchangeList = PageOf(ExchangeSummary, 'ExchangeList', 'Newest first.');

const Header = Type.Object(
  {
    name: Type.String({ description: 'Its name.', examples: ['Accept'] }),
    value: Type.String({ description: 'Its value, redacted.', examples: ['*/*'] }),
  },
  { $id: 'ExchangeHeader', description: 'A header.' },
);

const Headers = Type.Array(Header, { description: 'The headers, in their order.' });

const Body = Type.Object(
  {
    text: Type.String({
      description:
        'The first 16 KiB, redacted; in base64 if the body is text that is not UTF-8. Of what is no text only kind and length: `(gzip, 234 bytes, not kept)`.',
      examples: ['{"regNumber":"AB-1234"}'],
    }),
    encoding: encoding('How the text stands for the bytes.', 'utf-8'),
    bytes: whole('How long the whole body was.', 23),
    complete: Type.Boolean({ description: 'Whether `text` is all of it.', examples: [true] }),
    omitted: Type.Optional(
      Type.Boolean({
        description: 'Whether `text` has only kind and length of it. Absent for everything else.',
        examples: [false],
      }),
    ),
  },
  {
    $id: 'ExchangeBody',
    description:
      'A body. Absent if there was none, if it was not read, and for a stream that goes on, or began when 1,000 others were open.',
  },
);

export const Exchange = Type.Object(
  {
    ...summary,
    request: Type.Object(
      {
        httpVersion: Type.String({ description: 'The version of HTTP.', examples: ['1.1'] }),
        headers: Headers,
        body: Type.Optional(Body),
      },
      { description: 'What was sent.' },
    ),
    response: Type.Object({ headers: Headers, body: Type.Optional(Body) }, { description: 'What was answered.' }),
    tokens: Type.Array(
      Type.Object(
        {
          header: anyMembers('The decoded header.', { alg: 'ES256', typ: 'at+jwt' }),
          claims: anyMembers('The decoded claims.', { sub: 'demo-3f9a1c5e7b2d4f60a8c1', scope: 'policies:read' }),
        },
        { description: 'A token.' },
      ),
      { description: 'The tokens that the exchange has, without their signatures. `(token 1)` stands for the first.' },
    ),
    aheadSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'By how much the clock of the client was ahead when the call came, if it was: whether a token had expired is judged by that clock.',
        examples: [3660],
      }),
    ),
  },
  { $id: 'Exchange', description: 'A call and what it was answered. Secrets, tokens and signatures are replaced.' },
);

export const CurlCommand = Type.String({
  description: 'A command for a shell.',
  examples: ["curl -i -g --path-as-is 'http://localhost:8080/insurer/v1/coverage-options'\n"],
});

/** The log of a client as server-sent events. */
export const ExchangeStream = Type.String({
  description: 'Server-sent events: the `data` of each is the summary of an exchange as JSON.',
  examples: [`id: 17\ndata: ${JSON.stringify({ id: example.id, kind: 'call', method: 'GET', status: 404 })}\n\n`],
});

export type Summary = Static<typeof ExchangeSummary>;
export type Exchange = Static<typeof Exchange>;
export type Kind = Summary['kind'];
export type Delivery = NonNullable<Summary['delivery']>;
export type Note = Static<typeof Note>;
export type Header = Static<typeof Header>;
export type Body = Static<typeof Body>;
