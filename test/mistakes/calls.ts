import { type Answer, type CallOptions, sign } from '../support/lplate.ts';
import type { Learner } from './mistake.ts';

export const claimsPath = '/claims/v1';
export const topic = `${claimsPath}/topics/claims.status-changed`;
export const jsonType = { 'Content-Type': 'application/json' };

/** A body with its content type: JSON, whatever it is. */
export const asJson = (body: string | Uint8Array<ArrayBuffer>): CallOptions => ({ body, headers: jsonType });

/** A body as a form. */
export const form = (fields: Record<string, string>): CallOptions => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
});

/** The signed check of a body, with the right signature. */
export const signed = ({ lplate }: Learner, body: string): Promise<Answer> =>
  lplate.call('POST', '/signed/policy-check', { body, headers: { ...jsonType, 'X-Signature': sign(body) } });
