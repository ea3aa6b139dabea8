import type { Step } from '../stage.ts';

/*
 * Steps that the cases of several stages have.
 */

export const policies = '/insurer/v1/policies';

/** A client whose credentials later steps name: `{id}` and `{secret}`. */
export const newClient: Step = {
  method: 'POST',
  path: '/insurer/v1/demo-clients',
  keep: { id: '/client_id', secret: '/client_secret' },
};

/** A policy by this body, whose id is kept by the name, if there is one. */
export function insureBy(as: string, json: object, name?: string): Step {
  return { as, method: 'POST', path: policies, json, ...(name !== undefined && { keep: { [name]: '/id' } }) };
}

/** A policy for a vehicle, whose id is kept by this name. */
export function insure(as: string, name: string, regNumber = '{plate1}', holder?: string): Step {
  return insureBy(as, { regNumber, ...(holder !== undefined && { holder }) }, name);
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

/** Gets a token of a client that was named: the one that it bears from then on. */
export const newToken = (as: string): Step => ({
  ...{ method: 'POST', path: '/insurer/v1/auth/token' },
  json: { client_id: `{${as}.id}`, client_secret: `{${as}.secret}` },
  keep: { [`${as}.token`]: '/access_token' },
});

/** How a new client gets a token of this scope, which is kept as `narrow`. */
export function narrowToken(scope: string): Step[] {
  const json = { client_id: '{id}', client_secret: '{secret}', scope };
  return [newClient, { method: 'POST', path: '/insurer/v1/auth/token', json, keep: { narrow: '/access_token' } }];
}

export const withNarrow = { Authorization: 'Bearer {narrow}' };
