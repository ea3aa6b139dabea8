import type { ProblemEntry } from '../../http/problem-entry.ts';
import { setVariable, trainerBearer } from '../refusals.ts';

export const classProblems = {
  'announcement-not-found': {
    status: 404,
    title: 'There is no announcement',
    meaning: 'The trainer announces nothing at the moment.',
    cause: 'None was made since the last one was deleted.',
    remedy: 'Make one with `PUT /trainer/announcement`. `GET /me` shows `null` where there is none.',
    example: `${setVariable('TRAINER_TOKEN')}
curl -s -X DELETE "$BASE/trainer/announcement" ${trainerBearer}
curl -i "$BASE/trainer/announcement" ${trainerBearer}`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
