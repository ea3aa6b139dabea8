import Type, { type Static } from 'typebox';
import { instant } from '../../time/clock.ts';
import { moment, whole } from '../shapes.ts';
import { type Entry, methodOf, shownPath } from './entry.ts';

const exchangeId = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';

/** An exchange that counted, or null. Under a name of its own each time: the serializer takes one that may be null only once. */
export const proofOrNull = ($id: string, description: string) =>
  Type.Union(
    [
      Type.Object(
        {
          exchangeId: Type.String({
            description: 'Its id. `GET /me/exchanges/{exchangeId}` has it whole, for a day.',
            examples: [exchangeId],
          }),
          startedAt: moment('When the call came.'),
          method: Type.String({ description: 'The method.', examples: ['POST'] }),
          path: Type.String({ description: 'The path and query.', examples: ['/insurer/v1/auth/token'] }),
          status: whole('The status of the answer.', 200),
        },
        { $id, description },
      ),
      Type.Null(),
    ],
    {
      description,
      examples: [
        {
          exchangeId,
          startedAt: '2026-03-02T10:15:30.000Z',
          method: 'POST',
          path: '/insurer/v1/policies',
          status: 409,
        },
      ],
    },
  );

/** The part of an exchange that is kept with a lesson. The log itself has it for a day. */
export type Proof = NonNullable<Static<ReturnType<typeof proofOrNull>>>;

export function proofOf(entry: Entry): Proof {
  const { id, at, path, search, status } = entry;
  return { exchangeId: id, startedAt: instant(at), method: methodOf(entry), path: shownPath(path + search), status };
}
