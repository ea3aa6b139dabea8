import type { EndpointText } from '../../http/endpoint.ts';
import { Fleet } from './me-schemas.ts';

const ofClient = [{ oauth2: [] }, { bearer: [] }];

/** What a client has made or removed for itself. */
export const meTexts = {
  createFleet: {
    schema: {
      operationId: 'createFleet',
      tags: ['Me'],
      summary: 'Get 75 policies to practise with',
      description:
        'For vehicles that nobody has insured, with various holders, terms and starts. A few have expired, some are cancelled. There are all or none, and each call makes 75 more, up to the cap on policies.',
      security: ofClient,
      response: { 201: Fleet },
    },
    success: 'The policies. `Location` is the list of all that you own.',
    headers: { Location: '/insurer/v1/policies' },
    guesses: ['fleet', 'seed', 'policies'],
    instead: { GET: 'To list your policies: GET /insurer/v1/policies. To get 75 more: POST.' },
  },
  resetMe: {
    schema: {
      operationId: 'resetMe',
      tags: ['Me'],
      summary: 'Remove all that you own',
      description:
        'Your policies, claims and subscriptions, the answers kept for an `Idempotency-Key`, your log and what it counts. Your events can’t be read any more; streams stay open, and cursors go on. Your credentials, tokens and nickname stay. What you create while it runs may be removed too.',
      security: ofClient,
      response: { 204: {} },
    },
    success: 'All is gone.',
    guesses: ['reset'],
    instead: { DELETE: 'To remove all that you own: POST /me/reset.' },
  },
} satisfies Record<string, EndpointText>;
