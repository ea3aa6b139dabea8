import Type, { type Static } from 'typebox';
import { enumeration } from '../enumeration.ts';
import { announcementText } from './me-schemas.ts';
import { ExchangeSummary, Learner } from './schemas.ts';

export const AnnouncementDraft = Type.Object(
  { text: announcementText },
  { $id: 'AnnouncementDraft', description: 'What to announce.' },
);

export const ResetOfAll = Type.Object(
  { clients: Type.Integer({ description: 'How many demo clients there are.', examples: [12] }) },
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

const contents = ['learners', 'exchanges'] as const;

const content = enumeration('ExportContent', contents, 'What an export contains: clients, or their calls too.');

export const ExportQuery = Type.Object({
  content: Type.Optional(content('`learners` (the default), or `exchanges` for their calls too.', 'exchanges')),
});

export type ExportQuery = Static<typeof ExportQuery>;

export const Export = Type.Object(
  {
    learners: Type.Array(
      Type.Object(
        {
          ...Learner.properties,
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
    'After RFC 4180, with a header line. One line for each client; with `content=exchanges`, for each call. A text that a spreadsheet would take for a formula has an apostrophe before it.',
  examples: [
    '"clientId","nickname","firstSeenAt","lastSeenAt","calls","refusals","lastProblem"\r\n"demo-3f9a1c5e7b2d4f60a8c1","Team Blue","2026-03-02T10:15:30.000Z","2026-03-02T10:20:00.000Z",12,3,"duplicate-policy"\r\n',
  ],
});
