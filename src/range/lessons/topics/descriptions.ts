import type { LessonTopic, Question } from '../lesson.ts';

/*
 * What a description says, and what it does not.
 */

/** The members that v1 has and the draft v0 has not, not even under another name. */
const lacking = ['startDate', 'createdAt', 'updatedAt'];

/** Members of v1 that have other names in the draft. */
const renamed = ['id', 'status', 'regNumber', 'holder', 'coverageOption', 'endDate'];

/** Members of the draft alone. */
const drafted = ['number', 'state', 'registration', 'holderName', 'optionId', 'validFrom', 'validTo', 'premium'];

const question: Question = {
  step: 'Send the names of the three members',
  question: 'The names of the three members in v1, as a list: ["…", "…", "…"].',
  answerType: 'json',
  check(answer, history) {
    const sent = namesIn(answer);
    const names = [...new Set(sent)];
    const old = names.find((name) => drafted.includes(name));
    if (old) return `${old} is a member of the draft. Send what only v1 has.`;
    const known = names.find((name) => renamed.includes(name));
    if (known) return `The draft has ${known}, too, but under another name: look at what each member means.`;
    if (names.length !== lacking.length)
      return `Three names are asked for, in a list: one of the request, two of the answer. You sent ${names.length}${sent.length > names.length ? ' different ones' : ''}.`;
    if (!names.every((name) => lacking.includes(name)))
      return 'Look at the body of POST /policies and at the policy in its answer, member by member. Write the names as v1 does: upper and lower case count.';
    return { entry: history.last(({ call, status }) => status === 200 && /^GET \/insurer\/v1\/openapi\./.test(call)) };
  },
};

/** A list of texts, or one text with the names in it. */
function namesIn(answer: unknown): string[] {
  const parts = Array.isArray(answer) ? answer : [answer];
  return parts.flatMap((part) => (typeof part === 'string' ? part.split(/[^\w]+/).filter(Boolean) : []));
}

export const descriptions: LessonTopic = {
  id: 'descriptions',
  title: 'Descriptions',
  lessons: [
    {
      id: 'draft-and-version',
      title: 'The draft is not the interface',
      level: 2,
      goal: 'Compare the draft /insurer/v0/openapi.yaml with /insurer/v1/openapi.yaml: the body of POST /policies with the body there, and the policy in the answer with the policy there. Most members only have another name in the draft. Three have none, one in the body and two in the answer: send the names that these have in v1.',
      why: 'The document that you are given often describes another version than the one that you call, and you notice what it lacks only when you need it.',
      hints: [
        'In v1 look at the schemas PolicyDraft (what you send) and Policy (what you get), in the draft at PolicyRequest and Policy.',
        'Make pairs of members that mean the same, such as regNumber and registration. Do it once for what you send, and once for what you get. Three members of v1 stay alone.',
        'When does the cover begin? In the draft the caller can’t choose. And when was a policy made, and when changed?',
      ],
      sections: ['Versioning', 'Endpoints, 4', 'Endpoints, 11', 'Policy'],
      buildsOn: ['credentials'],
      remember: 'Check which version a description is of. What the running service says counts, not a file in a mail.',
      without: 'A team builds for weeks against an old draft. On the first day of the tests almost no name fits.',
      shortestWay: 2,
      way: [
        'GET /insurer/v0/openapi.yaml',
        'GET /insurer/v1/openapi.yaml',
        'GET /insurer/v0/openapi.json',
        'GET /insurer/v1/openapi.json',
      ],
      steps: [],
      asks: question,
    },
  ],
};
