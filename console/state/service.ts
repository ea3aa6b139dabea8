import { signal } from '@preact/signals';
import { read } from '../api/call.ts';
import type { ServiceInfo } from '../api/types.ts';

/** Who signed the certificate of the service, if that is itself; undefined until it is known. */
export const authority = signal<ServiceInfo['authority'] | undefined>(undefined);

let asked: Promise<void> | undefined;

/** Asks once. Over plain HTTP there is nothing to know. */
export function askForAuthority(): Promise<void> {
  if (location.protocol !== 'https:') {
    authority.value = null;
    return Promise.resolve();
  }
  asked ??= read<ServiceInfo>('/range/v1/service', { as: 'nobody' }).then(
    (service) => {
      authority.value = service.authority;
    },
    () => {
      asked = undefined;
    },
  );
  return asked;
}
