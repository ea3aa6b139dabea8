import { read } from '../../api/call.ts';
import type { ClassInfo, ServiceInfo } from '../../api/types.ts';
import { addressForOthers, isOnlyHere } from '../../model/join.ts';
import { type Loaded, useEvery, useLoad } from '../../state/load.ts';

/** Milliseconds between two looks. */
const joiningEvery = 5000;

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
  const loaded = useLoad(readJoining, []);
  // The machine may be carried to another network.
  useEvery(joiningEvery, loaded.again);
  return loaded;
}

/** The issuer of tokens, which stays as it is once it is known. */
let issuer: string | undefined;

async function readIssuer(): Promise<string> {
  issuer ??= (await read<{ readonly issuer: string }>('/.well-known/oauth-authorization-server', { as: 'nobody' }))
    .issuer;
  return issuer;
}

async function readJoining(): Promise<Joining> {
  const opened = new URL(location.href);
  const [own, info, service] = await Promise.all([
    readIssuer(),
    read<ClassInfo>('/range/v1/trainer/class', { as: 'trainer' }),
    read<ServiceInfo>('/range/v1/service', { as: 'nobody' }),
  ]);
  return {
    address: addressForOthers(opened, own, info.addresses),
    networks: isOnlyHere(opened.hostname) ? info.addresses : [],
    authority: service.authority,
    info,
  };
}
