import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const tutorProblems = {
  'foreign-origin': {
    status: 403,
    title: 'A page from another site',
    meaning: 'The tutor for assistants is not for scripts on pages of other sites.',
    cause: 'The request has a header `Origin` that names another site. Browsers send it; assistants in editors don’t.',
    remedy:
      'Call it from a program on your machine. `/guides/assistants.md` has the configuration of the usual editors.',
    example: `curl -i -X POST "$BASE/mcp" ${bearer} ${json} -H "Origin: https://elsewhere.example" -d '{}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
