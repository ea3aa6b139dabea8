import type { EndpointText } from '../../http/endpoint.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { ofClient } from '../texts.ts';
import { Fleet, LearnerProfile, LearnerUpdate, Me } from './learner-schemas.ts';

/** The shapes and texts of a client's profile, for itself and for the trainer. */
export function learnerTexts({ schema, either }: LearnerEndpoints) {
  const tags = either(['Me'], ['Trainer']);
  const profile = either(Me, LearnerProfile);
  const toRename = 'To set your nickname: PATCH /me.';
  return {
    read: {
      schema: {
        ...schema,
        operationId: either('readMe', 'readLearner'),
        tags,
        summary: `Read what is known of ${either('you', 'a client')}`,
        description: either(
          'Your calls, what you own, and what the trainer announces. You are the client of the token, which can have any scope.',
          'What its calls came to, and what it owns.',
        ),
        response: { 200: profile },
      },
      success: either('You.', 'The client.'),
      guesses: either(['learner', 'whoami'], []),
    },
    update: {
      schema: {
        ...schema,
        operationId: either('updateMe', 'updateLearner'),
        tags,
        summary: either('Set your nickname', 'Set the nickname of a client'),
        description: either('The trainer sees it beside your client_id.', 'As `PATCH /me` by the client itself.'),
        body: LearnerUpdate,
        response: { 200: profile },
      },
      success: `${either('You', 'The client')}, with the nickname.`,
      instead: either({ PUT: toRename, POST: toRename }, {}),
    },
    reset: {
      schema: {
        ...schema,
        operationId: either('resetMe', 'resetLearner'),
        tags,
        summary: `Remove all that ${either('you own', 'a client owns')}`,
        description: either(
          'Your policies, claims and subscriptions, the answers kept for an `Idempotency-Key`, your log and what it counts. Your events can’t be read any more; streams stay open, and cursors go on. Your credentials, tokens and nickname stay. What you create while it runs may be removed too.',
          'As `POST /me/reset` for the client: its credentials, tokens and nickname stay.',
        ),
        response: { 204: {} },
      },
      success: 'All is gone.',
      guesses: either(['reset'], []),
      instead: {
        DELETE: either(
          'To remove all that you own: POST /me/reset.',
          'To remove all that a client owns: POST. The client itself goes a day after its last use.',
        ),
      },
    },
  } satisfies Record<string, EndpointText>;
}

export const fleetText = {
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
} satisfies EndpointText;
