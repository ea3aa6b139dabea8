import Type, { type Static } from 'typebox';
import { PageOf } from '../../http/requests/paging.ts';
import { FleetDraft, fleetPolicyStatus } from '../../insurer/index.ts';
import { enumeration } from '../../text/enumeration.ts';
import { Help, LastCall, Note } from '../exchanges/learner-schemas.ts';
import { UnattributedCalls } from '../exchanges/unattributed.ts';
import { workSign } from '../lessons/schemas.ts';
import { moment, momentOrNull, textOrNull, whole } from '../shapes.ts';

const learner = {
  clientId: Type.String({ description: 'Identifies the client.', examples: ['demo-3f9a1c5e7b2d4f60a8c1'] }),
  nickname: textOrNull('The name that the client gave itself, if any.', 'Team Blue'),
  firstSeenAt: moment('When its first recorded call came.'),
  lastSeenAt: moment('When its last recorded call came.'),
  calls: whole('How many calls with its token or its secret were recorded since then.', 12),
  refusals: whole('How many of them had a status of 400 or more.', 3),
  callsWithoutToken: whole(
    'How many calls without a token of the client were taken for its own besides, as by `/for/{client_id}`: anybody can make them.',
    2,
  ),
  refusalsWithoutToken: whole('How many of these had a status of 400 or more.', 1),
  lastProblem: textOrNull('The identifier of the last problem, if there was one.', 'duplicate-policy'),
  activeSince: moment('Since when it has called without a break of five minutes or more.'),
  resetAt: textOrNull('When what it owns was removed last; null if it never was.', null),
  refusalsInARow: whole(
    'How many of its latest calls were refused with the same problem, one after the other. What the console calls, and tokens that it got in between, do not count.',
    2,
  ),
  lastRefusal: textOrNull(
    'What the last of them said; null if the latest call was not refused.',
    'This vehicle already has a policy in force.',
  ),
};

export const Learner = Type.Object(learner, { $id: 'Learner', description: 'A client, and what its calls came to.' });

export const HelpDraft = Type.Object(
  { message: Help.properties.message },
  { $id: 'HelpDraft', description: 'What you need help with.' },
);

export const NoteDraft = Type.Object(
  { text: Note.properties.text },
  { $id: 'NoteDraft', description: 'What to say to the client.' },
);

export const Transfer = Type.Object(
  {
    code: Type.String({
      description: 'The code: ten characters, and a dash in the middle.',
      examples: ['7K3QX-9M0RT'],
    }),
    expiresAt: moment('Until when it holds. It can be used once.'),
  },
  { $id: 'Transfer', description: 'A code by which a client goes on in another browser.' },
);

export const TransferDraft = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'The code. Small letters, blanks and a missing dash do no harm.',
      examples: ['7K3QX-9M0RT'],
    }),
  },
  { $id: 'TransferDraft', description: 'The code of a client.' },
);

export const TransferredClient = Type.Object(
  {
    client_id: Type.String({ description: 'Identifies the client.', examples: ['demo-3f9a1c5e7b2d4f60a8c1'] }),
    client_secret: Type.String({
      description: 'Its new secret. The one before has ended.',
      examples: ['(its secret)'],
    }),
  },
  { $id: 'TransferredClient', description: 'The credentials of the client.' },
);

export const NewSecret = Type.Object(
  {
    client_secret: Type.String({
      description: 'Its new secret. Shown only in this response.',
      examples: ['(its new secret)'],
    }),
    previousValidUntil: moment('Until when the secret before holds as well, by the clock of the client.'),
  },
  { $id: 'NewSecret', description: 'A new secret of the client, beside the one before.' },
);

/** How a client is treated, besides what its calls came to. */
const treatment = {
  clock: Type.Object(
    {
      now: moment('What time it is for the client.', '2026-03-02T11:16:30.000Z'),
      aheadSeconds: whole('By how much that is ahead.', 3660),
    },
    { $id: 'LearnerClock', description: 'The clock of the client.' },
  ),
  drills: Type.Array(
    Type.Object(
      {
        name: Type.String({ description: 'The name of the drill.', examples: ['delay'] }),
        secondsLeft: Type.Integer({ minimum: 1, description: 'Until it ends by itself.', examples: [540] }),
      },
      { $id: 'LearnerDrill', description: 'A drill that is on.' },
    ),
    { description: 'The drills that are on for the client, also those of all clients.', examples: [[]] },
  ),
};

