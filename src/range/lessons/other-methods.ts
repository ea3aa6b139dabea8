import type { Entry } from './entry.ts';

/*
 * What several lessons say of a call by another method than the one that it was to have.
 */

/** Where a GET is meant, and a HEAD was sent. */
export const onlyHead = (whatIsRead: string) => `HEAD gives no body, so you did not see ${whatIsRead}. Send a GET.`;

/** Where a change of a policy is meant. */
export const byPatch = ({ call, path }: Entry): string | false =>
  call === 'PATCH (none)' &&
  /^\/insurer\/v1\/policies\/[^/]+$/.test(path) &&
  'Nothing was changed: a policy can’t be changed by PATCH.';
