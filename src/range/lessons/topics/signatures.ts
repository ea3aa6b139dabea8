import { isDeepStrictEqual } from 'node:util';
import { signedCheck } from '../calls.ts';
import { type Entry, jsonOf, methodOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { LessonTopic, Verdict } from '../lesson.ts';

/*
 * A signature is of bytes, not of what they mean.
 */

const checkPath = '/insurer/v1/signed/policy-check';

/** Tells whether a call was accepted with its signature, and its body is known. */
const isAccepted = ({ call, status, sent }: Entry) => call === signedCheck && status === 200 && sent.text !== '';

const accepted = (history: History) => history.all(isAccepted);

/** What the log shows in the place of a signature; empty where there was none. */
const signatureOf = ({ sent }: Entry) => sent.headers['x-signature'] ?? '';

const hasSignature = (entry: Entry) => !/^$|^\(signature, 0 /.test(signatureOf(entry));

const isHexadecimal = (entry: Entry) =>
  /^\(signature [\da-f]{8}, 64 characters, hexadecimal\)$/.test(signatureOf(entry));

const isInvalid = ({ problem }: Entry) => problem === 'invalid-signature';

const isRefused = (entry: Entry) => isInvalid(entry) && isHexadecimal(entry);

/** Explains a call that was not accepted with its signature. */
function notAccepted(entry: Entry): Verdict {
  const { call, path, status } = entry;
  if (status === 405 && path === checkPath)
    return `The address is right, but ${methodOf(entry)} has no body to sign. Use another method.`;
  if (call !== signedCheck || status >= 429) return false;
  if (!isInvalid(entry)) return 'The signature is right. The answer says what is wrong with the rest of the call.';
  if (!hasSignature(entry)) return 'No signature came with the call. It belongs in a header of its own.';
  if (!isHexadecimal(entry))
    return 'The signature came, but not in the right form: it was made or written in another way. The answer says what it looks like.';
  return 'The signature has the right form, but it was made of other bytes, with another key or in another way. The answer says what is known.';
}

/** Tells whether one character was changed, added or removed. */
function differByOne(a: string, b: string): boolean {
  if (a === b) return false;
  let start = 0;
  while (a[start] === b[start]) start += 1;
  const longer = Math.max(a.length, b.length);
  const skipped = (text: string) => (text.length === longer ? start + 1 : start);
  return a.slice(skipped(a)) === b.slice(skipped(b));
}

/** Tells whether a call was refused because its body has one character other than one that was accepted with its signature. */
const isChangedByte = (entry: Entry, history: History) =>
  entry.call === signedCheck &&
  isRefused(entry) &&
  accepted(history).some(
    (each) => differByOne(each.sent.text, entry.sent.text) && signatureOf(each) === signatureOf(entry),
  );

/** Explains a changed body whose signature is not that of an accepted one. */
function untouched(entry: Entry, before: readonly Entry[]): Verdict {
  const changed = ({ sent }: Entry) => differByOne(sent.text, entry.sent.text);
  if (!before.some((each) => changed(each) && !isSameValue(each, entry))) return false;
  if (entry.status === 200)
    return 'You signed the changed body again, so it was accepted. Send it with the signature of the call before.';
  if (!isInvalid(entry)) return false;
  if (!hasSignature(entry))
    return 'The header X-Signature is missing. Send the changed body with the signature of the call before.';
  return 'You changed the signature as well. Change the body alone, and leave the signature as it was.';
}

/** Tells whether two bodies are the same JSON in other bytes. */
function isSameValue({ sent: a }: Entry, { sent: b }: Entry): boolean {
  const value = jsonOf(a);
  return value !== undefined && a.text !== b.text && isDeepStrictEqual(value, jsonOf(b));
}

const withoutSpace = ({ sent }: Entry) => sent.text.replaceAll(/\s/g, '');

/** Explains a body in other white space that is not the same JSON as one before, or was not accepted. */
function otherValue(entry: Entry, history: History): Verdict {
  const before = accepted(history);
  if (before.some((each) => isSameValue(each, entry))) {
    if (!isInvalid(entry)) return 'The signature is right. The answer says what is wrong with the rest of the call.';
    return hasSignature(entry)
      ? 'The white space has changed, so the signature must change, too: sign the bytes that you send.'
      : 'The white space has changed, but there is no signature. Sign these bytes, too.';
  }
  const isSpaced = (each: Entry) =>
    withoutSpace(each) === withoutSpace(entry) && each.sent.text !== entry.sent.text && jsonOf(each.sent) !== undefined;
  if (!isInvalid(entry) && before.some(isSpaced) && jsonOf(entry.sent) !== undefined)
    return 'White space inside a text is a part of the text. Change the white space around it alone.';
  if (entry.status !== 200) return false;
  if (before.some(({ sent }) => sent.text === entry.sent.text))
    return 'These are the same bytes as before. Change the white space, and sign again.';
  if (before.length === 0 || withoutSpace(entry) === entry.sent.text) return false;
  const hasSpace = before.every((each) => withoutSpace(each) === each.sent.text);
  return hasSpace && 'The white space has changed, but so has what the JSON says. Change nothing but the white space.';
}

export const signatures: LessonTopic = {
  id: 'signatures',
  title: 'Signatures',
  lessons: [
    {
      id: 'signed-body',
      title: 'Sign a body',
      level: 2,
      goal: 'Ask POST /insurer/v1/signed/policy-check whether a vehicle is insured. Sign the body with HMAC-SHA256 and the secret `HMAC_SECRET`, and send the signature in the header `X-Signature`. The secret is printed when L-Plate starts; in a course, ask your trainer. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'A signature shows who sent a message and that nobody changed it, and the secret itself is never sent.',
      hints: [
        'The signature is 64 hexadecimal digits: HMAC-SHA256 of the bytes of the body, with the secret as the key.',
        'Put the body, `{"regNumber":"AB-1234"}`, into a file, sign that file and send it as it is: with --data-binary of curl, not -d. A refusal says what seems to be wrong.',
        '`printf %s \'{"regNumber":"AB-1234"}\' > body.json; SIGNATURE=$(openssl dgst -sha256 -hmac "$HMAC_SECRET" -r body.json | cut -c1-64); curl $ROOT/for/$CLIENT_ID/insurer/v1/signed/policy-check -H "Content-Type: application/json" -H "X-Signature: $SIGNATURE" --data-binary @body.json`, where `HMAC_SECRET` is the secret.',
      ],
      sections: ['Endpoints, 10', 'Authentication, 8'],
      buildsOn: ['coverage-options'],
      remember:
        'Sign the exact bytes of the body, with the shared secret as the key. Send the signature in its header.',
      without:
        'Anybody who knows the address can send an order in your name, and nobody can prove that it was not you.',
      shortestWay: 1,
      way: [signedCheck],
      steps: [
        {
          title: 'Have a signed body accepted',
          judge: (entry) => (entry.call === signedCheck && entry.status === 200) || notAccepted(entry),
        },
      ],
    },
    {
      id: 'changed-byte',
      title: 'One changed byte',
      level: 2,
      goal: 'Take a signed call that was accepted. Change one character of its body, leave the signature as it is, and see the call refused. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'This is what a signature is for: if somebody on the way changes what you sent, the receiver notices.',
      hints: [
        'First have a call accepted. Send it again with one letter, digit or space changed.',
        'Don’t compute the signature again: keep the one of the first call.',
        'The body `{"regNumber":"AB-1235"}` with the signature of `{"regNumber":"AB-1234"}` is refused with 401.',
      ],
      sections: ['Endpoints, 10', 'Endpoints, rule 5', 'Authentication, 8', 'Errors, 1'],
      buildsOn: ['signed-body'],
      remember: 'A signature belongs to one body only. One other character, and it does not fit.',
      without:
        'Somebody on the way changes an account number, and the money goes there. Nobody notices before the customer asks.',
      shortestWay: 2,
      way: [signedCheck, `${signedCheck} 401`],
      steps: [
        {
          title: 'Send a signed body with one character changed, and the old signature',
          judge(entry, history) {
            if (entry.call !== signedCheck || entry.sent.text === '') return false;
            const before = accepted(history);
            if (!isRefused(entry)) return untouched(entry, before);
            if (isChangedByte(entry, history)) return true;
            if (before.some(({ sent }) => sent.text === entry.sent.text))
              return 'You changed the signature. Change one character of the body, and leave the signature as it was.';
            const isKnown = before.some((each) => signatureOf(each) === signatureOf(entry));
            if (!isKnown && before.some(({ sent }) => differByOne(sent.text, entry.sent.text)))
              return 'No call with this signature was accepted, so it is refused with any body. Send the changed body with the signature of the call that was accepted.';
            if (before.length > 0) return 'The body differs from one that was accepted in more than one character.';
            return 'No call with this signature was accepted as yours yet. First have the unchanged body accepted.';
          },
        },
      ],
    },
    {
      id: 'other-white-space',
      title: 'The same, in other bytes',
      level: 2,
      goal: 'Take a signed call that was accepted. Send the same JSON with other white space: more spaces, or more lines. Sign the new bytes, so that this call is accepted, too. Begin the path with /for/ and your `client_id`, so that the call counts as yours.',
      why: 'Libraries write the same JSON in different ways, so sign exactly the bytes that you send, never the object that they were made from.',
      hints: [
        'White space between the parts of a JSON text has no meaning, but a signature sees it.',
        'The regNumber stays the same. The bytes are others, so the signature has to be computed again.',
        'For example `{"regNumber": "AB-1234"}` after `{"regNumber":"AB-1234"}`, each with a signature of its own.',
      ],
      sections: ['Endpoints, 10', 'Authentication, 8'],
      buildsOn: ['changed-byte'],
      remember: 'The same JSON can be written in different bytes. Make the text once, sign it, and send that text.',
      without:
        'The library writes the object again before it is sent. Each signature is refused, in one system only, and both sides say that theirs is right.',
      shortestWay: 2,
      way: [signedCheck],
      steps: [
        {
          title: 'Send the same JSON with other white space, and its own signature',
          judge(entry, history) {
            if (entry.call !== signedCheck || entry.status >= 429) return false;
            const isRight = entry.status === 200 && accepted(history).some((each) => isSameValue(each, entry));
            return isRight || otherValue(entry, history);
          },
        },
      ],
    },
  ],
};
