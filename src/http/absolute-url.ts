import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin of every published address: `publicUrl` of the settings. */
    publicUrl: string;
  }
}

/** The absolute URL of a path of this service. Some clients can't follow a relative `Location` or `Link`. */
export function absoluteUrl({ server }: FastifyRequest, path: string): string {
  return `${server.publicUrl}${path}`;
}
