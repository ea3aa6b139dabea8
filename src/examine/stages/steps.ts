import type { Step } from '../stage.ts';

/** A client whose credentials later steps name: `{id}` and `{secret}`. */
export const newClient: Step = {
  method: 'POST',
  path: '/insurer/v1/demo-clients',
  keep: { id: '/client_id', secret: '/client_secret' },
};

const insured = (json: object): Step => ({ as: 'ann', method: 'POST', path: '/insurer/v1/policies', json });

/** A policy of `ann` for `{plate1}`, which later steps name `{one}`. */
export const newPolicy: Step = { ...insured({ regNumber: '{plate1}' }), keep: { one: '/id' } };

/** A body for a new policy of `ann`. */
export const insure = insured;
