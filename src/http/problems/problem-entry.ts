/** What is known of a problem. One table makes the answers, the pages at `/problems/…` and the descriptions. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** What the problem means. In this and the next two, code stands between backticks. */
  readonly meaning: string;
  /** Why it happens. */
  readonly cause: string;
  /** How to fix it. */
  readonly remedy: string;
  /**
   * Shell lines that provoke it with the default settings; the last answer is the problem. `$BASE` is the base URL of
   * an interface, `$ROOT` that of the server and `$TOKEN` a token of a demo client, unless the example sets it. Null
   * where no request can provoke it; `cause` has the reason.
   */
  readonly example: string | null;
  /** The path of the interface in the example; default: the one that issues tokens. */
  readonly base?: string;
  /** An example of `WWW-Authenticate`, where it is a particular one. */
  readonly challenge?: string;
  /** The error code of RFC 6749 at the token endpoint; default: by the status. */
  readonly oauthError?: OauthError;
}

/** The error codes of RFC 6749 that are used; sections 5.2 and, for the last two, 4.1.2.1. One is of RFC 7009, 2.2.1. */
export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_token_type',
  'server_error',
  'temporarily_unavailable',
] as const;

export type OauthError = (typeof oauthErrors)[number];

/** For examples: the headers of a request with a JSON body, and of one with a token. */
export const curlJson = "-H 'Content-Type: application/json'";
export const curlBearer = '-H "Authorization: Bearer $TOKEN"';
