import Type from 'typebox';

/** A filter of lists whose items change. */
export const updatedSince = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      'Only what last changed at this instant (RFC 3339) or later, by updatedAt, and in that order. In a query, a + is %2B.',
    examples: ['2026-03-02T10:15:30.000Z'],
  }),
);

/** What people call it. */
export const updatedSinceNames = {
  ...{ since: 'updatedSince', updatedafter: 'updatedSince', modifiedsince: 'updatedSince' },
  ...{ changedsince: 'updatedSince', modifiedafter: 'updatedSince', lastmodified: 'updatedSince' },
  ...{ updatedfrom: 'updatedSince', updatedat: 'updatedSince', updated: 'updatedSince', from: 'updatedSince' },
};

/** The last instant of four digits: later ones would be written with a sign, and sort before all others. */
const latest = Date.UTC(10_000, 0) - 1;

/** An instant of RFC 3339 in the form in which instants are stored, to be compared with them as text. */
export function asStored(text: string): string {
  return new Date(Math.min(Temporal.Instant.from(text).epochMilliseconds, latest)).toISOString();
}
