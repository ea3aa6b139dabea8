import { curlBearer as bearer, curlJson as json, type ProblemEntry } from './problem-entry.ts';

/** For examples: the base URL of the interface at which drills are started, on the same server. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is of the shell
const range = '${BASE%/*/*}/range/v1';

/** The problems that every interface can answer with. */
export const sharedProblems = {
  'malformed-request': {
    status: 400,
    title: 'The request is not proper HTTP',
    meaning: 'The server could not read the request: it is not valid HTTP, or its URL is broken.',
    cause:
      'A percent sign in the URL without two hexadecimal digits after it, a missing `Host` header, a `Transfer-Encoding` other than `chunked`, or bytes that are not HTTP.',
    remedy: 'Encode the URL (a literal `%` is `%25`) and let an HTTP client build the request.',
    example: `curl -i "$BASE/policies/%zz"`,
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    meaning: 'The headers say that the body is JSON, but it can’t be read as JSON in UTF-8.',
    cause:
      'The body is empty or cut off, has single quotes or an extra comma, or your shell removed the quotes. The `detail` says what was found, and in which line and column.',
    remedy: 'Check the body with a JSON parser before you send it. With curl, put it in single quotes or in a file.',
    example: `curl -i "$BASE/auth/token" ${json} -d '{"client_id": '`,
  },
  'validation-error': {
    status: 400,
    title: 'The request breaks a rule of the interface',
    meaning:
      'The server could read the request, but a member, parameter or header is missing, has a wrong value, or has a name that is nearly a known one.',
    cause:
      'The member `errors` lists each fault: `pointer` names a member of the body, `parameter` one of the query, `header` a header.',
    remedy: 'Correct every fault in `errors` and send the request again.',
    example: `curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"AB 1234"}'`,
  },
  'missing-token': {
    status: 401,
    title: 'A token is needed',
    meaning: 'The endpoint needs a bearer token, and your request has none.',
    cause: 'The `Authorization` header is missing, or its scheme is not `Bearer`.',
    remedy: 'Get a token from `POST /auth/token` and send it as `Authorization: Bearer <token>`.',
    example: `curl -i "$BASE/policies"`,
  },
  'invalid-token': {
    status: 401,
    title: 'The token is not valid',
    meaning: 'Your request has a bearer token, but the server does not accept it.',
    cause:
      'The token expired (tokens live 60 minutes), was cut off or changed, comes from another server, or its client was removed.',
    remedy:
      'Get a new token from `POST /auth/token`. If that fails too, create a new client with `POST /demo-clients`.',
    example: `curl -i "$BASE/policies" -H 'Authorization: Bearer made-up'`,
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token does not permit this',
    meaning: 'The token is valid, but its scope does not include this action.',
    cause: 'You asked for a smaller scope when you requested the token, or your client does not have this scope.',
    remedy:
      'Request a token with the scope that `WWW-Authenticate` names. If your client does not have that scope, use another client.',
    example: `TOKEN=$(curl -s -X POST "$BASE/demo-clients" |
  sed 's/}$/,"scope":"policies:read"}/' |
  curl -s "$BASE/auth/token" ${json} -d @- |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"AB-1234"}'`,
    challenge: 'Bearer realm="lplate", error="insufficient_scope", scope="policies:write"',
  },
  'not-found': {
    status: 404,
    title: 'No such path',
    meaning: 'There is nothing at this path.',
    cause: 'The path is misspelt, or the base URL lacks the version, such as `/v1`.',
    remedy:
      'Use the nearest address, which the `detail` names, or compare the path with the description, `openapi.yaml`. Upper and lower case matter in a path.',
    example: `curl -i "$BASE/policy"`,
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not take this method',
    meaning: 'The path exists, but not with the method of your request.',
    cause: 'You sent `PATCH` or `DELETE` where there is `PUT` or a cancel endpoint, or `GET` where there is `POST`.',
    remedy: 'Do what the `detail` says instead, or use a method from the `Allow` header.',
    example: `curl -i -X DELETE "$BASE/policies/pol-none"`,
  },
  'request-in-progress': {
    status: 409,
    title: 'The same request is running',
    meaning: 'A request with this `Idempotency-Key` came a moment ago and is not finished. This one changed nothing.',
    cause: 'You repeated a request before its answer came. In the example the drill `delay` makes the first one slow.',
    remedy: 'Wait for the seconds in `Retry-After`, then send the same request with the same key again.',
    example: `curl -s -o /dev/null "${range}/me/drills" ${bearer} \\
  ${json} -d '{"name":"delay","parameters":{"fromMs":4000,"toMs":4000},"minutes":1}'
curl -s -o /dev/null "$BASE/policies" ${bearer} \\
  ${json} -H 'Idempotency-Key: "my-key"' -d '{"regNumber":"'$PLATE'"}' &
sleep 1
curl -i "$BASE/policies" ${bearer} \\
  ${json} -H 'Idempotency-Key: "my-key"' -d '{"regNumber":"'$PLATE'"}'`,
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The whole request did not arrive in time (by default 30 seconds), so the server stopped waiting.',
    cause: 'The `Content-Length` is larger than the body, or your client stopped in the middle of the request.',
    remedy: 'Send the whole request at once, and let your HTTP client set `Content-Length`.',
    // It promises more bytes than it sends, so it ends when the server gives up.
    example: `curl -i "$BASE/auth/token" ${json} -H 'Content-Length: 100' -d '{}'`,
  },
  'precondition-failed': {
    status: 412,
    title: 'A precondition of the request does not hold',
    meaning:
      '`If-Match` does not name the `ETag` that the resource has now, or `If-None-Match` of a change names it, so nothing was done.',
    cause:
      'Somebody changed it after you read it, or it expired. Or the tag has no double quotes, is weak (`W/`), or is of another resource.',
    remedy: 'Read the resource again, look at what is different, and send your change with the new `ETag`.',
    example: `POLICY=$(curl -s "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"'$PLATE'"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -o /dev/null -X PUT "$BASE/policies/$POLICY" ${bearer} \\
  ${json} -d '{"holder":"Ada Example"}'
curl -i -X POST "$BASE/policies/$POLICY/cancel" ${bearer} \\
  -H 'If-Match: "1-active"'`,
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning:
      'The body has more than the endpoint takes: 64 KiB (65,536 bytes), for an answer or report 512 KiB, or where a file is sent 1 MiB of that.',
    cause:
      'You sent the wrong file, or a loop kept adding to the body. Without a file or a report no request needs more than a few hundred bytes.',
    remedy: 'Send only the members that the description lists.',
    example: `head -c 70000 /dev/zero | tr '\\0' ' ' |
  curl -i "$BASE/auth/token" ${json} --data-binary @-`,
  },
  'uri-too-long': {
    status: 414,
    title: 'The URL is too long',
    meaning: 'The path and query have more than 8,192 characters.',
    cause: 'The URL contains data that belongs in the body.',
    remedy: 'Shorten the URL, and send data in the body.',
    example: `curl -i "$BASE/policies/$(head -c 9000 /dev/zero | tr '\\0' 'x')"`,
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has the wrong content type',
    meaning: 'The endpoint takes JSON (the token endpoint also a form). Your request names another type, or none.',
    cause:
      'The `Content-Type` header is missing or wrong: `curl -d` sends a form by default. Or there is a `Content-Encoding`, such as `gzip`.',
    remedy: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    example: `curl -i "$BASE/policies" ${bearer} -d '{"regNumber":"AB-1234"}'`,
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The range begins after the end',
    meaning: 'You asked for a part of a file with `Range`, and the file has no such bytes.',
    cause:
      'You have all of the file already, or your part is of another one. `Content-Range` says how many bytes the file has.',
    remedy:
      'Compare your bytes with `Content-Range`. If they are as many, you are done. If not, get the whole file again.',
    example: `STATEMENT=$(curl -s "$BASE/statements" ${bearer} \\
  ${json} -d '{"month":"2026-01","format":"csv"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
sleep 1
curl -i "$BASE/statements/$STATEMENT/content" ${bearer} -H 'Range: bytes=1000000-'`,
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key belongs to another request',
    meaning: 'You used this `Idempotency-Key` within the last 24 hours, at the same endpoint, with another body.',
    cause: 'Your program uses one key for several requests, or changed the body before it repeated the request.',
    remedy: 'Make a new key for each new request, such as a UUID. To repeat a request, send the same key and body.',
    example: `curl -s -o /dev/null "$BASE/policies" ${bearer} \\
  ${json} -H 'Idempotency-Key: "my-key"' -d '{"regNumber":"'$PLATE'"}'
curl -i "$BASE/policies" ${bearer} \\
  ${json} -H 'Idempotency-Key: "my-key"' -d '{"regNumber":"'$PLATE-2'"}'`,
  },
  'rate-limit-exceeded': {
    status: 429,
    title: 'Too many requests',
    meaning:
      'You reached a limit: requests in any 60 seconds, or demo clients that one address can create in a day. Refused requests don’t count.',
    cause:
      'A loop without pauses, or many callers behind one address. `RateLimit-Policy` has the limit and its time in seconds.',
    remedy: 'Wait for the seconds in `Retry-After`, then go on. Watch `RateLimit-Remaining` to slow down in time.',
    example: `for call in 1 2 3 4 5 6; do curl -i "$BASE/limited/ping"; done`,
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and headers together have more than 16 KiB.',
    cause: 'A cookie or token kept growing, or a header contains data.',
    remedy: 'Send only the headers that the interface asks for.',
    example: `curl -i "$BASE/coverage-options" \\
  -H "X-Long: $(head -c 17000 /dev/zero | tr '\\0' 'x')"`,
  },
  'internal-error': {
    status: 500,
    title: 'Something broke inside',
    meaning: 'The server failed. Only its log says why, under the id in `instance`.',
    cause: 'A bug in L-Plate. No request should cause it, so no example is given.',
    remedy: 'Report it with the id in `instance` and the request that you sent.',
    example: null,
  },
  unavailable: {
    status: 503,
    title: 'The service can’t do this now',
    meaning:
      'The database can’t be reached or can’t write, too many change the same at once, or the server has as many demo clients as it can keep. Earlier changes are safe.',
    cause:
      'A full disk, a database that restarts, a million demo clients in use, or a drill that somebody started, as in the example.',
    remedy: 'Wait for the seconds in `Retry-After`, then try again.',
    example: `curl -s -o /dev/null "${range}/me/drills" ${bearer} \\
  ${json} -d '{"name":"unavailable","minutes":1}'
curl -i "$BASE/policies" ${bearer}`,
  },
} as const satisfies Record<string, ProblemEntry>;
