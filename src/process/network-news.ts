import type { Config } from '../settings/config.ts';
import { networkOrigins } from '../settings/network-origins.ts';
import { networksEveryMs } from '../settings/networks.ts';

/** Tells on the terminal when the machine has come to another network, where its address is another one. */
export function tellNetworks(config: Config, print: (text: string) => void, everyMs = networksEveryMs): NodeJS.Timeout {
  let known = String(networkOrigins(config));
  return setInterval(() => {
    const origins = networkOrigins(config);
    if (String(origins) === known) return;
    known = String(origins);
    print(`\n${line(config, origins)}\n\n`);
  }, everyMs).unref();
}

function line(config: Config, [origin, ...others]: readonly string[]): string {
  if (origin === undefined) return 'This machine is in no network now: others can’t reach L-Plate.';
  const also = others.length > 0 ? `, or ${others.join(' or ')}` : '';
  const who = config.class === 'on' ? 'Learners open' : 'In it the address is';
  return `The networks of this machine have changed. ${who} ${origin}${also} from now on.`;
}
