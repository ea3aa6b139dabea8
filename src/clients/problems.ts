import { curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';

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
      'A typing error, credentials of another server, a secret that a newer one replaced, or a demo client that was removed: by itself, by a trainer, or after a day or longer without use.',
    remedy: 'Check both values. You can’t get a lost secret back: create new credentials with `POST /demo-clients`.',
    example: `curl -i "$BASE/auth/token" ${json} \\
  -d '{"client_id":"demo-nobody","client_secret":"guess"}'`,
    challenge: 'Basic realm="lplate"',
    oauthError: 'invalid_client',
  },
  'invalid-grant': {
    status: 400,
    title: 'The code or the refresh token does not hold',
    meaning: 'The token endpoint was sent a code or a refresh token for which it gives no token.',
    cause:
      'It was used before, its time is over, or its person withdrew the consent. To a code, `redirect_uri` and `code_verifier` must fit. What is used twice ends all that came of it.',
    remedy: 'Send the person to `GET /auth/authorize` again, and exchange the code of that redirect at once.',
    example: `curl -s -X POST "$BASE/demo-clients" |
  sed 's/}$/,"grant_type":"refresh_token","refresh_token":"guess"}/' |
  curl -i "$BASE/auth/token" ${json} -d @-`,
    oauthError: 'invalid_grant',
  },
  'unsupported-token-type': {
    status: 400,
    title: 'Such a token can’t be revoked',
    meaning: 'You asked to revoke a token that your client got for itself.',
    cause: 'Only tokens for a person can be revoked: access tokens and refresh tokens.',
    remedy: 'Forget the token. It expires by itself, at most an hour after you got it.',
    example: `C=$(curl -s -X POST "$BASE/demo-clients")
T=$(printf '%s' "$C" | curl -s "$BASE/auth/token" ${json} -d @- |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
printf '%s' "$C" | sed "s/}$/,\\"token\\":\\"$T\\"}/" |
  curl -i "$BASE/auth/revoke" ${json} -d @-`,
    oauthError: 'unsupported_token_type',
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

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
