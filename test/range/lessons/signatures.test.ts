import { equal } from 'node:assert/strict';
import { sign } from '../../support/lplate.ts';
import { type Learner, newPlate, testLessons } from './lesson.ts';

const json = { 'Content-Type': 'application/json' };

const body = '{"regNumber":"AB-1234"}';
const spaced = '{"regNumber": "AB-1234"}';
const long = JSON.stringify({ regNumber: 'AB-1234', note: 'x'.repeat(2000) });

function check({ bare }: Learner, body: string, signature = sign(body), headers: Record<string, string> = json) {
  const signed = { ...headers, ...(signature && { 'X-Signature': signature }) };
  return bare('POST', '/insurer/v1/signed/policy-check', { headers: signed, body });
}

async function accept(learner: Learner, text = body) {
  equal((await check(learner, text)).status, 200);
}

/** Has one body accepted, and sends another one. */
const afterwards = (text: string, signature?: string, headers?: Record<string, string>) => async (learner: Learner) => {
  await accept(learner);
  return check(learner, text, signature, headers);
};

testLessons({
  'signed-body': {
    solve: (learner) => check(learner, body),
    misses: {
      'a wrong signature': (learner) => check(learner, body, sign(spaced)),
      'a wrong body': (learner) => check(learner, '{}'),
      'no signature': (learner) => check(learner, body, ''),
      'an empty signature': ({ bare }) =>
        bare('POST', '/insurer/v1/signed/policy-check', { headers: { ...json, 'X-Signature': '' }, body }),
      'in base64': (learner) => check(learner, body, Buffer.from(sign(body), 'hex').toString('base64')),
      'another algorithm': (learner) => check(learner, body, 'a'.repeat(40)),
      'another method': ({ bare }) => bare('GET', '/insurer/v1/signed/policy-check'),
      'another call': ({ bare }) => bare('GET', '/insurer/v1/coverage-options'),
      'a bare path': ({ bare }) => bare('GET', '/insurer/v1/signed'),
    },
    remarks: {
      'a wrong signature': /made of other bytes, with another key/,
      'a wrong body': /^The signature is right/,
      'no signature': /^No signature came/,
      'an empty signature': /^No signature came/,
      'in base64': /not in the right form/,
      'another algorithm': /made or written in another way/,
      'another method': /GET has no body to sign/,
    },
  },

  'changed-byte': {
    solve: afterwards('{"regNumber":"AB-1235"}', sign(body)),
    alsoSolvedBy: {
      'one more': afterwards(`${body}\n`, sign(body)),
      'in capitals': afterwards('{"regNumber":"AB-1235"}', sign(body).toUpperCase()),
      'one less': afterwards('{"regNumber":"AB-123"}', sign(body)),
    },
    misses: {
      'signed anew': afterwards('{"regNumber":"AB-1235"}'),
      'another signature': afterwards(body, sign('')),
      'a made-up signature': afterwards('{"regNumber":"AB-1235"}', 'a'.repeat(64)),
      'the signature of a body that was never sent': afterwards('{"regNumber":"AB-1235"}', sign(spaced)),
      'two characters': afterwards('{"regNumber":"AB-1243"}', sign(body)),
      'one more and one other': afterwards('{"regNumber":"AC-12345"}', sign(body)),
      'two more': afterwards(`${body}\n\n`, sign(body)),
      'no signature': afterwards('{"regNumber":"AB-1235"}', ''),
      'no signature, and the same body': afterwards(body, ''),
      'no signature, and two characters': afterwards('{"regNumber":"AB-1243"}', ''),
      'signed anew, and two characters': afterwards('{"regNumber":"AB-1243"}'),
      'the same in other bytes': afterwards(spaced),
      'half a signature': afterwards('{"regNumber":"AB-1235"}', sign(body).slice(32)),
      'wrong JSON': afterwards(body.slice(1)),
      'one that was refused': async (learner) => {
        await check(learner, body, sign(spaced));
        await check(learner, '{"regNumber":"AB-1235"}', sign(spaced));
      },
      'one that was refused, and other white space': async (learner) => {
        await check(learner, body, sign(long));
        await check(learner, spaced, sign(long));
      },
      'another call': async (learner) => {
        const { id, secret, bare } = learner;
        const credentials = JSON.stringify({ client_id: id, client_secret: secret });
        await bare('POST', '/insurer/v1/auth/token', { headers: json, body: credentials });
        await check(learner, `${credentials} `, sign(credentials));
      },
      'one that is too long to be kept': async (learner) => {
        await accept(learner, long);
        await check(learner, '{', sign(long));
      },
      'nothing was accepted': (learner) => check(learner, body, sign(spaced)),
      'too long to be kept': afterwards(long, sign(body)),
    },
    remarks: {
      'signed anew': /^You signed the changed body again, so it was accepted\./,
      'no signature': /^The header X-Signature is missing\./,
      'half a signature': /You changed the signature as well/,
      'another signature': /You changed the signature/,
      'a made-up signature': /^No call with this signature was accepted/,
      'the signature of a body that was never sent': /^No call with this signature was accepted/,
      'one that was refused': /^No call with this signature was accepted as yours yet/,
      'two characters': /in more than one character/,
      'one more and one other': /in more than one character/,
      'two more': /in more than one character/,
      'one that was refused, and other white space': /No call with this signature was accepted as yours/,
      'another call': /No call with this signature was accepted as yours/,
      'one that is too long to be kept': /No call with this signature was accepted as yours/,
      'nothing was accepted': /No call with this signature was accepted as yours/,
    },
  },

  'other-white-space': {
    solve: afterwards(spaced),
    misses: {
      'the same bytes': afterwards(body),
      'another number': afterwards('{"regNumber": "AB-1235"}'),
      // The service reads it, others may not.
      'another number after a byte order mark': async (learner) => {
        await accept(learner, `\ufeff${body}`);
        await accept(learner, '\ufeff{"regNumber":"AB-1235"}');
      },
      'the first one alone': (learner) => accept(learner, spaced),
      'the same bytes once after changed ones': async (learner) => {
        await accept(learner);
        await check(learner, '{"regNumber":"AB-1235"}', sign(body));
        await accept(learner);
      },
      'the same bytes twice after changed ones': async (learner) => {
        await accept(learner);
        await check(learner, '{"regNumber":"AB-1235"}', sign(body));
        for (let time = 0; time < 2; time += 1) await accept(learner);
      },
      'a space in the number': afterwards('{"regNumber":"AB-1234 "}'),
      'a space in the number, with the old signature': afterwards('{"regNumber":"AB-1234 "}', sign(body)),
      'a space in the number, accepted': afterwards('{"regNumber":"AB 1234"}'),
      'another number, without white space': afterwards('{"regNumber":"AB-1235"}'),
      'signed as before': afterwards(spaced, sign(body)),
      'one that was refused': async (learner) => {
        await check(learner, body, sign(spaced));
        await accept(learner, spaced);
      },
      'without a signature': afterwards(spaced, ''),
      'without its type': afterwards(spaced, sign(spaced), { 'Content-Type': 'text/plain' }),
      'another call': async (learner) => {
        const policy = { regNumber: newPlate(), holder: 'Ada' };
        const { json: created } = await learner.call('POST', '/policies', { json: policy });
        await accept(learner, JSON.stringify(policy));
        const text = JSON.stringify(policy, null, 2);
        const changed = await learner.call('PUT', `/policies/${created.id}`, { headers: json, body: text });
        equal(changed.status, 200);
      },
    },
    remarks: {
      'signed as before': /sign the bytes that you send/,
      'another number': /but so has what the JSON says/,
      'the same bytes twice after changed ones': /the same bytes as before/,
      'a space in the number': /inside a text is a part of the text/,
      'without a signature': /there is no signature/,
      'without its type': /^The signature is right/,
      'the same bytes': /These are the same bytes as before/,
      'the same bytes once after changed ones': /These are the same bytes as before\. Change the/,
    },
  },
});
