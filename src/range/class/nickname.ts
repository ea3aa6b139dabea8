import { invalid } from '../../http/requests/validation.ts';

/*
 * Two learners never show the same name. Of equal nicknames all but the first get a number (`learners.ts`); so none may
 * end like that, or be the id of a client, which stands where there is no nickname. What nobody sees is left out.
 */

const emoji = /^\p{RGI_Emoji}$/v;

/** What has no form of its own: zero-width and fillers, soft hyphens, directions, the blank of Braille. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

const numbered = /\(\s*\d+\s*\)$/;
const clientId = /^(?:demo-[\da-f]+|preset-\w+|trainer)$/i;

/**
 * A nickname as it is kept: without what nobody sees but in emoji, with one space for each run of white space, composed
 * (NFC).
 *
 * @throws {ProblemError} `validation-error`
 */
export function plainNickname(sent: string): string {
  const seen = [...new Intl.Segmenter('en').segment(sent)]
    .map(({ segment }) => (emoji.test(segment) ? segment : segment.replace(unseen, '')))
    .join('');
  const plain = seen.replace(/\s+/gu, ' ').trim().normalize();
  const read = plain.normalize('NFKC');
  if (plain === '') throw refused('has only characters that nobody sees. Choose a name, or send null for none.');
  if (numbered.test(read))
    throw refused(
      'ends in a number in brackets, as those who choose the same name are told apart. Leave out the brackets.',
    );
  if (clientId.test(read))
    throw refused('is like the id of a client, which stands where there is no name. Choose another.');
  return plain;
}

const refused = (detail: string) => invalid([{ pointer: '/nickname', detail }]);