/** What it called last, and what that was for. */
const lately = {
  lastCall: Type.Union([LastCall, Type.Null()], {
    description:
      'The last call that the client made itself: not by the console, and not to create the client. Null if there is none since it joined or was reset.',
    examples: [
      {
        at: '2026-03-02T10:20:00.000Z',
        method: 'POST',
        path: '/insurer/v1/policies',
        status: 409,
        problem: 'duplicate-policy',
      },
    ],
  }),
  worksOn: Type.Union(
    [
      Type.Object(
        {
          id: Type.String({ description: 'Its id.', examples: ['duplicate-policy'] }),
          title: Type.String({ description: 'Its title.', examples: ['Insured twice'] }),
          sign: workSign('What shows it.', 'near-miss'),
          at: momentOrNull('When that was; null for the next one.', '2026-03-02T10:20:00.000Z'),
        },
        { $id: 'WorksOn', description: 'The lesson that a client works on.' },
      ),
      Type.Null(),
    ],
    {
      description:
        'The lesson that the last calls and near misses aimed at, else the next one of the path after what was solved last. Null when all are solved, and for a preconfigured client.',
      examples: [{ id: 'duplicate-policy', title: 'Insured twice', sign: 'near-miss', at: '2026-03-02T10:20:00.000Z' }],
    },
  ),
};

const warningKind = enumeration(
  'WarningKind',
  ['removal', 'clock', 'two-clients', 'same-nickname', 'unattributed'],
  '`removal`: it made no call for long and is about to be removed. `clock`: the clock where it is used is wrong, by two minutes or more. `two-clients`: another client was used from the same address in the last 15 minutes, which may be of the same learner: not where both have nicknames that differ. `same-nickname`: another client has its nickname. `unattributed`: calls from its address in the last 15 minutes count for nobody.',
);

const warnings = {
  warnings: Type.Array(
    Type.Object(
      {
        kind: warningKind('What it is about.', 'two-clients'),
        detail: Type.String({
          description: 'What is wrong, and what to do.',
          examples: [
            'demo-5b2f0c1a8d774f0e9a55 is used from your address, too. If both are yours, go on with one of them: what one calls does not count for the other.',
          ],
        }),
      },
      { $id: 'Warning', description: 'What makes it hard to get on, and looks like nothing in the calls themselves.' },
    ),
    {
      description:
        'What makes it hard to get on, and looks like nothing in the calls themselves. An address with more than three clients tells nothing of each.',
      examples: [[]],
    },
  ),
};

/** What learner and trainer say to each other. */
const messages = {
  shownName: Type.String({
    description:
      'The nickname, with a number where a client that came before has the same: `Team Blue (2)`. The id where there is none.',
    examples: ['Team Blue'],
  }),
  nicknameLocked: Type.Boolean({ description: 'Whether only the trainer can change the nickname.', examples: [false] }),
  help: Type.Union([Help, Type.Null()], {
    description: 'What the client needs help with; null if it did not ask.',
    examples: [{ message: 'My signature is always wrong.', at: '2026-03-02T10:15:30.000Z' }],
  }),
  note: Type.Union([Note, Type.Null()], {
    description: 'What the trainer says to this client alone; null if nothing.',
    examples: [{ text: 'Look at the header Location.', at: '2026-03-02T10:15:30.000Z' }],
  }),
};

const kept = {
  keptUntil: momentOrNull(
    'When the client is removed with all that is its own, if it makes no call until then; null for a preconfigured client, and where `KEEP_CLIENTS_DAYS` is `off`.',
    '2026-03-03T10:20:00.000Z',
  ),
};

export const TreatedLearner = Type.Object(
  { ...learner, ...kept, ...lately, ...warnings, ...messages, ...treatment },
  { $id: 'TreatedLearner', description: 'A client, what its calls came to, its clock and its drills.' },
);

