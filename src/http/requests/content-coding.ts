import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** In the order in which they are chosen when a client likes several the same. */
const codings = ['br', 'gzip', 'identity'] as const;

export type Coding = (typeof codings)[number];

/** How an answer that there is in each of some codings is sent: what the client likes best. */
export function chosenCoding(request: FastifyRequest, among: readonly Coding[] = codings): Coding {
  // Its types don't know of the second argument yet.
  const negotiator: { encoding(from: readonly string[], options: object): string | undefined } = new Negotiator(
    request.raw,
  );
  return (negotiator.encoding(among, { preferred: among }) as Coding | undefined) ?? 'identity';
}
