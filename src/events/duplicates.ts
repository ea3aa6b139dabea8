/**
 * How often an event is delivered: sometimes twice, on purpose, so that consumers learn to handle it (Events, rule 1).
 * It is computed from the id, so that it is the same on every transport and at each read. `rate` is the share of events
 * that come twice (`eventsDuplicateRate`), 0 to 1.
 */
export function copiesOf(eventId: string, rate: number): 1 | 2 {
  // The last twelve hexadecimal digits of a random UUID are random.
  return Number.parseInt(eventId.slice(-12), 16) < rate * 16 ** 12 ? 2 : 1;
}
