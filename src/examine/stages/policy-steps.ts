import type { Step } from '../stage.ts';
import { newClient } from './steps.ts';

/*
 * Steps with policies that the cases of several stages have.
 */

export const policies = '/insurer/v1/policies';

/** A policy for a vehicle, whose id is kept by this name. */
export function insure(as: string, name: string, regNumber = '{plate1}', holder?: string): Step {
  return {
    as,
    method: 'POST',
    path: policies,
    json: { regNumber, ...(holder !== undefined && { holder }) },
    keep: { [name]: '/id' },
  };
}

export function read(as: string, name: string, headers: Step['headers'] = {}): Step {
  return { as, method: 'GET', path: `${policies}/{${name}}`, headers };
}

export function update(as: string, name: string, json: unknown, headers: Step['headers'] = {}): Step {
  return { as, method: 'PUT', path: `${policies}/{${name}}`, headers, json };
}

export function cancel(as: string, name: string, headers: Step['headers'] = {}): Step {
  return { as, method: 'POST', path: `${policies}/{${name}}/cancel`, headers };
}

export function list(as: string, query = ''): Step {
  return { as, method: 'GET', path: `${policies}${query}` };
}

/** How a new client gets a token of this scope, which is kept as `narrow`. */
export function narrowToken(scope: string): Step[] {
  const json = { client_id: '{id}', client_secret: '{secret}', scope };
  return [newClient, { method: 'POST', path: '/insurer/v1/auth/token', json, keep: { narrow: '/access_token' } }];
}

export const withNarrow = { Authorization: 'Bearer {narrow}' };
