import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';
import { moment, momentOrNull, wholeOrNull } from '../shapes.ts';
import { outcomes } from './examinations.ts';

const outcome = enumeration(
  'StageOutcome',
  outcomes,
  '`skipped`: the service lacks what the stage needs, such as a clock that can be moved.',
);

const stage = Type.String({ description: 'The name of the stage.', examples: ['coverage-options'] });

/** The last seed that `--seed` takes. */
const lastSeed = 2 ** 31 - 1;

export const StageName = Type.Object({ stage });

const report = {
  outcome: outcome('What came of it.', 'passed'),
  at: moment('When that was, by the clock of the machine that examined.'),
  seed: Type.Integer({
    minimum: 0,
    maximum: lastSeed,
    description: 'What `--seed` makes the same calls by.',
    examples: [7],
  }),
};

export const StageReport = Type.Object(report, { $id: 'StageReport', description: 'What came of a stage.' });

const goal = Type.String({
  description: 'What the service does after it.',
  examples: ['You list the coverage options, for everybody.'],
});

const lessons = Type.Array(Type.String(), {
  description: 'The ids of lessons that show the other side.',
  examples: [['coverage-options']],
});

/** As an export has it. */
export const ReportedStage = Type.Object(
  { stage, ...report },
  { $id: 'ReportedStage', description: 'What the machine of a client reported of a stage.' },
);

export const ExaminedStage = Type.Object(
  {
    ...{ stage, goal, lessons },
    outcome: Type.Union([outcome('What came of it last.', 'passed'), Type.Null()], {
      description: 'What came of it last; null if nothing was reported.',
      examples: ['passed'],
    }),
    at: momentOrNull('When that was, by the clock of the machine that examined; null if nothing was reported.'),
    seed: wholeOrNull('What `--seed` makes the same calls by; null if nothing was reported.', 7),
  },
  { $id: 'ExaminedStage', description: 'A stage of an insurer of one’s own, and what came of it.' },
);

export const ExaminedStageList = Type.Object(
  { items: Type.Array(ExaminedStage, { description: 'In the order in which a service is built.' }) },
  { $id: 'ExaminedStageList' },
);

export type ExaminedStageView = Static<typeof ExaminedStage>;
