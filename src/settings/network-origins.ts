import { type Config, scheme } from './config.ts';
import { networkAddresses } from './networks.ts';

/** Addresses that lead each machine to itself. */
const onlyHere = /^(?:127\.|localhost$|::1$)/;

type Settings = Pick<Config, 'host' | 'port' | 'tls' | 'tlsCert' | 'publicUrl' | 'publicUrlGiven'>;

/** Whether it listens on every address of this machine, and answers by each. */
export const listensToAll = ({ host, publicUrlGiven }: Pick<Settings, 'host' | 'publicUrlGiven'>) =>
  !publicUrlGiven && (host === '0.0.0.0' || host === '::');

/** Where other machines reach it, the likeliest first; none if only this machine does, or no network was found. */
export function networkOrigins(config: Settings): string[] {
  const { host, port, publicUrl, publicUrlGiven } = config;
  if (publicUrlGiven) return [publicUrl];
  const own = (address: string) => `${scheme(config)}://${address.includes(':') ? `[${address}]` : address}:${port}`;
  if (listensToAll(config)) return networkAddresses().map(({ address }) => own(address));
  return onlyHere.test(host) ? [] : [own(host)];
}

/** The first address that a start announces: that in its network, else the one that leads each machine to itself. */
export const announcedOrigin = (config: Settings) => networkOrigins(config)[0] ?? config.publicUrl;
