import { placeholder, unset } from '../http/requests/id-advice.ts';
import { fromBase64, fromUtf8 } from '../text/bytes.ts';
import { objectText, promiseText } from '../text/object-text.ts';
import { otherDash, unseen } from '../text/typed-text.ts';

/*
 * What can be said of refused credentials without helping anybody to guess. All of it follows from what was sent, never
 * from what is kept: an unknown client and a wrong secret of the same form get the same text, after the same work. No
 * text repeats a part of what was sent.
 */

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Characters of each of the two that are looked at. */
const maxCharacters = 300;

const demoId = /^demo-[0-9a-f]{20}$/;
const presetId = /^preset-(?:reader|fleet)$/;

/** The form of a demo client's secret. Those of the preconfigured clients can have any form. */
const demoSecret = /^[\w-]{43}$/;

/** The length of such a secret. */
const secretLength = 43;

type Finding = readonly [found: boolean, says: string];

/** Says what is wrong with the form of refused credentials, as a sentence; undefined where their form is right. */
export function credentialAdvice({ clientId, clientSecret }: Credentials): string | undefined {
  const id = clientId.slice(0, maxCharacters);
  const secret = clientSecret.slice(0, maxCharacters);
  const known = demoId.test(id) || presetId.test(id);
  const findings: Finding[] = [
    [demoSecret.test(id) && demoId.test(secret), 'client_id and client_secret are swapped.'],
    ...asText('client_id', id),
    [demoSecret.test(id), 'A client_secret was sent as client_id.'],
    [otherDash.test(id), 'The client_id has a dash that is no hyphen, as editors write them: write -.'],
    [unseen.test(id), 'The client_id has a character that is not seen: copy it again.'],
    [!known, `The client_id has another form than those of this server: ${ids}`],
    ...asText('client_secret', secret),
    [secret === id || demoId.test(secret), 'A client_id was sent as client_secret.'],
    ...(demoId.test(id) ? ofDemoClient(secret) : []),
  ];
  return findings.find(([found]) => found)?.[1];
}

const ids = 'they begin with demo-, with 20 hexadecimal digits after it (or are preset-reader or preset-fleet).';

function asText(name: string, text: string): Finding[] {
  return [
    [text === '', `The ${name} is empty: was the variable with it set?`],
    [unset.test(text), `The ${name} is what a variable without a value gives: set it first.`],
    [promiseText.test(text), `The ${name} is a promise that was made into a text: await it.`],
    [objectText.test(text), `The ${name} is an object that was made into a text: send its value.`],
    [placeholder.test(text), `The ${name} is a placeholder: put the value in its place.`],
    [/^\s|\s$/.test(text), `The ${name} has white space or a line end around it: remove it.`],
    [/^["'“‘].*["'”’]$/s.test(text), `The ${name} has quotes around it: remove them.`],
    [/^eyJ/.test(text), `A token was sent as ${name}: send the values that POST /demo-clients gave.`],
  ];
}

function ofDemoClient(secret: string): Finding[] {
  const { length } = secret;
  const cut = `The client_secret has ${length} characters, but those of this server have ${secretLength}: was it cut?`;
  return [
    [/%[0-9a-f]{2}/i.test(secret), 'The client_secret is URL-encoded once too often.'],
    [length < secretLength, cut],
    [length > secretLength, `The client_secret has more than ${secretLength} characters: send the secret alone.`],
    [otherDash.test(secret), 'The client_secret has a dash that is no hyphen, as editors write them: write -.'],
    [!demoSecret.test(secret), 'The client_secret has characters that no secret of this server has.'],
  ];
}

/** What stands after the word Basic. */
export const afterBasic = (header: string) => header.slice('basic'.length).replace(/^[ \t]+/, '');

/** What is wrong with an `Authorization: Basic …`, as a sentence; undefined where it can be read. */
export function basicAdvice(header: string): string | undefined {
  const encoded = afterBasic(header);
  if (encoded === '') return `There is nothing after the word Basic. ${howBasic}`;
  if (encoded.includes(':')) return `What comes after Basic is not encoded in Base64. ${howBasic}`;
  const bytes = fromBase64(encoded);
  if (!bytes)
    return `What comes after Basic is not Base64, which has = at its end up to a multiple of four. ${howBasic}`;
  const text = fromUtf8(bytes);
  if (text === undefined) return `What comes after Basic is Base64, but not of a text in UTF-8. ${howBasic}`;
  if (!text.includes(':')) return `The text in Base64 has no colon between client_id and client_secret. ${howBasic}`;
  if (!isFormEncoded(text))
    return 'The text in Base64 has a % without two hexadecimal digits after it: write % as %25.';
  return undefined;
}

const howBasic = 'Send Basic and the Base64 of client_id:client_secret; curl -u client_id:client_secret does so.';

function isFormEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
