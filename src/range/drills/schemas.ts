import Type, { type Static } from 'typebox';
import { longestDrill } from '../../drill-parameters.ts';
import { PageOf } from '../../http/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { drillNames } from './catalogue.ts';
import { starters } from './drills.ts';

const name = enumeration('DrillName', drillNames, 'The name of a drill. `GET /drills` explains them.');
const starter = enumeration('DrillStarter', starters, 'Who started a drill.');
const scope = enumeration('DrillScope', ['client', 'everybody'], 'Whose calls a drill hits.');

const anything = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description,
    additionalProperties: {},
    examples: [example],
  });

const moment = (description: string, example: string) =>
  Type.String({ format: 'date-time', description, examples: [example] });

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
    parameters: anything('The parameters that it takes, as a JSON Schema. None is required.', {
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
    parameters: anything('All its parameters, the defaults included.', example.parameters),
    appliesTo: scope('Whose calls it hits.', 'client'),
    startedBy: starter('Who started it.', 'client'),
    startedAt: moment('When it was started.', '2026-03-02T10:15:30.000Z'),
    endsAt: moment('When it ends by itself.', '2026-03-02T10:20:30.000Z'),
    secondsLeft: Type.Integer({ description: 'Seconds until then.', examples: [300] }),
  },
  { $id: 'Drill', description: 'A drill that is on.' },
);

export const DrillList = PageOf(Drill, 'DrillList', 'Oldest first.');

const draft = (by: keyof typeof longestDrill, $id: string) =>
  Type.Object(
    {
      name: name('Which drill to start.', example.name),
      parameters: Type.Optional(anything('Those of the drill that are not to have their default.', example.parameters)),
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

export type DrillDraft = Static<typeof DrillDraft>;

export const DrillNamed = Type.Object({
  name: Type.String({ description: 'The name of a drill.', examples: [example.name] }),
});
