import Type from 'typebox';
import { type UsedSecret, usedSecrets } from '../../clients/client.ts';
import { streamEnds } from '../../http/exchanges.ts';
import { PageOf } from '../../http/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { traceIdPattern } from '../../text/trace-context.ts';
import { kinds } from './call.ts';
import { encodings, ends } from './exchange.ts';
import { harOf } from './har.ts';

const example = {
  id: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  at: '2026-03-02T10:15:30.000Z',
  subscription: 'sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  event: '0b6f4c1e-5a7d-4c55-9d0e-2b7a1f5f9c12',
};

const moment = (description: string) => Type.String({ format: 'date-time', description, examples: [example.at] });

const orNull = (description: string, value: string | null) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [value] });

const end = enumeration(
  'ExchangeEnd',
  ends,
  'How an exchange ended. `cut`: the connection was lost or closed before the end of the answer. `open`: a stream that is not over.',
);

export const kind = enumeration(
  'ExchangeKind',
  kinds,
  'What an exchange is. `stream`: a call that was answered with a stream of events. `delivery`: an attempt of L-Plate to deliver an event to a webhook of yours, so a call that went the other way.',
);

const encoding = enumeration('BodyEncoding', encodings, 'How a text stands for bytes.');

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
  status: Type.Integer({
    description: 'The status of the answer; 499 if the call was cut before it, 0 if a webhook did not answer.',
    examples: [404],
  }),
  durationMs: Type.Number({ description: 'Milliseconds from the call to the end of the answer.', examples: [3.2] }),
  end: end('How it ended.', 'answered'),
  problem: orNull('The identifier of the problem, or the SOAP fault, that was answered.', 'policy-not-found'),
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
  secretUsed: Type.Optional(
    Type.Unsafe<UsedSecret>({
      type: 'string',
      enum: [...usedSecrets],
      description:
        'Of a request for a token, once you have had a new secret: whether it used that or the one before. Absent for everything else.',
      examples: ['before'],
    }),
  ),
  drills: Type.Array(Type.String(), { description: 'The drills that hit the call, by name.', examples: [[]] }),
  remarks: Type.Array(Type.String(), {
    description: 'What is worth knowing about the call, in sentences.',
    examples: [['Ignored, since nothing here has these names: query/sort.']],
  }),
  stream: Type.Optional(
    Type.Object(
      {
        events: Type.Integer({ description: 'How many events were sent.', examples: [3] }),
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
        error: orNull('Why there was no answer; null if there was one.', null),
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
    bytes: Type.Integer({ description: 'How long the whole body was.', examples: [23] }),
    complete: Type.Boolean({ description: 'Whether `text` is all of it.', examples: [true] }),
  },
  {
    $id: 'ExchangeBody',
    description:
      'A body. Absent if there was none, if it was not read, and for a stream that goes on, or began when 1,000 others were open.',
  },
);

const anything = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description, additionalProperties: {}, examples: [example] });

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
          header: anything('The decoded header.', { alg: 'ES256', typ: 'at+jwt' }),
          claims: anything('The decoded claims.', { sub: 'demo-3f9a1c5e7b2d4f60a8c1', scope: 'policies:read' }),
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

const har = harOf(
  {
    id: example.id,
    kind: 'call',
    startedAt: example.at,
    method: 'GET',
    url: '/insurer/v1/coverage-options',
    route: '/insurer/v1/coverage-options',
    status: 200,
    durationMs: 3.2,
    end: 'answered',
    problem: null,
    drills: [],
    remarks: [],
    tokens: [],
    request: { httpVersion: '1.1', headers: [{ name: 'Accept', value: '*/*' }], body: undefined },
    response: { headers: [{ name: 'X-Request-Id', value: example.id }], body: undefined },
  },
  'http://localhost:8080',
);

export const Har = Type.Object(
  { log: anything('The log, with an entry for each exchange.', har.log) },
  { $id: 'HttpArchive', description: 'An HTTP Archive 1.2.' },
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
