/** The headers of a rate limit, by what they tell. */
export const rateLimitHeaders = {
  limit: 'RateLimit-Limit',
  remaining: 'RateLimit-Remaining',
  reset: 'RateLimit-Reset',
  policy: 'RateLimit-Policy',
} as const;

/** Headers that a script in a browser may read, besides those that every script may. */
export const exposedHeaders = [
  'Location',
  'Link',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'L-Plate-Ignored',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Content-Digest',
  'Repr-Digest',
  'Content-Disposition',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  ...Object.values(rateLimitHeaders),
] as const;

/**
 * Calls with this header are made by the console, or by a program of ours on the machine of a learner. No lesson counts them, but for those that
 * the learner wrote by hand. Its value may be what time it is there.
 */
export const consoleHeader = 'L-Plate-Console';

/** Its value for a call that the learner wrote by hand in the console: it is the learner's own. */
export const byHand = 'by-hand';

interface Headed {
  readonly headers: Readonly<Record<string, unknown>>;
}

const ofConsole = consoleHeader.toLowerCase();

/** Tells whether the console made a call by itself: neither a program of the caller’s nor the caller by hand. */
export function isOfConsole(request: Headed): boolean {
  return request.headers[ofConsole] !== undefined && !isByHand(request);
}

export function isByHand({ headers }: Headed): boolean {
  return headers[ofConsole] === byHand;
}

/** What time it is where the console is, in milliseconds since 1970. Undefined of a call that does not say so. */
export function timeOfConsole({ headers }: Headed): number | undefined {
  const time = headers[ofConsole];
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) ? Date.parse(time) : undefined;
}
