import { createHmac } from 'node:crypto';
import { hmacKey } from '../side.ts';
import type { StageCalls, Step } from '../stage.ts';
import { cancel, insure } from './policy-steps.ts';

const json = { 'Content-Type': 'application/json' };
const signed = { 'X-Signature': '{signature}' };

/** A check with this body, byte for byte. */
const check = (body: string, headers: Step['headers'] = signed): Step => ({
  method: 'POST',
  path: '/insurer/v1/signed/policy-check',
  headers: { ...json, ...headers },
  body,
});

/** The signature of another body than is sent. */
const signatureOf = (body: string) => ({
  'X-Signature': createHmac('sha256', hmacKey).update(body).digest('hex'),
});

const car = '{"regNumber":"{plate1}"}';
const sameCar = '{"regNumber":"AB-1234"}';
const spaced = '{ "regNumber" : "AB-1234" }\n';

export const signedCheck: StageCalls = {
  reads: 'POST /insurer/v1/signed/policy-check',
  cases: [
    { title: 'A vehicle without a policy is not insured.', steps: [check(car)] },
    { title: 'A vehicle with a policy is insured.', steps: [insure('ann', 'one'), check(car)] },
    {
      title: 'Case and dashes make no difference, and regNumber is as it was sent.',
      steps: [insure('ann', 'one', 'AB-{plate1}'), check('{"regNumber":"ab{plate1}"}')],
    },
    {
      title: 'A vehicle whose policy was cancelled is not insured.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), check(car)],
    },
    { title: 'The signature is of the bytes, white space and all.', steps: [check('{ "regNumber" : "{plate1}" }\n')] },
    {
      title: 'The signature is of the bytes in UTF-8.',
      steps: [check('{"regNumber":"{plate1}","remark":"für Zoë"}')],
    },
    {
      title: 'A signature of the same JSON with other white space is refused.',
      steps: [check(spaced, signatureOf(sameCar))],
    },
    {
      title: 'A signature of a body that differs by one character is refused.',
      steps: [check(sameCar, signatureOf('{"regNumber":"AB-1235"}'))],
    },
    { title: 'A check without a signature is refused with invalid-signature.', steps: [check(car, {})] },
    { title: 'A token is no signature.', steps: [{ ...check(car, {}), as: 'ann' }] },
    {
      title: 'The digits can be in capitals.',
      steps: [
        check('{"regNumber":""}', { 'X-Signature': signatureOf('{"regNumber":""}')['X-Signature'].toUpperCase() }),
      ],
    },
    { title: 'A signature with digits after it is refused.', steps: [check(car, { 'X-Signature': '{signature}00' })] },
    {
      title: 'The first half of the signature is refused.',
      steps: [check(sameCar, { 'X-Signature': signatureOf(sameCar)['X-Signature'].slice(0, 32) })],
    },
    ...[
      ['A signature of zeros', '0'.repeat(64)],
      ['A signature that is cut off', '00'],
      ['A signature that is not hexadecimal', 'x'.repeat(64)],
    ].map(([what, signature]) => ({
      title: `${what} is refused.`,
      steps: [check(car, { 'X-Signature': signature as string })],
    })),
    { title: 'Without a signature nothing of the body is told.', steps: [check('{', {})] },
    { title: 'JSON that can’t be read is refused with malformed-json.', steps: [check('{"regNumber":')] },
    { title: 'A body without regNumber is refused.', steps: [check('{}')] },
    { title: 'A regNumber with a blank is refused.', steps: [check('{"regNumber":"AB 1234"}')] },
    {
      title: 'A body that is not JSON is refused with unsupported-media-type.',
      steps: [check(car, { ...signed, 'Content-Type': 'text/plain' })],
    },
  ],
};
