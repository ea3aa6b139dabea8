import type { EndpointText } from '../../http/endpoint.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { ofClient } from '../texts.ts';
import { ExaminedStage, ExaminedStageList, StageName, StageReport } from './schemas.ts';

const tags = ['Examinations'];

/** The shapes and texts of the list, for a client itself and for the trainer. */
export function listTexts({ schema, either }: LearnerEndpoints) {
  return {
    schema: {
      ...schema,
      operationId: either('listMyExaminations', 'listLearnersExaminations'),
      tags: either(tags, ['Trainer']),
      summary: either('List the stages of your own insurer', 'List the stages of a client’s own insurer'),
      description: `${either(
        'All stages of `l-plate examine`, with what was reported of your insurer last.',
        'As `GET /me/examinations` by the client itself.',
      )} It is what the machine of the learner says: nobody has checked it, and the certificate does not have it.`,
      response: { 200: ExaminedStageList },
    },
    success: 'The stages.',
    guesses: either(['examinations', 'me/stages', 'stages'], []),
  } satisfies EndpointText;
}

export const reportText = {
  schema: {
    operationId: 'reportStage',
    tags,
    security: ofClient,
    summary: 'Report what came of a stage',
    description:
      'As `l-plate examine` does with `--to`. It takes the place of what was reported of the stage before. A reset of your client keeps it.',
    params: StageName,
    body: StageReport,
    response: { 200: ExaminedStage },
  },
  success: 'The stage.',
  instead: { POST: 'To report what came of a stage: PUT.', GET: 'To list all stages: GET /me/examinations.' },
} satisfies EndpointText;
