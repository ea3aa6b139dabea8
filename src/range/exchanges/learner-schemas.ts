import Type, { type Static } from 'typebox';
import { moment, textOrNull, whole } from '../shapes.ts';

export const LastCall = Type.Object(
  {
    at: moment('When it came.'),
    method: Type.String({ description: 'The method.', examples: ['POST'] }),
    path: Type.String({
      description: 'The path without its query, the first 200 characters.',
      examples: ['/insurer/v1/policies'],
    }),
    status: whole('The status of the answer.', 409),
    problem: textOrNull('The identifier of the problem, if there was one.', 'duplicate-policy'),
  },
  { $id: 'LastCall', description: 'A call that a client made itself.' },
);

const messageText = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\x00-\\x08\\x0b-\\x1f\\x7f]*$',
    description: '1 to 500 characters. Line feeds and tabs are allowed, other control characters are not.',
    examples: [example],
  });

export const Help = Type.Object(
  { message: messageText('My signature is always wrong.'), at: moment('When it was asked for.') },
  { $id: 'Help', description: 'What a client needs help with.' },
);

export const Note = Type.Object(
  { text: messageText('Look at the header Location.'), at: moment('When it was written.') },
  { $id: 'Note', description: 'What the trainer says to one client.' },
);

export type LastCall = Static<typeof LastCall>;
export type Help = Static<typeof Help>;
export type Note = Static<typeof Note>;
