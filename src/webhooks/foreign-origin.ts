import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../settings/config.ts';
import { machineNames } from '../tls/machine-names.ts';
import { hostOf } from './target.ts';

/**
 * Whether a request was sent by a web page of another origin than this service: browsers say so in the Origin header,
 * programs send none. The service's own origins are the public URL that was set, and the address by which it was reached.
 * A Host with another name than this machine's proves nothing: a page's own name may have come to lead here, which an
 * address in numbers can't.
 */
export function isForeignOrigin(
  { headers, protocol }: FastifyRequest,
  config: Pick<Config, 'host' | 'publicUrl' | 'publicUrlGiven'>,
): boolean {
  const { origin, host = '' } = headers;
  // What a browser says itself, also where a page has it send no origin.
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  if (origin === undefined || (config.publicUrlGiven && origin === config.publicUrl)) return false;
  const reached = URL.parse(`${protocol}://${host}`);
  if (reached?.origin !== origin) return true;
  const name = hostOf(reached);
  return isIP(name) === 0 && !machineNames(config).names.includes(name);
}
