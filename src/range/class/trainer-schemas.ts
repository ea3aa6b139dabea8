import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';
import { ReportedStage } from '../examinations/schemas.ts';
import { ExchangeSummary } from '../exchanges/schemas.ts';
import { boardLesson } from '../lessons/schemas.ts';
import { whole } from '../shapes.ts';
import { announcementText, Learner, Transfer, TreatedLearner } from './learner-schemas.ts';

export const AnnouncementDraft = Type.Object(
  {
    text: announcementText,
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        description: 'After how many minutes it ends by itself. Without it, it stays until you delete it.',
        examples: [10],
      }),
    ),
  },
  { $id: 'AnnouncementDraft', description: 'What to announce.' },
);

export const ResetOfAll = Type.Object(
  { clients: whole('How many demo clients there are.', 12) },
  { $id: 'ResetOfAll', description: 'What a reset of all came to.' },
);

const resets = ['clients', 'everything'] as const;

const resetScope = enumeration('ResetScope', resets, 'What a reset of all is about.');

export const ResetQuery = Type.Object({
  what: Type.Optional(
    resetScope(
      '`clients` (the default): what they own. `everything`: the service is as after its start, without demo clients; only with `--data-dir memory`.',
      'clients',
    ),
  ),
});

export const SharedSecrets = Type.Object(
  {
    hmacSecret: Type.String({ description: 'Signs the body of the signed check.', examples: ['(the HMAC_SECRET)'] }),
    clients: Type.Array(
      Type.Object(
        {
          clientId: Type.String({ description: 'Identifies the client.', examples: ['preset-fleet'] }),
          clientSecret: Type.String({ description: 'Its secret.', examples: ['(its secret)'] }),
        },
        { $id: 'PresetCredentials', description: 'The credentials of a preconfigured client.' },
      ),
      { description: 'The preconfigured clients.' },
    ),
  },
  { $id: 'SharedSecrets', description: 'What a trainer hands out to learners.' },
);

export const RemovalOfLearners = Type.Object(
  { clients: whole('How many clients were removed.', 12) },
  { $id: 'RemovalOfLearners', description: 'What the end of a class came to.' },
);

export const TransferList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          clientId: TreatedLearner.properties.clientId,
          shownName: TreatedLearner.properties.shownName,
          ...Transfer.properties,
        },
        { $id: 'LearnersTransfer', description: 'The code of a learner.' },
      ),
      { description: 'A code for each of them.' },
    ),
    left: Type.Integer({
      description:
        'How many learners have none, since there are too many of them or the database had no time for them.',
      examples: [0],
    }),
  },
  { $id: 'TransferList', description: 'Codes by which learners go on in another browser.' },
);

const content = enumeration(
  'ExportContent',
  ['learners', 'lessons', 'exchanges'],
  'What an export contains: clients; with the lessons that they solved and what they reported of their own insurers; or with their calls.',
);

export const ExportQuery = Type.Object({
  content: Type.Optional(
    content(
      '`learners` (the default), `lessons` for what they solved too, or `exchanges` for their calls too.',
      'lessons',
    ),
  ),
});

export const Export = Type.Object(
  {
    learners: Type.Array(
      Type.Object(
        {
          ...Learner.properties,
          solved: Type.Optional(whole('How many lessons it solved, if asked for.', 12)),
          of: Type.Optional(whole('How many there are, if asked for.', 61)),
          hintsTaken: Type.Optional(whole('How many hints it took in all, if asked for.', 3)),
          lessons: Type.Optional(
            Type.Array(boardLesson, {
              description: 'The lessons that it started or solved, in the order of the path, if asked for.',
            }),
          ),
          stagesPassed: Type.Optional(
            whole('How many stages its own insurer passed, as its machine reported, if asked for.', 5),
          ),
          examinations: Type.Optional(
            Type.Array(ReportedStage, { description: 'What its machine reported of its own insurer, if asked for.' }),
          ),
          exchanges: Type.Optional(
            Type.Array(ExchangeSummary, { description: 'The calls of the client, oldest first, if asked for.' }),
          ),
        },
        { $id: 'ExportedLearner', description: 'A client, and what its calls came to.' },
      ),
      { description: 'The clients, by their ids.' },
    ),
  },
  { $id: 'Export', description: 'The clients that called.' },
);

export const Csv = Type.String({
  description:
    'After RFC 4180, with a header line. One line for each client; with `content=lessons`, also how many stages its own insurer passed, and a column for each lesson, with the time when it was solved; with `content=exchanges`, one line for each call. A text that a spreadsheet would take for a formula has an apostrophe before it.',
  examples: [
    '"clientId","nickname","firstSeenAt","lastSeenAt","calls","refusals","lastProblem","callsWithoutToken","refusalsWithoutToken","activeSince","resetAt","refusalsInARow","lastRefusal"\r\n"demo-3f9a1c5e7b2d4f60a8c1","Team Blue","2026-03-02T10:15:30.000Z","2026-03-02T10:20:00.000Z",12,3,"duplicate-policy",2,1,"2026-03-02T10:15:30.000Z",,2,"This vehicle already has a policy in force."\r\n',
  ],
});

export type SharedSecrets = Static<typeof SharedSecrets>;
export type TransferList = Static<typeof TransferList>;
export type ExportedLearner = Static<typeof Export>['learners'][number];
export type ExportQuery = Static<typeof ExportQuery>;
export type ExportContent = NonNullable<ExportQuery['content']>;
