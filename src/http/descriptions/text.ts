import { audience } from '../requests/bearer.ts';

/**
 * What the description of every interface says of refusals and of browsers, in Markdown. `ignored` tells what is passed
 * over; `uncounted` goes on about what can't be read as a request.
 */
export function commonText(publicUrl: string, ignored: string, uncounted = ''): string[] {
  return [
    '## Errors',
    '',
    `Every error response is a problem (RFC 9457). Its \`type\` is the address of a page that explains it; ${publicUrl}/problems lists all of them.`,
    '',
    '- A path that is not listed here returns 404 `not-found`, a method that is not listed 405 `method-not-allowed`. Where you can send GET, you can send HEAD. `OPTIONS` returns 204 with the methods of the path in `Allow`.',
    `- A request that can’t be read at all (400 \`malformed-request\`, 408, 431) counts against no limit, so the response has no \`RateLimit-\` headers${uncounted}.`,
    `- ${ignored}`,
    '',
    '## Rate limits',
    '',
    'The headers `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset` and `RateLimit-Policy` are those of draft-ietf-httpapi-ratelimit-headers-06. Later versions of that draft put all of it into one header `RateLimit`, which is not sent.',
    '',
    '## Browsers',
    '',
    'Scripts from any origin may call. A preflight (an `OPTIONS` request that asks for permission) returns 204 and does not count against the rate limit.',
  ];
}

/** What is done with names that a description does not list, for `commonText`. */
export const unknownNames =
  'Members and query parameters that are not listed here are ignored and named in the header `L-Plate-Ignored`, unless the name is nearly a listed one: that is a `validation-error`. If no body is listed, a body is ignored, and named in the same header.';

/** Says what a token is, for those who check one. */
export function tokenText(publicUrl: string): string {
  return `It is a JWT of the type \`at+jwt\` (RFC 9068), signed with ES256. Its \`iss\` is the address by which you got it, here \`${publicUrl}\`, and its \`aud\` is always \`${audience}\`; the keys are at ${publicUrl}/.well-known/jwks.json.`;
}
