import Type, { type Static } from 'typebox';
import type { EndpointText } from '../../http/endpoint.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { moment, whole } from '../shapes.ts';
import { ofTrainer } from '../texts.ts';

/** The note in each answer about a clock. */
export const noWayBack =
  'A clock only moves ahead, and nothing takes it back. A new client lives in the present: POST /insurer/v1/demo-clients.';

export const ClientClock = Type.Object(
  {
    now: moment('What time it is for the client.'),
    present: moment('What time it is for everybody else.'),
    aheadSeconds: whole('Seconds between the two.', 60),
    note: Type.String({ description: 'That there is no way back.', examples: [noWayBack] }),
  },
  { $id: 'ClientClock', description: 'The clock of a client.' },
);

const ClockMove = Type.Object(
  {
    advance: Type.String({
      minLength: 1,
      maxLength: 60,
      description:
        'How far to move the clock: an ISO 8601 duration in whole numbers, from a second to two years. All moves together can come to ten years.',
      // Not an hour: whoever sends it again needs no new token.
      examples: ['PT1M'],
    }),
  },
  { $id: 'ClockMove', description: 'A move of a clock.' },
);

export const MovedClocks = Type.Object(
  {
    moved: whole('How many clocks were moved.', 12),
    notMoved: whole('How many would have been ahead by more than ten years.', 0),
    note: Type.String({ description: 'That there is no way back.', examples: [noWayBack] }),
  },
  { $id: 'MovedClocks', description: 'The clocks of all clients, after a move.' },
);

export type ClientClock = Static<typeof ClientClock>;
export type MovedClocks = Static<typeof MovedClocks>;

const effect =
  'What is due in the time that is skipped happens at once: tokens expire, policies lapse, claims change, each at the time that it was due, events are kept no longer, webhooks are called again. The last use of the client, rate limits and the log stay in real time.';

/** The clock of a client, for itself and for the trainer. */
export function clockTexts({ schema, either }: LearnerEndpoints) {
  const tags = either(['Clock'], ['Trainer']);
  return {
    readClock: {
      schema: {
        ...schema,
        operationId: either('readClock', 'readLearnerClock'),
        tags,
        summary: either('Read your clock', 'Read the clock of a client'),
        description: `It is the real one until ${either('you move it', 'it is moved')}.`,
        response: { 200: ClientClock },
      },
      success: either('Your clock.', 'Its clock.'),
      guesses: either(['clock', 'time', 'now'], []),
    },
    advanceClock: {
      schema: {
        ...schema,
        operationId: either('advanceClock', 'advanceLearnerClock'),
        tags,
        summary: either('Move your clock ahead', 'Move the clock of a client ahead'),
        description: `${either('From then on you live so much later, and nobody else does.', 'As its client could.')} There is no way back. ${effect}`,
        body: ClockMove,
        response: { 200: ClientClock },
      },
      success: either('Your clock, moved.', 'Its clock, moved.'),
      instead: either({ PUT: toMove, PATCH: toMove }, {}),
    },
  } satisfies Record<string, EndpointText>;
}

const toMove = 'To move your clock ahead: POST /me/clock.';

export const allClocksText = {
  schema: {
    operationId: 'advanceAllClocks',
    tags: ['Trainer'],
    summary: 'Move the clocks of all clients ahead',
    description:
      'Those of all demo clients that there are, some at a time; each as its client could. One that is created later lives in the present. If the call is cut, some are moved and others are not: see the clock of each.',
    security: ofTrainer,
    body: ClockMove,
    response: { 200: MovedClocks },
  },
  success: 'How many were moved.',
} satisfies EndpointText;
