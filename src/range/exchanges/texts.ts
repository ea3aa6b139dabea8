import type { EndpointText } from '../../http/endpoint.ts';
import { LearnerId } from '../learner-endpoints.ts';
import { nextPage, ofClient, ofTrainer, onePage } from '../texts.ts';
import { Har } from './har.ts';
import { ExchangeFilterQuery, ExchangeId, ExchangeQuery, exchangeFilterNames, LastExchange } from './queries.ts';
import { CurlCommand, Exchange, ExchangeList, ExchangeStream } from './schemas.ts';

const listed =
  'The last 300 are kept, for a day: calls of the insurer, the claims system and the vehicle registry, their descriptions included, but no pages and what these fetch.';

const toOne = (operationId: string) => ({
  [operationId]: {
    operationId,
    description: 'The exchange can be read whole.',
    parameters: { exchangeId: '$response.body#/items/0/id' },
  },
});

const toFormats = {
  readExchangeAsHar: {
    operationId: 'readExchangeAsHar',
    description: 'The same in the HTTP Archive format.',
    parameters: { exchangeId: '$response.body#/id' },
  },
  readExchangeAsCurl: {
    operationId: 'readExchangeAsCurl',
    description: 'Its request as a command.',
    parameters: { exchangeId: '$response.body#/id' },
  },
};

/** The shapes and texts of the log. */
export const texts = {
  listExchanges: {
    schema: {
      operationId: 'listExchanges',
      tags: ['Exchanges'],
      summary: 'List your calls and their answers',
      description: `Newest first. ${listed} Attempts to deliver events to your webhooks are among them. With \`Accept: text/event-stream\` it is a stream (server-sent events): it sends each exchange that is kept from then on, within a second of its end, and one that is a stream itself also when it begins. \`page\` and \`pageSize\` do not matter then.`,
      security: ofClient,
      querystring: ExchangeQuery,
      headers: LastExchange,
      response: {
        200: {
          content: { 'application/json': { schema: ExchangeList }, 'text/event-stream': { schema: ExchangeStream } },
        },
      },
    },
    otherNames: exchangeFilterNames,
    success: 'One page, or a stream. A page after the last one has no items.',
    optionalHeaders: ['Link', 'X-Accel-Buffering'],
    links: toOne('readExchange'),
    guesses: ['exchanges', 'log', 'history', 'calls'],
  },
  listExchangesAsHar: {
    schema: {
      operationId: 'listExchangesAsHar',
      tags: ['Exchanges'],
      summary: 'Read your calls and their answers as HAR',
      description:
        'The HTTP Archive format 1.2, for tools that read it. All that fit the filters, up to the 300 that are kept, oldest first. The member `_id` of an entry is the `X-Request-Id` of the answer.',
      security: ofClient,
      querystring: ExchangeFilterQuery,
      response: { 200: Har },
    },
    otherNames: exchangeFilterNames,
    success: 'An archive with an entry for each exchange.',
    headers: { 'Content-Disposition': 'attachment; filename="exchanges.har"' },
    guesses: ['me/har', 'har'],
  },
  readExchange: {
    schema: {
      operationId: 'readExchange',
      tags: ['Exchanges'],
      summary: 'Read a call and its answer',
      description: 'Its id is the header `X-Request-Id` of the answer, and the end of `instance` of a problem.',
      security: ofClient,
      params: ExchangeId,
      response: { 200: Exchange },
    },
    success: 'The exchange.',
    links: toFormats,
  },
  readExchangeAsHar: {
    schema: {
      operationId: 'readExchangeAsHar',
      tags: ['Exchanges'],
      summary: 'Read a call and its answer as HAR',
      description: 'The HTTP Archive format 1.2, for tools that read it.',
      security: ofClient,
      params: ExchangeId,
      response: { 200: Har },
    },
    success: 'An archive with one entry.',
  },
  readExchangeAsCurl: {
    schema: {
      operationId: 'readExchangeAsCurl',
      tags: ['Exchanges'],
      summary: 'Read a call as a curl command',
      description:
        'For a POSIX shell. Set `TOKEN`, `CLIENT_SECRET` or `SIGNATURE` before you run it, where it names them: they are not in the log. What was hidden elsewhere has a variable of its own, such as `HIDDEN_COOKIE`. A call is made to this service, whatever host it named.',
      security: ofClient,
      params: ExchangeId,
      response: { 200: { content: { 'text/plain; charset=utf-8': { schema: CurlCommand } } } },
    },
    success: 'The command.',
  },
} satisfies Record<string, EndpointText>;

/** The shapes and texts of the logs, for the trainer. */
export const trainerTexts = {
  listLearnerExchanges: {
    schema: {
      operationId: 'listLearnerExchanges',
      tags: ['Trainer'],
      summary: 'List the calls of a client',
      description: `Newest first. ${listed} A client that is not there has none.`,
      security: ofTrainer,
      params: LearnerId,
      querystring: ExchangeQuery,
      response: { 200: ExchangeList },
    },
    otherNames: exchangeFilterNames,
    success: onePage,
    headers: nextPage('/trainer/learners/demo-3f9a1c5e7b2d4f60a8c1/exchanges'),
    links: toOne('readAnyExchange'),
  },
  listTrainerCalls: {
    schema: {
      operationId: 'listTrainerCalls',
      tags: ['Trainer'],
      summary: 'List the trainer’s own calls',
      description: 'Newest first: calls with the token of the trainer. The last 300 are kept, for a day.',
      security: ofTrainer,
      querystring: ExchangeQuery,
      response: { 200: ExchangeList },
    },
    otherNames: exchangeFilterNames,
    success: onePage,
    headers: nextPage('/trainer/calls'),
    guesses: ['trainer/log', 'trainer/me/exchanges'],
  },
  listUnclaimedExchanges: {
    schema: {
      operationId: 'listUnclaimedExchanges',
      tags: ['Trainer'],
      summary: 'List the calls of nobody',
      description: `Newest first: calls that could be of any client, or of none. ${listed}`,
      security: ofTrainer,
      querystring: ExchangeQuery,
      response: { 200: ExchangeList },
    },
    otherNames: exchangeFilterNames,
    success: onePage,
    headers: nextPage('/trainer/exchanges'),
  },
  readAnyExchange: {
    schema: {
      operationId: 'readAnyExchange',
      tags: ['Trainer'],
      summary: 'Read a call of anybody',
      description: 'By the header `X-Request-Id` of the answer.',
      security: ofTrainer,
      params: ExchangeId,
      response: { 200: Exchange },
    },
    success: 'The exchange.',
  },
} satisfies Record<string, EndpointText>;
