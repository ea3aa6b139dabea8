import Type, { type Static } from 'typebox';
import { longestDrill } from '../../drill-parameters.ts';
import { PageOf } from '../../http/requests/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { anyMembers, moment, whole } from '../shapes.ts';
import { drillNames } from './catalogue.ts';

const name = enumeration('DrillName', drillNames, 'The name of a drill. `GET /drills` explains them.');
const starter = enumeration('DrillStarter', ['client', 'trainer', 'capstone'], 'Who started a drill.');
const turn = enumeration('DrillTurn', ['hit', 'pass'], 'What a call or delivery meets in a sequence.');
const scope = enumeration('DrillScope', ['client', 'everybody'], 'Whose calls a drill hits.');

// Harmless to those who send every example.
const example = { name: 'duplicate-events', parameters: { times: 3 } } as const;

export const DrillKind = Type.Object(
  {
    name: name('Its name.', example.name),
    summary: Type.String({ description: 'What happens, in short.', examples: ['A burst of duplicates'] }),
    description: Type.String({
      description: 'What it does, and whether the calls that it hits have their effect.',
      examples: ['Each event comes several times in a row.'],
    }),
    parameters: anyMembers('The parameters that it takes, as a JSON Schema. None is required.', {
      type: 'object',
      properties: { times: { type: 'integer', minimum: 2, maximum: 10, default: 3 } },
    }),
  },
  { $id: 'DrillKind', description: 'A drill that can be started.' },
);

export const DrillKindList = PageOf(DrillKind, 'DrillKindList', 'In a fixed order.');

export const Drill = Type.Object(
  {
    name: name('Its name.', example.name),
    parameters: anyMembers('All its parameters, the defaults included.', example.parameters),
    appliesTo: scope('Whose calls it hits.', 'client'),
    startedBy: starter('Who started it.', 'client'),
    startedAt: moment('When it was started.'),
    endsAt: moment('When it ends by itself.', '2026-03-02T10:20:30.000Z'),
    secondsLeft: whole('Seconds until then.', 300),
    left: Type.Optional(
      Type.Array(turn('What a call or delivery meets.', 'hit'), {
        description:
          'What is left of its sequence, the next first. Of a drill of all clients each client has its own; the list of those of all has none.',
        examples: [['hit', 'pass']],
      }),
    ),
  },
  { $id: 'Drill', description: 'A drill that is on.' },
);

export const DrillList = PageOf(Drill, 'DrillList', 'Oldest first.');

const draft = (by: keyof typeof longestDrill, $id: string) =>
  Type.Object(
    {
      name: name('Which drill to start.', example.name),
      parameters: Type.Optional(
        anyMembers('Those of the drill that are not to have their default.', example.parameters),
      ),
      minutes: Type.Optional(
        Type.Number({
          minimum: 0.05,
          maximum: longestDrill[by],
          default: 5,
          description: `How long it lasts, 0.05 to ${longestDrill[by]} minutes. Default: 5.`,
          examples: [1],
        }),
      ),
    },
    { $id, description: 'A drill to start.' },
  );

export const DrillDraft = draft('client', 'DrillDraft');

export const TrainerDrillDraft = draft('trainer', 'TrainerDrillDraft');

export type DrillKind = Static<typeof DrillKind>;
export type DrillView = Static<typeof Drill>;
export type DrillDraft = Static<typeof DrillDraft>;

export const DrillNamed = Type.Object({
  name: Type.String({ description: 'The name of a drill.', examples: [example.name] }),
});
