import { equal } from 'node:assert/strict';
import { answer, type Learner, testLessons, wrongAnswer } from './lesson.ts';

const lesson = 'draft-and-version';

/** Members of v1, and what the draft calls them. */
const pairs: Readonly<Record<string, string>> = {
  id: 'number',
  status: 'state',
  regNumber: 'registration',
  holder: 'holderName',
  coverageOption: 'optionId',
  startDate: 'validFrom',
  endDate: 'validTo',
};

const get = ({ lplate, token }: Learner, version: string, headers: Record<string, string> = {}) =>
  fetch(`${lplate.url}/insurer/${version}/openapi.json`, { headers: { ...headers, Authorization: `Bearer ${token}` } });

async function read(learner: Learner, version: string) {
  const answer = await get(learner, version);
  // biome-ignore lint/suspicious/noExplicitAny: a document is taken as it comes
  return { answer, schemas: ((await answer.json()) as any).components.schemas };
}

const wrong = (names: unknown, advice: RegExp) => (learner: Learner) => wrongAnswer(learner, lesson, names, advice);

testLessons({
  [lesson]: {
    async solve(learner) {
      const { schemas, answer: description } = await read(learner, 'v1');
      const { schemas: draft } = await read(learner, 'v0');
      const unchanged = await get(learner, 'v1', { 'If-None-Match': description.headers.get('etag') as string });
      equal(unchanged.status, 304);
      const lacking = [
        ['PolicyRequest', 'PolicyDraft'],
        ['Policy', 'Policy'],
      ].flatMap(([before, now]) =>
        Object.keys(schemas[now as string].properties).filter(
          (name) => !((pairs[name] ?? '') in draft[before as string].properties),
        ),
      );
      equal((await answer(learner, lesson, lacking)).correct, true, lacking.join());
      return description;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        for (const version of ['v0', 'v1']) await read(learner, version);
        await answer(learner, lesson, ['startDate', 'createdAt', 'updatedAt']);
      },
      'one text, in another order': (learner) => answer(learner, lesson, 'updatedAt, startDate; createdAt'),
    },
    misses: {
      'a member of the draft': wrong(['createdAt', 'updatedAt', 'premium'], /premium is a member of the draft/),
      'a member with another name': wrong(['createdAt', 'updatedAt', 'endDate'], /The draft has endDate, too/),
      'two members': wrong(['createdAt', 'updatedAt'], /You sent 2/),
      'the same twice': wrong(['createdAt', 'updatedAt', 'updatedAt'], /You sent 2 different ones/),
      'one that neither has': wrong(['createdAt', 'updatedAt', 'deletedAt'], /member by member/),
      'with the names of the schemas': wrong('PolicyDraft.startDate, Policy.createdAt, Policy.updatedAt', /You sent 5/),
      'in another case': wrong(['startdate', 'createdAt', 'updatedAt'], /upper and lower case count/),
      'no text': wrong({ createdAt: true }, /You sent 0/),
      'no texts': wrong([1, null, ['startDate']], /You sent 0/),
    },
  },
});
