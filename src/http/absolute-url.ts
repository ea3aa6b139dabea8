import type { FastifyRequest } from 'fastify';
import { personalPrefix } from './personal-prefix.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin of every published address: `publicUrl` of the settings. */
    publicUrl: string;
  }
}

/**
 * The absolute URL of a path of this service, with the personal prefix of the request. Some clients can't follow a
 * relative `Location` or `Link`.
 */
export function absoluteUrl(request: FastifyRequest, path: string): string {
  return `${request.server.publicUrl}${personalPrefix(request)}${path}`;
}
