import type { Stage, Step } from '../stage.ts';
import { cancel, insure } from './steps.ts';

const json = { 'Content-Type': 'application/json' };

/** A check with this body, byte for byte. */
const check = (body: string, more: Partial<Step> = { sign: true }): Step => ({
  method: 'POST',
  path: '/insurer/v1/signed/policy-check',
  headers: json,
  body,
  ...more,
});

const car = '{"regNumber":"EX-{plate}"}';
const spaced = '{ "regNumber" : "EX-{plate}" }\n';

export const signedCheck: Stage = {
  name: 'signed-check',
  goal: 'You say whether a vehicle is insured today to whoever signed the bytes of the body with your secret.',
  reads: 'POST /insurer/v1/signed/policy-check',
  lessons: ['signed-body', 'changed-byte', 'other-white-space'],
  needs: 'secret',
  cases: [
    { title: 'A vehicle without a policy is not insured.', steps: [check(car)] },
    { title: 'A vehicle with a policy is insured.', steps: [insure('ann', 'one'), check(car)] },
    {
      title: 'Case and dashes make no difference, and regNumber is as it was sent.',
      steps: [insure('ann', 'one'), check('{"regNumber":"ex{plate}"}')],
    },
    {
      title: 'A vehicle whose policy was cancelled is not insured.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), check(car)],
    },
    { title: 'The signature is of the bytes, white space and all.', steps: [check(spaced)] },
    {
      title: 'The signature is of the bytes in UTF-8.',
      steps: [check('{"regNumber":"EX-{plate}","remark":"für Zoë"}')],
    },
    {
      title: 'A signature of the same JSON with other white space is refused.',
      steps: [check(spaced, { sign: car })],
    },
    {
      title: 'A signature of a body that differs by one character is refused.',
      steps: [check(car, { sign: '{"regNumber":"EX-{plate}!"}' })],
    },
    { title: 'A check without a signature is refused with invalid-signature.', steps: [check(car, {})] },
    { title: 'A token is no signature.', steps: [check(car, { as: 'ann' })] },
    ...[
      ['A signature of zeros', '0'.repeat(64)],
      ['A signature that is cut off', '00'],
      ['A signature that is not hexadecimal', 'x'.repeat(64)],
    ].map(([what, signature]) => ({
      title: `${what} is refused.`,
      steps: [check(car, { headers: { ...json, 'X-Signature': signature as string } })],
    })),
    { title: 'Without a signature nothing of the body is told.', steps: [check('{', {})] },
    { title: 'JSON that can’t be read is refused with malformed-json.', steps: [check('{"regNumber":')] },
    { title: 'A body without regNumber is refused.', steps: [check('{}')] },
    { title: 'A regNumber with a blank is refused.', steps: [check('{"regNumber":"EX {plate}"}')] },
    {
      title: 'A body that is not JSON is refused with unsupported-media-type.',
      steps: [check(car, { sign: true, headers: { 'Content-Type': 'text/plain' } })],
    },
  ],
};
