import { read } from '../../api/call.ts';
import type { ClassInfo, ServiceInfo } from '../../api/types.ts';
import { addressForOthers, isOnlyHere } from '../../model/join.ts';
import { type Loaded, useLoad } from '../../state/load.ts';

/** What learners need to get here. */
export interface Joining {
  /** By which they reach the service; undefined if there is none. */
  readonly address: string | undefined;
  /** Where this page was opened by an address of this machine alone: those that it has in its networks. */
  readonly networks: readonly string[];
  readonly authority: ServiceInfo['authority'];
  readonly info: ClassInfo;
}

export function useJoining(): Loaded<Joining> & { readonly again: () => void } {
  return useLoad(readJoining, []);
}

async function readJoining(): Promise<Joining> {
  const opened = new URL(location.href);
  const [metadata, info, service] = await Promise.all([
    read<{ readonly issuer: string }>('/.well-known/oauth-authorization-server', { as: 'nobody' }),
    read<ClassInfo>('/range/v1/trainer/class', { as: 'trainer' }),
    read<ServiceInfo>('/range/v1/service', { as: 'nobody' }),
  ]);
  return {
    address: addressForOthers(opened, metadata.issuer, info.addresses),
    networks: isOnlyHere(opened.hostname) ? info.addresses : [],
    authority: service.authority,
    info,
  };
}
