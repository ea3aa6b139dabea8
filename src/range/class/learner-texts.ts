import type { EndpointText } from '../../http/endpoint.ts';
import { Help, Note } from '../exchanges/learner-schemas.ts';
import { type LearnerEndpoints, LearnerId } from '../learner-endpoints.ts';
import { ofClient, ofTrainer } from '../texts.ts';
import {
  Fleet,
  FleetOrder,
  HelpDraft,
  LearnerProfile,
  LearnerUpdate,
  LearnerUpdateByTrainer,
  Me,
  NewSecret,
  NoteDraft,
  Transfer,
  TransferDraft,
  TransferredClient,
} from './learner-schemas.ts';

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
        description: either(
          'The trainer sees it beside your client_id, and can lock it.',
          'As `PATCH /me` by the client itself. You can also lock the nickname, so that only you can change it.',
        ),
        body: either(LearnerUpdate, LearnerUpdateByTrainer),
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
          'To remove all that a client owns: POST. To remove the client itself: DELETE /trainer/learners/{clientId}.',
        ),
      },
    },
    remove: {
      schema: {
        ...schema,
        operationId: either('removeMe', 'removeLearner'),
        tags,
        summary: `Remove ${either('yourself', 'a client')}`,
        description: `Removes ${either('your client', 'the client')} with all that is its own: credentials, nickname, policies, claims, subscriptions, clock, lessons and calls. Nothing brings it back.`,
        response: { 204: {} },
      },
      success: 'The client is gone, and its token is refused.',
    },
    endHelp: {
      schema: {
        ...schema,
        operationId: either('endHelp', 'endLearnersHelp'),
        tags,
        summary: either('Say that you need no more help', 'Mark that a client was helped'),
        description: 'Succeeds also if it did not ask for help.',
        response: { 204: {} },
      },
      success: 'Nobody is waiting for help.',
    },
    openTransfer: {
      schema: {
        ...schema,
        operationId: either('openTransfer', 'openLearnersTransfer'),
        tags,
        summary: `Get a code to go on in another browser${either('', ' for a client')}`,
        description: `Whoever sends the code to \`POST /transfers\` gets the credentials of ${either('your client', 'the client')}, with a new secret; the one before ends. It holds once, for ${either('15 minutes', 'a day')}. A new code takes the place of the one before. There is no \`Location\`: the code is shown only here.`,
        response: { 201: Transfer },
      },
      success: 'The code.',
      links: {
        useTransfer: {
          operationId: 'useTransfer',
          description: 'The client can be taken over with it.',
          parameters: {},
          requestBody: { code: '$response.body#/code' },
        },
      },
      guesses: either(['me/transfers'], []),
    },
  } satisfies Record<string, EndpointText>;
}

const itsCredentials = { client_id: '$response.body#/client_id', client_secret: '$response.body#/client_secret' };

/** What only the client itself can do. */
export const ownTexts = {
  askForHelp: {
    schema: {
      operationId: 'askForHelp',
      tags: ['Me'],
      summary: 'Ask the trainer for help',
      description:
        'The trainer sees at once who asked, for what, and since when. A new message takes the place of the one before.',
      security: ofClient,
      body: HelpDraft,
      response: { 200: Help },
    },
    success: 'What you need help with.',
    guesses: ['help'],
  },
  renewSecret: {
    schema: {
      operationId: 'renewSecret',
      tags: ['Me'],
      summary: 'Get a new secret',
      description:
        'The secret before holds beside it for 24 hours of your clock, so that each of your programs can take the new one without a token request that fails. Only two hold: one that was before these ends at once. A transfer code ends both. Tokens stay valid. Ten times an hour at the most. There is no `Location`: the secret is shown only here.',
      security: ofClient,
      response: { 201: NewSecret },
    },
    success: 'The new secret.',
    guesses: ['me/secrets', 'me/rotate', 'secret', 'me/client-secret'],
    instead: { GET: 'A secret can’t be read, since only its hash is kept. To get a new one: POST.' },
  },
  useTransfer: {
    schema: {
      operationId: 'useTransfer',
      tags: ['Me'],
      summary: 'Go on with a client in another browser',
      description:
        'No token is needed: the code, from `POST /me/transfer` or from the trainer, says which client it is. After ten wrong codes in a minute an address is refused for a while.',
      body: TransferDraft,
      response: { 200: TransferredClient },
    },
    success: 'The credentials of the client, with a new secret. The one before has ended; tokens stay valid.',
    links: {
      revokeToken: {
        operationRef: '/insurer/v1/openapi.yaml#/paths/~1auth~1revoke/post',
        description: 'With them tokens of people are revoked, in the interface of the insurer.',
        requestBody: itsCredentials,
      },
      introspectToken: {
        operationRef: '/insurer/v1/openapi.yaml#/paths/~1auth~1introspect/post',
        description: 'With them tokens are looked at, in the interface of the insurer.',
        requestBody: itsCredentials,
      },
    },
    guesses: ['transfer'],
  },
} satisfies Record<string, EndpointText>;

/** What only the trainer can do with one client. */
export const noteTexts = {
  putNote: {
    schema: {
      operationId: 'putNote',
      tags: ['Trainer'],
      summary: 'Say something to one client',
      description:
        '`note` of `GET /me` tells it the client, and its console shows it. It takes the place of the one before.',
      security: ofTrainer,
      params: LearnerId,
      body: NoteDraft,
      response: { 200: Note },
    },
    success: 'The note.',
  },
  deleteNote: {
    schema: {
      operationId: 'deleteNote',
      tags: ['Trainer'],
      summary: 'Take back what you said to one client',
      description: 'Succeeds also if there is no note.',
      security: ofTrainer,
      params: LearnerId,
      response: { 204: {} },
    },
    success: 'There is no note.',
  },
} satisfies Record<string, EndpointText>;

export const fleetText = {
  schema: {
    operationId: 'createFleet',
    tags: ['Me'],
    summary: 'Get policies to practise with',
    description:
      'Without a body: 75, for vehicles that nobody has insured, with various holders, terms and starts. A few have expired, some are cancelled. With `policies`: those that you draft, as POST /insurer/v1/policies takes them, also with a status and a start in the past. No claims and no events come of them. There are all or none, and each call makes more, up to the cap on policies.',
    security: ofClient,
    body: FleetOrder,
    response: { 201: Fleet },
  },
  success: 'The policies. `Location` is the list of all that you own.',
  headers: { Location: '/insurer/v1/policies' },
  guesses: ['fleet', 'seed', 'policies'],
  instead: { GET: 'To list your policies: GET /insurer/v1/policies. To get 75 more: POST.' },
} satisfies EndpointText;
