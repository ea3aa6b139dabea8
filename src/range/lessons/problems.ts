import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const lessonProblems = {
  'lesson-not-found': {
    status: 404,
    title: 'No such lesson',
    meaning: 'There is no lesson with this id.',
    cause: 'The id is wrong, or the trainer has not chosen this lesson for the class.',
    remedy: 'Take the id from `GET /lessons`.',
    example: 'curl -i "$BASE/lessons/none"',
    base: '/range/v1',
  },
  'lesson-not-solved': {
    status: 409,
    title: 'You have not solved the lesson',
    meaning:
      'The solution of a lesson is shown to those who have solved it, and only a solved lesson is taken again a month later.',
    cause:
      'The lesson is open or started, or no lesson is solved. Who takes a solved lesson again has not solved it any more.',
    remedy: 'Solve the lesson. Its `steps`, its hints and `lastMiss` say what is missing.',
    example: `curl -i "$BASE/me/lessons/webhook-repeats/solution" ${bearer}`,
    base: '/range/v1',
  },
  'lesson-solved': {
    status: 409,
    title: 'You have solved the lesson',
    meaning: 'A lesson that is solved can’t be opened.',
    cause: 'The lesson was solved before, perhaps by what you called for another one.',
    remedy: 'Open another lesson, or take this one again: `DELETE /me/lessons/{lessonId}` opens it, too.',
    example: `curl -i -X PUT "$BASE/me/open-lesson" ${bearer} ${json} \\
  -d '{"lessonId":"credentials"}'`,
    base: '/range/v1',
  },
  'no-question': {
    status: 409,
    title: 'The lesson asks for no answer',
    meaning: 'The lesson is solved by calls alone.',
    cause: 'An answer was sent to a lesson whose `question` is null.',
    remedy: 'Do what the `goal` of the lesson says. L-Plate sees it in your calls.',
    example: `curl -i "$BASE/me/answers" ${bearer} ${json} \\
  -d '{"lesson":"credentials","answer":"done"}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
