import { read } from '../../api/call.ts';
import { addressForOthers } from '../../model/join.ts';
import { type Loaded, useLoad } from '../../state/load.ts';

/** The address by which learners reach the service; undefined if there is none. */
export function useJoinAddress(): Loaded<string | undefined> {
  return useLoad(readAddress, []);
}

async function readAddress(): Promise<string | undefined> {
  const opened = new URL(location.href);
  const metadata = await read<{ readonly issuer: string }>('/.well-known/oauth-authorization-server', {
    as: 'nobody',
  }).catch(() => undefined);
  return addressForOthers(opened, metadata?.issuer);
}
