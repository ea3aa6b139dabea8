import type { Step } from '../stage.ts';

/*
 * Steps with claims and their events that the cases of several stages have.
 */

export const claimsPath = '/claims/v1/claims';
export const topic = '/claims/v1/topics/claims.status-changed';

/** A claim, which the desk does not move as long as the examination goes on. */
export const register = (as: string, policyNumber: string, name?: string, headers: Step['headers'] = {}): Step => ({
  as,
  method: 'POST',
  path: claimsPath,
  headers,
  json: { policyNumber, paceSeconds: 3600 },
  ...(name !== undefined && { keep: { [name]: '/claimId' } }),
});

/** A claim that moves every second. */
export const moving = (as: string, policyNumber: string, more: object = {}): Step => ({
  as,
  method: 'POST',
  path: claimsPath,
  json: { policyNumber, paceSeconds: 1, ...more },
  keep: { claim: '/claimId', tag: 'header:ETag' },
});

export const readClaim = (as: string, name: string, headers: Step['headers'] = {}): Step => ({
  as,
  method: 'GET',
  path: `${claimsPath}/{${name}}`,
  headers,
});

export const listClaims = (as: string, query = ''): Step => ({ as, method: 'GET', path: `${claimsPath}${query}` });

/** The claim, once it has a status. */
export const untilStatus = (as: string, is: string): Step => ({
  ...readClaim(as, 'claim'),
  wait: { for: 'value', place: '/status', is },
});

/** A batch of events. `next` is its cursor. */
export const batch = (as: string, query = ''): Step => ({
  as,
  method: 'GET',
  path: `${topic}${query}`,
  keep: { next: '/next' },
});

/** A batch, once it has so many events. */
export const untilEvents = (as: string, count: number, query = ''): Step => ({
  ...batch(as, query),
  wait: { for: 'events', count },
});
