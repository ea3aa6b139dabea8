import { isDeepStrictEqual } from 'node:util';
import { type Entry, jsonOf } from '../entry.ts';
import type { History } from '../history.ts';
import type { Topic, Verdict } from '../lesson.ts';

/*
 * A signature is of bytes, not of what they mean.
 */

const check = 'POST /insurer/v1/signed/policy-check';

/** Calls that were accepted with their signature, and whose body is known. */
const accepted = (history: History) =>
  history.all(({ call, status, sent }) => call === check && status === 200 && sent.text !== '');

const isRefused = ({ problem, sent }: Entry) =>
  problem === 'invalid-signature' && sent.headers['x-signature'] === '(signature, 64 characters, hexadecimal)';

/** Tells whether one character was changed, added or removed. */
function differByOne(a: string, b: string): boolean {
  if (a === b) return false;
  let start = 0;
  while (a[start] === b[start]) start += 1;
  const longer = Math.max(a.length, b.length);
  const skipped = (text: string) => (text.length === longer ? start + 1 : start);
  return a.slice(skipped(a)) === b.slice(skipped(b));
}

/** Explains a changed body whose signature is not that of an accepted one. */
function untouched(entry: Entry, before: readonly Entry[]): Verdict {
  const changed = ({ sent }: Entry) => differByOne(sent.text, entry.sent.text);
  if (!before.some((each) => changed(each) && !isSameValue(each, entry))) return false;
  if (entry.status === 200) {
    return 'You signed the changed body anew, so it was accepted. Send it with the signature of the call before.';
  }
  const isMissing = entry.problem === 'invalid-signature' && (entry.sent.headers['x-signature'] ?? '') === '';
  return isMissing && 'The header X-Signature is missing. Send the changed body with the signature of the call before.';
}

/** Tells whether two bodies are the same JSON in other bytes. */
function isSameValue({ sent: a }: Entry, { sent: b }: Entry): boolean {
  const value = jsonOf(a);
  return value !== undefined && a.text !== b.text && isDeepStrictEqual(value, jsonOf(b));
}

export const signatures: Topic = {
  id: 'signatures',
  title: 'Signatures',
  lessons: [
    {
      id: 'signed-body',
      title: 'Sign a body',
      level: 2,
      goal: 'Ask POST /signed/policy-check whether a vehicle is insured. Sign the body with HMAC-SHA256 and the secret HMAC_SECRET, and send the signature in the header X-Signature. The secret is printed when L-Plate starts; in a course, ask your trainer. Begin the path with /for/ and your client_id, so that the call counts as yours.',
      why: 'A signature shows who sent a message and that nobody changed it, and the secret itself is never sent.',
      hints: [
        'The signature is 64 hexadecimal digits: HMAC-SHA256 of the bytes of the body, with the secret as the key.',
        'Put the body, `{"regNumber":"AB-1234"}`, into a file, sign that file and send it as it is: with --data-binary of curl, not -d. A refusal says what seems to be wrong.',
        '`printf %s \'{"regNumber":"AB-1234"}\' > body.json; SIGNATURE=$(openssl dgst -sha256 -hmac "$HMAC_SECRET" -r body.json | cut -c1-64); curl $ROOT/for/$CLIENT_ID/insurer/v1/signed/policy-check -H "Content-Type: application/json" -H "X-Signature: $SIGNATURE" --data-binary @body.json`, where `HMAC_SECRET` is the secret.',
      ],
      sections: ['Endpoints, 10', 'Authentication, 8'],
      buildsOn: ['coverage-options'],
      steps: [
        {
          title: 'Sign a body',
          judge: ({ call, status }) => call === check && status === 200,
        },
      ],
    },
    {
      id: 'changed-byte',
      title: 'One changed byte',
      level: 2,
      goal: 'Take a signed call that was accepted, with /for/ and your client_id at the start of its path. Change one character of its body, leave the signature as it is, and see the call refused.',
      why: 'This is what a signature is for: nobody on the way can change what you sent without being noticed.',
      hints: [
        'First have a call accepted. Send it again with one letter, digit or space changed.',
        'Don’t compute the signature again: keep the one of the first call.',
        'The body `{"regNumber":"AB-1235"}` with the signature of `{"regNumber":"AB-1234"}` is refused with 401.',
      ],
      sections: ['Endpoints, 10', 'Endpoints, rule 5', 'Authentication, 8', 'Errors, 1'],
      buildsOn: ['signed-body'],
      steps: [
        {
          title: 'One changed byte',
          judge(entry, history) {
            if (entry.call !== check || entry.sent.text === '') return false;
            const before = accepted(history);
            if (!isRefused(entry)) return untouched(entry, before);
            if (before.some(({ sent }) => differByOne(sent.text, entry.sent.text))) return true;
            if (before.some(({ sent }) => sent.text === entry.sent.text)) {
              return 'You changed the signature. Change one character of the body, and leave the signature as it was.';
            }
            return before.length > 0 && 'The body differs from one that was accepted in more than one character.';
          },
        },
      ],
    },
    {
      id: 'other-white-space',
      title: 'The same, in other bytes',
      level: 2,
      goal: 'Take a signed call that was accepted, with /for/ and your client_id at the start of its path, and send the same JSON with other white space: more spaces, or lines. Sign the new bytes, so that this call is accepted, too.',
      why: 'Libraries write the same JSON in different ways, so sign exactly the bytes that you send, never the object that they were made of.',
      hints: [
        'White space between the parts of a JSON text has no meaning, but a signature sees it.',
        'The regNumber stays the same. The bytes are others, so the signature has to be computed again.',
        'For example `{"regNumber": "AB-1234"}` after `{"regNumber":"AB-1234"}`, each with a signature of its own.',
      ],
      sections: ['Endpoints, 10', 'Authentication, 8'],
      buildsOn: ['changed-byte'],
      steps: [
        {
          title: 'The same, in other bytes',
          judge(entry, history) {
            if (entry.call !== check || !accepted(history).some((each) => isSameValue(each, entry))) return false;
            if (entry.status === 200) return true;
            return (
              isRefused(entry) &&
              'The white space is other than before, so the signature must be, too: sign the bytes that you send.'
            );
          },
        },
      ],
    },
  ],
};
