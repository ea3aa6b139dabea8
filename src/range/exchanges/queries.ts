import Type, { type Static } from 'typebox';
import { PageQuery } from '../../http/requests/paging.ts';
import { traceIdPattern } from '../../text/trace-context.ts';
import { kind } from './schemas.ts';

/** Which exchanges of a log are asked for. */
export const ExchangeFilterQuery = Type.Object({
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](?:\\d\\d|xx)$',
      description: 'Only exchanges with this status, such as 404, or of this class, such as 4xx.',
      examples: ['2xx'],
    }),
  ),
  kind: Type.Optional(kind('Only exchanges of this kind.', 'call')),
  problem: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[\\w:-]+$',
      description: 'Only exchanges that were answered with this problem: its identifier.',
      examples: ['policy-not-found'],
    }),
  ),
  traceId: Type.Optional(
    Type.String({
      pattern: traceIdPattern,
      description: 'Only exchanges of this trace: 32 hexadecimal digits, the second part of `traceparent`.',
      examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
    }),
  ),
  path: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^/[^\\x00]*$',
      description: 'Only exchanges whose path begins with this text, which begins with a slash.',
      examples: ['/insurer/v1/'],
    }),
  ),
});

/** What people call the filters. */
export const exchangeFilterNames = {
  ...{ traceparent: 'traceId', trace: 'traceId', correlationid: 'traceId', state: 'status', statuscode: 'status' },
  ...{ httpstatus: 'status', code: 'status', problemtype: 'problem', error: 'problem', url: 'path', uri: 'path' },
  ...{ type: 'kind', prefix: 'path', route: 'path' },
};

export const ExchangeQuery = Type.Object({
  ...Type.Partial(PageQuery).properties,
  ...ExchangeFilterQuery.properties,
});

export type ExchangeFilterQuery = Static<typeof ExchangeFilterQuery>;
export type ExchangeQuery = Static<typeof ExchangeQuery>;

export const LastExchange = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      pattern: '^\\d{0,15}$',
      description: 'Of a stream: the `id` of the last exchange that you received. It begins with those kept since.',
      examples: ['17'],
    }),
  ),
});

export const ExchangeId = Type.Object({
  exchangeId: Type.String({
    description: 'The id of an exchange: the `X-Request-Id` of its answer, or the `instance` of its problem.',
  }),
});
