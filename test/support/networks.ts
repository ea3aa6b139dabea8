import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import type { TestContext } from 'node:test';

/** Carries this machine into networks, the only thing here that is not real: a test may not change those of its machine. */
export function networksOf(t: TestContext): (...addresses: string[]) => void {
  const { networkInterfaces } = os;
  const use = (read: typeof networkInterfaces) => {
    os.networkInterfaces = read;
    syncBuiltinESMExports();
  };
  t.after(() => use(networkInterfaces));
  const entry = { netmask: '255.255.255.0', family: 'IPv4', internal: false, mac: '', cidr: null } as const;
  return (...addresses) => use(() => ({ eth0: addresses.map((address) => ({ ...entry, address })) }));
}
