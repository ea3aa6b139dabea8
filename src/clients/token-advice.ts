import { placeholder, unset } from '../http/requests/id-advice.ts';
import { objectText, promiseText } from '../text/object-text.ts';
import { mistaken, signatureLength } from './token-forms.ts';

/*
 * What is wrong with a token that was refused, as far as its form alone tells. Nothing is looked up, and no text repeats
 * a part of the token.
 */

/** Characters of a token that are looked at: more than any of ours has. */
const maxCharacters = 4096;

const forms: readonly (readonly [form: RegExp, says: string])[] = [
  [/^bearer\b/i, 'The word Bearer is there twice: send it once'],
  [unset, 'The token is what a variable without a value gives: set the variable to the access_token first'],
  [promiseText, 'The token is a promise that was made into a text: await it'],
  [objectText, 'The token is an object that was made into a text: send its access_token'],
  [placeholder, 'The token is a placeholder: put the access_token in its place'],
  [/^(?:access_?token|token)$/i, 'The token is a placeholder: put the access_token in its place'],
  [/^["'].*["']$/, 'The token is in quotes: send it without them'],
  [/^\{/, 'That is the whole answer of the token endpoint: send only its access_token'],
  [/^(?:access_)?token\s*[=:]/i, 'There is a name before the token: send the access_token alone'],
  [mistaken.clientId, 'That is a client_id, not a token: exchange it, with its client_secret, for one'],
  [mistaken.credentials, 'Those are credentials, not a token: exchange them for one'],
  [mistaken.clientSecret, 'That looks like a client_secret, not a token: exchange it, with its client_id, for one'],
  [mistaken.id, 'That is the id of something, not a token'],
  [mistaken.webhookSecret, 'That is the secret of a webhook, not a token'],
  [/\s|,/, 'There is white space or a comma in the token: send it as one word, without line ends, and the header once'],
];

/** Says what a token seems to be instead of one; undefined where it has the form of ours. Plain ASCII, no full stop. */
export function tokenAdvice(text: string): string | undefined {
  const token = text.slice(0, maxCharacters);
  const found = forms.find(([form]) => form.test(token))?.[1];
  if (found !== undefined) return found;
  const [head = '', , signature, ...others] = token.split('.');
  if (!head.startsWith('eyJ') || others.length > 0) return undefined;
  if (!signature) return 'The token was cut off: it has three parts with dots between them, and the last is missing';
  if (signature.length < signatureLength && isOurs(head)) return 'The end of the token was cut off';
  return undefined;
}

/** Tells whether the header of a token names the algorithm that ours are signed with. */
function isOurs(head: string): boolean {
  return Buffer.from(head, 'base64url').toString('latin1').includes('"ES256"');
}