export const LearnerList = PageOf(TreatedLearner, 'LearnerList', 'Those that called last come first.');

export const LearnerUpdate = Type.Object(
  {
    nickname: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 40,
      pattern: '^[^\\x00-\\x20\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f])?$',
      description:
        'A name by which the trainer knows you: 1 to 40 characters without white space at its ends, or null for none. Characters that nobody sees are left out, but in emoji. It ends in no number in brackets, and is like no id of a client.',
      examples: ['Team Blue'],
    }),
  },
  { $id: 'LearnerUpdate', description: 'What can be changed.' },
);

export const LearnerUpdateByTrainer = Type.Object(
  {
    nickname: Type.Optional(LearnerUpdate.properties.nickname),
    nicknameLocked: Type.Optional(
      Type.Boolean({ description: 'Whether only you can change the nickname from now on.', examples: [true] }),
    ),
  },
  { $id: 'LearnerUpdateByTrainer', description: 'What a trainer can change. What is left out stays.' },
);

const owned = Type.Object(
  {
    policies: whole('Policies, also cancelled and expired ones.', 76),
    claims: whole('Claims.', 2),
    subscriptions: whole('Subscriptions of webhooks.', 1),
  },
  { $id: 'Owned', description: 'How many of each the client owns.' },
);

export const LearnerProfile = Type.Object(
  { ...TreatedLearner.properties, owns: owned },
  { $id: 'LearnerProfile', description: 'A client, what its calls came to, its clock and drills, and what it owns.' },
);

export const announcementText = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: '^[^\\x00-\\x08\\x0b-\\x1f\\x7f]*$',
  description: '1 to 1000 characters. Line feeds and tabs are allowed, other control characters are not.',
  examples: ['Lunch is at 12:30.'],
});

export const Announcement = Type.Object(
  {
    text: Type.String({ description: 'Plain text. It may contain line feeds.', examples: ['Lunch is at 12:30.'] }),
    publishedAt: moment('When the trainer sent it.'),
    endsAt: Type.Optional(
      moment('When it ends by itself. Absent if it stays until the trainer removes it.', '2026-03-02T10:25:30.000Z'),
    ),
  },
  { $id: 'Announcement', description: 'What the trainer has to say to everybody.' },
);

export const Me = Type.Object(
  {
    ...LearnerProfile.properties,
    unattributed: UnattributedCalls,
    announcement: Type.Union([Announcement, Type.Null()], {
      description: 'What the trainer announces; null if there is nothing.',
      examples: [{ text: 'Lunch is at 12:30.', publishedAt: '2026-03-02T10:15:30.000Z' }],
    }),
  },
  { $id: 'Me', description: 'You: your calls, clock and drills, what you own, and what the trainer announces.' },
);

/** Policies that one call can make of drafts. */
const mostDrafts = 100;

export const FleetOrder = Type.Object(
  {
    policies: Type.Optional(
      Type.Array(FleetDraft, {
        minItems: 1,
        maxItems: mostDrafts,
        description: `The policies that you want, 1 to ${mostDrafts}, in place of those that are made up.`,
      }),
    ),
  },
  { $id: 'FleetOrder', description: 'Which policies to make. Without a body 75 are made up.' },
);

export const Fleet = Type.Object(
  {
    policies: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Its id.', examples: ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'] }),
          regNumber: Type.String({ description: 'The registration number of its vehicle.', examples: ['KD-4711'] }),
          status: fleetPolicyStatus('What it is today.', 'active'),
        },
        { $id: 'FleetPolicy', description: 'A policy that was made.' },
      ),
      { description: 'The policies: the 75 oldest first, or those that you sent, in their order.' },
    ),
  },
  { $id: 'Fleet', description: 'Policies to practise with. `GET /insurer/v1/policies` shows them whole.' },
);

export type TreatedLearner = Static<typeof TreatedLearner>;
export type LearnerProfile = Static<typeof LearnerProfile>;
export type Me = Static<typeof Me>;
export type Announcement = Static<typeof Announcement>;
export type Transfer = Static<typeof Transfer>;
export type NewSecret = Static<typeof NewSecret>;
export type Fleet = Static<typeof Fleet>;
