import type { FastifyRequest } from 'fastify';
import { hostOf, isLoopback } from './target.ts';

/**
 * Whether a request was sent by a web page of another origin than this service: browsers say so in the Origin header,
 * programs send none. The service's own origins are its public URL, and the loopback address by which it was reached. A
 * Host that is no loopback address proves nothing: a page's own name may have come to lead to this machine.
 */
export function isForeignOrigin({ headers, protocol }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host = '' } = headers;
  if (origin === undefined || origin === publicUrl) return false;
  const reached = URL.parse(`${protocol}://${host}`);
  return !reached || !isLoopback(hostOf(reached)) || origin !== reached.origin;
}
