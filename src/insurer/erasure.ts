/*
 * The erasure of a holder: a name is taken out of all that is kept of a client. It is `accepted` until its first step is
 * done, then `running`, then `completed`. Its record has the name until it was taken out of everything else.
 */
import Type, { type Static } from 'typebox';
import { enumeration } from '../text/enumeration.ts';

const erasureStatuses = ['accepted', 'running', 'completed'] as const;
type ErasureStatus = (typeof erasureStatuses)[number];

const erasureStatus = enumeration('ErasureStatus', erasureStatuses, 'The states of an erasure.');

const Touched = Type.Object(
  {
    what: Type.String({ description: 'What the rows are.', examples: ['policies'] }),
    count: Type.Integer({ minimum: 0, description: 'How many of them had the name.', examples: [2] }),
  },
  { $id: 'ErasureTouched', description: 'Rows that were looked at.' },
);

const Kept = Type.Object(
  {
    what: Type.String({ description: 'What the rows are.', examples: ['nickname'] }),
    count: Type.Integer({ minimum: 1, description: 'How many of them have the name.', examples: [1] }),
    why: Type.String({
      description: 'Why they have it, and how to end that.',
      examples: ['You call yourself so. To take it away: PATCH /range/v1/me with {"nickname":null}.'],
    }),
  },
  { $id: 'ErasureKept', description: 'Rows that still have the name.' },
);

export const Erasure = Type.Object(
  {
    id: Type.String({
      pattern: '^era-',
      description: 'Identifies the erasure; begins with era-.',
      examples: ['era-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
    }),
    status: erasureStatus('completed is final: the name is nowhere but in what `kept` names.', 'accepted'),
    touched: Type.Array(Touched, { description: 'What was looked at so far, in its order.' }),
    kept: Type.Array(Kept, { description: 'What has the name still. Empty until the erasure is completed.' }),
    createdAt: Type.String({
      format: 'date-time',
      description: 'When the erasure was accepted.',
      examples: ['2026-03-02T10:15:30.000Z'],
    }),
    completedAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When all was done; null until then.',
      examples: [null],
    }),
  },
  { $id: 'Erasure', description: 'The erasure of a holder.' },
);

export type Erasure = Static<typeof Erasure>;
export type Touched = Static<typeof Touched>;

export const ErasureId = Type.Object({
  erasureId: Type.String({ description: 'The id of one of your erasures; it begins with era-.' }),
});

/** Tells whether an id has the form of ours. */
export function isErasureId(id: string): boolean {
  return /^era-[0-9a-f-]{36}$/.test(id);
}

export function statusOfErasure({ completedAt, touched }: Pick<Erasure, 'completedAt' | 'touched'>): ErasureStatus {
  if (completedAt !== null) return 'completed';
  return touched.length === 0 ? 'accepted' : 'running';
}

/** What was touched, once so many more rows of a kind were. */
export function withTouched(touched: readonly Touched[], what: string, more: number): Touched[] {
  if (!touched.some((each) => each.what === what)) return [...touched, { what, count: more }];
  return touched.map((each) => (each.what === what ? { what, count: each.count + more } : each));
}
