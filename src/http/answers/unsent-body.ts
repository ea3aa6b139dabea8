import { Readable } from 'node:stream';

/**
 * In the place of a body that HEAD asks nobody to make. A stream, since of that no length is told: GET would send more than
 * nothing (RFC 9110, section 8.6).
 */
export function unsentBody(): Readable {
  return Readable.from([]);
}
