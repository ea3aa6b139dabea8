import { oauthErrors } from './problem-entry.ts';
import { sharedProblems } from './problems.ts';

// The shapes of problems, for the descriptions.

/** The id in every example. */
export const requestId = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';

const member = (description: string, example: string, keywords: object = {}) => ({
  type: 'string',
  description,
  examples: [example],
  ...keywords,
});

/** Every problem. That of a validation has `errors`; as it may come where others may, it is no schema of its own. */
export const problem = {
  $id: 'Problem',
  type: 'object',
  description: 'An error response (RFC 9457). It says what was wrong and what to do about it.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: member(
      'The address of a page that explains the problem; it ends with the identifier.',
      'https://lplate.example/problems/validation-error',
      { format: 'uri' },
    ),
    title: member(
      'What kind of problem it is; the same for every problem of a `type`.',
      sharedProblems['validation-error'].title,
    ),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.', examples: [400] },
    detail: member('What was wrong this time, and what to do about it.', 'holder: must be a string, not a number.'),
    instance: member('`urn:uuid:` and the id of the request.', `urn:uuid:${requestId}`, { pattern: '^urn:uuid:' }),
    errors: {
      type: 'array',
      description: 'Each thing that is wrong with the request. One of `pointer`, `parameter` and `header` says where.',
      items: {
        $id: 'Fault',
        type: 'object',
        description: 'One thing that is wrong with a request.',
        required: ['detail'],
        properties: {
          detail: member('What is wrong there, or which values are allowed.', 'must be a string, not a number.'),
          pointer: member('A place in the body (RFC 6901); empty for the body as a whole.', '/holder'),
          parameter: member('The name of a query parameter.', 'pageSize'),
          header: member('The name of a header.', 'Content-Type'),
        },
      },
    },
  },
};

export const tokenProblem = {
  $id: 'TokenProblem',
  type: 'object',
  description: 'An error response of the token endpoint: a problem with the members of RFC 6749, section 5.2.',
  required: [...problem.required, 'error', 'error_description'],
  properties: {
    ...problem.properties,
    error: member('The error code of RFC 6749.', 'invalid_scope', { enum: oauthErrors }),
    error_description: member('The detail in ASCII.', 'The scope policies:fly does not exist.'),
  },
};

export const anyTokenProblem = {
  $id: 'AnyTokenProblem',
  description: 'A problem of the token endpoint, or of a request that was too broken to reach it.',
  anyOf: [tokenProblem, problem],
};
