import type { ProblemEntry } from './problem-entry.ts';

const json = "-H 'Content-Type: application/json'";
const bearer = '-H "Authorization: Bearer $TOKEN"';

export const problems = {
  'malformed-request': {
    status: 400,
    title: 'The request is not proper HTTP',
    meaning: 'The server could not make out the request: it is not valid HTTP, or its URL is broken.',
    cause:
      'A percent sign in the URL without two hexadecimal digits after it, a missing `Host` header, a `Transfer-Encoding` other than `chunked`, or bytes that are no HTTP.',
    remedy: 'Encode the URL (a literal `%` is `%25`) and let an HTTP client build the request.',
    example: `curl -i "$BASE/policies/%zz"`,
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    meaning: 'The body was announced as JSON, but it can’t be read as JSON in UTF-8.',
    cause:
      'An empty or truncated body, single quotes, a comma too many, quotes that the shell removed, or a member named `__proto__`.',
    remedy:
      'Check the body with a JSON parser before you send it. With curl, put it between single quotes or in a file.',
    example: `curl -i "$BASE/auth/token" ${json} -d '{"client_id": '`,
  },
  'validation-error': {
    status: 400,
    title: 'The request breaks a rule of the interface',
    meaning:
      'The request was understood, but a member, parameter or header is missing or has a value that is not allowed.',
    cause:
      'The member `errors` lists each fault: `pointer` names a member of the body, `parameter` one of the query, `header` a header.',
    remedy: 'Correct every fault in `errors` and send the request again.',
    example: `curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"AB 1234"}'`,
  },
  'invalid-scope': {
    status: 400,
    title: 'The scope can’t be granted',
    meaning: 'The token request asks for a scope that does not exist, or that this client was never granted.',
    cause: 'A misspelt scope, or a client that may do less than you ask for. A scope can be narrowed, never widened.',
    remedy: 'Ask for scopes that the client was granted, separated by spaces, or leave `scope` out to get them all.',
    example: `curl -s -X POST "$BASE/demo-clients" |
  sed 's/}$/,"scope":"policies:fly"}/' |
  curl -i "$BASE/auth/token" ${json} -d @-`,
  },
  'missing-token': {
    status: 401,
    title: 'A token is needed',
    meaning: 'The endpoint needs a bearer token and the request has none, so the caller is unknown.',
    cause: 'No `Authorization` header, or one of another scheme than `Bearer`.',
    remedy: 'Get a token from `POST /auth/token` and send it as `Authorization: Bearer <token>`.',
    example: `curl -i "$BASE/policies"`,
  },
  'invalid-token': {
    status: 401,
    title: 'The token is not valid',
    meaning: 'The request has a bearer token, but the token can’t be trusted.',
    cause:
      'It expired (tokens live 60 minutes), was cut or changed on the way, comes from another server, or its client was removed.',
    remedy:
      'Ask `POST /auth/token` for a new token. If that is refused too, create a new client with `POST /demo-clients`.',
    example: `curl -i "$BASE/policies" -H 'Authorization: Bearer made-up'`,
  },
  'invalid-client': {
    status: 401,
    title: 'Unknown client or wrong secret',
    meaning: 'The credentials are not those of a client of this server. Which of the two is wrong is not told.',
    cause: 'A typing error, credentials of another server, or a demo client that was removed after a day without use.',
    remedy: 'Check both values. A lost secret can’t be had again: create new credentials with `POST /demo-clients`.',
    example: `curl -i "$BASE/auth/token" ${json} \\
  -d '{"client_id":"demo-nobody","client_secret":"guess"}'`,
  },
  'invalid-signature': {
    status: 401,
    title: 'The signature does not fit the body',
    meaning: '`X-Signature` is missing, or is not the hexadecimal HMAC-SHA256 of the exact bytes of the body.',
    cause:
      'Most often other bytes were signed than were sent (a line end, other spaces), or the key is another. The `detail` tells what was found.',
    remedy: 'Make the body once, sign those bytes, send those bytes. With curl, use `--data-binary` and a file.',
    example: `curl -i "$BASE/signed/policy-check" ${json} \\
  -H 'X-Signature: 00' -d '{"regNumber":"AB-1234"}'`,
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token does not permit this',
    meaning: 'The token is valid and the caller is known, but its scope does not cover the action.',
    cause: 'The token was narrowed when it was requested, or the client was never granted the scope.',
    remedy:
      'Request a token with the scope that `WWW-Authenticate` names. A client that was not granted it can’t get it.',
    example: `TOKEN=$(curl -s -X POST "$BASE/demo-clients" |
  sed 's/}$/,"scope":"policies:read"}/' |
  curl -s "$BASE/auth/token" ${json} -d @- |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"AB-1234"}'`,
  },
  'policy-not-found': {
    status: 404,
    title: 'No such policy',
    meaning: 'You own no policy with this id. A policy of another client answers the same.',
    cause:
      'A wrong id, a token of another client than the one that created the policy, or a demo client that was removed with its policies.',
    remedy: 'Take the id from the answer that created the policy, or from `GET /policies`.',
    example: `curl -i "$BASE/policies/pol-none" ${bearer}`,
  },
  'claim-not-found': {
    status: 404,
    title: 'No such claim',
    meaning:
      'There is no claim with this id on a policy of yours. A claim on another client’s policy answers the same.',
    cause:
      'A wrong id, a token of another client than the one that owns the policy, or a demo client that was removed with its claims.',
    remedy: 'Take the id from the answer that registered the claim, from `GET /claims`, or from an event.',
    example: `curl -i "$BASE/claims/CLM-2026-000000" ${bearer}`,
    base: '/claims/v1',
  },
  'subscription-not-found': {
    status: 404,
    title: 'No such subscription',
    meaning: 'You own no subscription with this id. A subscription of another client answers the same.',
    cause: 'A wrong id, a subscription that was deleted, or a token of another client than the one that subscribed.',
    remedy: 'Take the id from the answer that created the subscription, or from `GET /subscriptions`.',
    example: `curl -i "$BASE/subscriptions/sub-none" ${bearer}`,
    base: '/claims/v1',
  },
  'delivery-not-found': {
    status: 404,
    title: 'No such delivery',
    meaning: 'The subscription has no delivery with this number.',
    cause: 'A wrong number, or a delivery so old that its record was removed. They are kept for 7 days.',
    remedy: 'Take the number from `GET /subscriptions/{subscriptionId}/deliveries`.',
    // 192.0.2.1 is for documentation and refused; a public address that need not answer will do.
    example: `SUBSCRIPTION=$(curl -s "$BASE/subscriptions" ${bearer} \\
  ${json} -d '{"url":"http://1.1.1.1/webhooks"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -i -X POST "$BASE/subscriptions/$SUBSCRIPTION/deliveries/7/redeliver" ${bearer}`,
    base: '/claims/v1',
  },
  'vehicle-not-found': {
    status: 404,
    title: 'No such vehicle',
    meaning: 'The registry has no vehicle with this registration number.',
    cause:
      'It is not two letters and four digits, or was never given out: those that begin with `XX` or `ZZ` or end in `0000`.',
    remedy: 'Ask for a plate such as `AB-1234`. Every other plate of this form has a vehicle.',
    example: `curl -i "$BASE/vehicles/XX-1234"`,
    base: '/vehicle-registry/v2',
  },
  'not-found': {
    status: 404,
    title: 'No such path',
    meaning: 'Nothing is served at this path.',
    cause: 'A misspelt path, or a base URL that lacks its version segment.',
    remedy: 'Compare the path with the description, `openapi.yaml`. Capitals and small letters differ in a path.',
    example: `curl -i "$BASE/policy"`,
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not take this method',
    meaning: 'The path exists, but not with the method of the request.',
    cause: '`PATCH` or `DELETE` where the interface has `PUT` or a cancel endpoint, or `GET` where it wants `POST`.',
    remedy: 'Use a method that the header `Allow` lists.',
    example: `curl -i -X DELETE "$BASE/policies/pol-none"`,
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The request did not arrive whole in time (by default 30 seconds), so the server stopped waiting.',
    cause: 'A `Content-Length` larger than the body, or a client that stalls in the middle of a request.',
    remedy: 'Send the whole request at once, and let the client work out `Content-Length`.',
    // It promises more bytes than it sends, so it ends when the server gives up.
    example: `curl -i "$BASE/auth/token" ${json} -H 'Content-Length: 100' -d '{}'`,
  },
  'duplicate-policy': {
    status: 409,
    title: 'The vehicle is already insured',
    meaning:
      'A policy for this vehicle is in force. The register allows one for each vehicle. Who owns it is not told.',
    cause:
      'You, or another client, created a policy for the registration number. Case and dashes make no other vehicle.',
    remedy: 'Use another registration number. If the policy is yours, cancel it first.',
    example: `curl -s -o /dev/null "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"DU-4090"}'
curl -i "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"du4090"}'`,
  },
  'policy-immutable': {
    status: 409,
    title: 'The policy can’t be changed any more',
    meaning: 'A cancelled or expired policy stays as it is.',
    cause: 'The policy was cancelled, or its last day of cover has passed.',
    remedy: 'Create a new policy for the vehicle. Cancelling a cancelled policy again is fine and changes nothing.',
    example: `POLICY=$(curl -s "$BASE/policies" ${bearer} \\
  ${json} -d '{"regNumber":"IM-'$$'"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -o /dev/null -X POST "$BASE/policies/$POLICY/cancel" ${bearer}
curl -i -X PUT "$BASE/policies/$POLICY" ${bearer} \\
  ${json} -d '{"holder":"Ada Example"}'`,
  },
  'subscription-disabled': {
    status: 409,
    title: 'The subscription is disabled',
    meaning: 'Nothing is delivered to this subscription until it is enabled.',
    cause: 'Every call of it failed for a day. That takes a day, so no example is given.',
    remedy: 'Let your receiver answer with 2xx, then send `POST /subscriptions/{subscriptionId}/enable`.',
    example: null,
  },
  'cursor-expired': {
    status: 410,
    title: 'The cursor is older than the events that are kept',
    meaning: 'Events are kept for 7 days. Some that follow this cursor are gone, so the topic can’t be resumed there.',
    cause:
      'A consumer that was away for more than 7 days. Nobody else can have a cursor that old, so no example is given.',
    remedy:
      'Read one batch with `after=latest` and keep its `next`, read all claims anew with `GET /claims`, then go on from that cursor.',
    example: null,
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning: 'The body has more than 64 KiB (65,536 bytes).',
    cause: 'The wrong file, or a loop that went on adding. No request here needs more than a few hundred bytes.',
    remedy: 'Send only the members that the description names.',
    example: `head -c 70000 /dev/zero | tr '\\0' ' ' |
  curl -i "$BASE/auth/token" ${json} --data-binary @-`,
  },
  'uri-too-long': {
    status: 414,
    title: 'The URL is too long',
    meaning: 'The path and query have more than 8,192 characters.',
    cause: 'Data that belongs in the body was put into the URL.',
    remedy: 'Shorten the URL, and send data in the body.',
    example: `curl -i "$BASE/policies/$(head -c 9000 /dev/zero | tr '\\0' 'x')"`,
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has the wrong content type',
    meaning:
      'The endpoint takes JSON (the token endpoint a form, too). The request announces something else, or nothing.',
    cause:
      'A missing or wrong `Content-Type` header: `curl -d` announces a form unless it is told otherwise. Or a `Content-Encoding` such as `gzip`: bodies are taken as they are.',
    remedy: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
    example: `curl -i "$BASE/policies" ${bearer} -d '{"regNumber":"AB-1234"}'`,
  },
  'rate-limit-exceeded': {
    status: 429,
    title: 'Too many requests',
    meaning:
      'A limit is used up: that of requests in any 60 seconds, or that of demo clients one address creates in a day. What is refused doesn’t count.',
    cause:
      'A loop without pauses, or many callers behind one address. `RateLimit-Policy` tells the limit and its seconds.',
    remedy: 'Wait as many seconds as `Retry-After` says, then go on. Watch `RateLimit-Remaining` to slow down in time.',
    example: `for call in 1 2 3 4 5 6; do curl -i "$BASE/limited/ping"; done`,
  },
  'quota-exceeded': {
    status: 429,
    title: 'A cap of this client is reached',
    meaning:
      'The client owns as many of these, or has as many bytes stored, as one client may. The `detail` tells how many that is.',
    cause: 'A load test, or a loop that never ends. It takes thousands of requests, so no example is given.',
    remedy: 'Do what the `detail` says makes room, or go on with a new client of `POST /demo-clients`.',
    example: null,
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and headers together have more than 16 KiB.',
    cause: 'A cookie or token that went on growing, or data in a header.',
    remedy: 'Send only the headers that the interface asks for.',
    example: `curl -i "$BASE/coverage-options" \\
  -H "X-Long: $(head -c 17000 /dev/zero | tr '\\0' 'x')"`,
  },
  'internal-error': {
    status: 500,
    title: 'Something broke inside',
    meaning: 'The server made a mistake. What it was, only its log tells, under the id in `instance`.',
    cause: 'A defect of L-Plate. No request should provoke it, so no example is given.',
    remedy: 'Report it with the id in `instance` and the request that led to it.',
    example: null,
  },
  unavailable: {
    status: 503,
    title: 'The service can’t do this now',
    meaning:
      'The database can’t be reached or can’t write, or there are as many demo clients as the server keeps. What was answered before is safe.',
    cause:
      'A full disk, a database that restarts, or a million demo clients in use. No single request provokes it, so no example is given.',
    remedy: 'Wait as many seconds as `Retry-After` says, then try again.',
    example: null,
  },
} as const satisfies Record<string, ProblemEntry>;
