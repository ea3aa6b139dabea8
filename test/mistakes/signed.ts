import { gzipSync } from 'node:zlib';
import { sign } from '../support/lplate.ts';
import type { Mistake } from './mistake.ts';

/* The signed check: with a good signature, what is wrong is the body. */

const right = 'The signature is right, but the body is not accepted.';

const signed = (
  title: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  status: number,
  ...says: Mistake['says']
): Mistake => ({
  title: `signed: ${title}`,
  send: ({ call }) =>
    call('POST', '/signed/policy-check', {
      token: undefined,
      body,
      headers: { 'Content-Type': 'application/json', 'X-Signature': sign(body), ...headers },
    }),
  status,
  says: [right, ...says],
});

const body = '{"regNumber":"SG-0001"}';

export const signedRequests: readonly Mistake[] = [
  {
    title: 'signed: the secret itself as signature, which does not come back',
    send: ({ call, lplate }) => {
      const headers = { 'Content-Type': 'application/json', 'X-Signature': lplate.secrets.hmacSecret };
      return call('POST', '/signed/policy-check', { token: undefined, body, headers });
    },
    status: 401,
    says: [/\/problems\/invalid-signature/, '64 hexadecimal digits', /^(?!.*test-hmac-secret)/s],
  },
  signed('no content type of JSON', body, { 'Content-Type': 'text/plain' }, 415, 'Send it as application/json.'),
  signed(
    'a form',
    'regNumber=SG-0001',
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    415,
    'application/json',
  ),
  signed('single quotes', "{'regNumber':'SG-0001'}", {}, 400, /\/problems\/malformed-json/),
  signed('a body that is cut', '{"regNumber":', {}, 400, /\/problems\/malformed-json/),
  signed('an empty body', '', {}, 400, /\/problems\/malformed-json/),
  signed('the registration number missing', '{}', {}, 400, '/regNumber'),
  signed('a space in the registration number', '{"regNumber":"SG 0001"}', {}, 400, '/regNumber'),
  signed('a list', '[{"regNumber":"SG-0001"}]', {}, 400, /\/problems\/validation-error/),
  signed(
    'a packed body',
    new Uint8Array(gzipSync(body)),
    { 'Content-Encoding': 'gzip' },
    415,
    'Content-Encoding: gzip',
  ),
];
