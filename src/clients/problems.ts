import { curlJson as json, type ProblemEntry } from '../http/problem-entry.ts';

export const problems = {
  'invalid-scope': {
    status: 400,
    title: 'The scope can’t be granted',
    meaning: 'Your token request asks for a scope that does not exist, or that your client does not have.',
    cause:
      'The scope is misspelt, or your client has fewer rights than you ask for. A token can have less, never more.',
    remedy: 'Ask for scopes that your client has, separated by spaces, or leave `scope` out to get them all.',
    example: `curl -s -X POST "$BASE/demo-clients" |
  sed 's/}$/,"scope":"policies:fly"}/' |
  curl -i "$BASE/auth/token" ${json} -d @-`,
    oauthError: 'invalid_scope',
  },
  'invalid-client': {
    status: 401,
    title: 'Unknown client or wrong secret',
    meaning: 'There is no client with this id and this secret. For safety, the answer does not say which one is wrong.',
    cause:
      'A typing error, credentials of another server, a secret that a newer one replaced, or a demo client that was removed, since nobody used it for a day or longer.',
    remedy: 'Check both values. You can’t get a lost secret back: create new credentials with `POST /demo-clients`.',
    example: `curl -i "$BASE/auth/token" ${json} \\
  -d '{"client_id":"demo-nobody","client_secret":"guess"}'`,
    challenge: 'Basic realm="lplate"',
    oauthError: 'invalid_client',
  },
  'transfer-not-found': {
    status: 404,
    title: 'No such code',
    meaning: 'No client can be taken over with this code.',
    cause: 'It is mistyped, it was used before, or its time is over.',
    remedy: 'Get a new one: `POST /me/transfer` where the client is still known, or from your trainer.',
    example: `curl -i "$BASE/transfers" ${json} -d '{"code":"ABCDE-12345"}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
