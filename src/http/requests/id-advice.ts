import { excerpt } from '../../text/excerpt.ts';
import { objectText, promiseText } from '../../text/object-text.ts';
import { mayBeSecret } from '../../text/shown-value.ts';
import { otherDash, unseen } from '../../text/typed-text.ts';

/** A form that an id may have by mistake, and what is said of it. */
type OtherForm = readonly [form: RegExp, says: string];

/** What the ids of a resource look like, and where they are found. */
export interface IdForm {
  /** With which they begin: `pol-`. */
  readonly prefix: string;
  /** What people send in their place, besides what they send in place of any id. */
  readonly others: readonly OtherForm[];
}

/** The beginning of an id that is looked at. */
const maxCharacters = 200;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * What is wrong with the form of an id, as a sentence with a space before it; empty where nothing is known. It is told
 * by the form alone, and only of ids that no resource can have: so it says nothing of what is there.
 */
export function idAdvice(id: string, { prefix, others }: IdForm): string {
  const text = id.slice(0, maxCharacters);
  const own = others.find(([form]) => form.test(text));
  if (own) return ` ${own[1]}`;
  const common = mistaken(prefix).find(([form]) => form.test(text));
  return common ? ` ${common[1]}` : '';
}

/** An id that was not found, as a detail may repeat it: not if it may be a token or a secret in place of an id. */
export function shownId(id: string): string {
  const shown = mayBeSecret(id) ? `${id.slice(0, 3)}…` : excerpt(id);
  return shown.replaceAll(/\p{Cc}/gu, '?');
}

function mistaken(prefix: string): OtherForm[] {
  return [
    [unset, 'It seems that the variable with the id had no value.'],
    [promiseText, 'That is a promise that was made into a text: await it.'],
    [objectText, 'That is an object that was made into a text: send its id.'],
    [placeholder, 'That is a placeholder: put the id in its place.'],
    [/^\s*$|^\s|\s$/, 'It has white space around it, or nothing else: send the id alone.'],
    [/^["'“‘].*["'”’]$/, 'Send the id without the quotes.'],
    [/^https?:/i, 'Send the id alone, which is the last part of the URL, not the whole URL.'],
    [otherDash, 'It has a dash that is no hyphen, as editors write them: write -.'],
    [unseen, 'It has a character that is not seen: copy the id again.'],
    [/^\d+$/, `Ids are no numbers: they begin with ${prefix}.`],
    [new RegExp(`^${uuid}$`, 'i'), `It lacks its beginning, ${prefix}: send the whole id.`],
    [new RegExp(`^${prefix}${uuid}$`, 'i'), 'Ids have small letters.'],
    [new RegExp(`^${prefix}[0-9a-f-]{0,35}$`), 'It is too short: was its end cut off?'],
    [new RegExp(`^${prefix}${uuid}.+$`, 's'), 'There is more behind the id: send the id alone.'],
  ];
}

/** `{policyId}`, `:policyId`, `<id>`, `${id}`, `$POLICY`, `{{id}}`, `[id]`. */
export const placeholder = /^(?::\w+|<[^<>]*>|\{\{?[^{}:]*\}?\}|\$\{[^{}]*\}|\$\w+|\[[^[\]]*\]|%\w+%|YOUR[-_ ].*)$/i;

/** What languages make of a variable without a value. */
export const unset = /^(?:undefined|null|none|nil|nan|\(null\))$/i;
