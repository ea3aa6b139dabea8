import Type, { type Static } from 'typebox';
import { enumeration } from '../../text/enumeration.ts';
import { proofOrNull } from './proof.ts';

const code = enumeration(
  'LessonWordCode',
  ['step', 'miss', 'on-the-way', 'elsewhere'],
  '`step`: it did a step. `miss`: something was missing. `on-the-way`: the lesson needs such calls, but it did no step. `elsewhere`: it has nothing to do with the lesson.',
);

const word = Type.Object(
  {
    code: code('What the call was.', 'step'),
    text: Type.String({ description: 'The same as a sentence.', examples: ['Done: Get a token for a form.'] }),
    exchange: proofOrNull(
      'LessonWordProof',
      'The exchange that it is about. Null of a call that the log does not have.',
    ),
  },
  { $id: 'LessonWord', description: 'What a call was for the lesson that was open.' },
);

export const wordOrNull = Type.Union([word, Type.Null()], {
  description:
    'What your last call was for the lesson while it was open (`PUT /me/open-lesson`); null if it was not, or you have not called since.',
  examples: [null],
});

/** What was said of a call while the lesson was open. */
export type Word = Static<typeof word>;
