import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../http/problems/problem-entry.ts';
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
  'nickname-locked': {
    status: 409,
    title: 'The nickname is locked',
    meaning: 'The trainer has locked your nickname, so only the trainer can change it.',
    cause: 'You tried to change it with `PATCH /me`.',
    remedy: 'Ask your trainer.',
    example: `${setVariable('TRAINER_TOKEN')}
CLIENT_ID=$(curl -s "$BASE/me" ${bearer} | sed 's/.*"clientId":"\\([^"]*\\)".*/\\1/')
curl -s -o /dev/null -X PATCH "$BASE/trainer/learners/$CLIENT_ID" ${trainerBearer} ${json} -d '{"nicknameLocked":true}'
curl -i -X PATCH "$BASE/me" ${bearer} ${json} -d '{"nickname":"Team Blue"}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
