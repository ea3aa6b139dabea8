import { createHmac } from 'node:crypto';

// lesson: signed-body
/** Printed when L-Plate starts; also in data/secrets.json. */
const secret = process.env.HMAC_SECRET;
// end

/** Lessons “Signatures”. */
export async function signatures(me) {
  if (!secret) throw new Error('Set HMAC_SECRET to the secret that L-Plate printed when it started.');
  // lesson: signed-body, changed-byte, other-white-space
  const sign = (body) => createHmac('sha256', secret).update(body).digest('hex');
  const check = (body, signature) =>
    me.bare('POST', '/insurer/v1/signed/policy-check', {
      headers: { 'Content-Type': 'application/json', 'X-Signature': signature },
      body,
    });

  // The signature is of the bytes that are sent.
  const body = '{"regNumber":"AB-1234"}';
  await check(body, sign(body));

  // lesson: changed-byte
  // One other character, and the signature does not fit any more.
  await check('{"regNumber":"AB-1235"}', sign(body));

  // lesson: other-white-space
  // The same JSON in other bytes needs a signature of its own.
  const spaced = JSON.stringify(JSON.parse(body), null, 2);
  await check(spaced, sign(spaced));
  // end
}
