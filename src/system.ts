import type { FastifyInstance } from 'fastify';
import type { Component } from './component.ts';

/**
 * A system behind the server: the insurer, the vehicle registry, claims. `app.ts` has the list of them; front page,
 * banner and reference are made from what each says here.
 */
export interface System extends Component {
  /** Its folder in `src/`, and the first segment of its paths. */
  readonly name: string;
  /** What the banner and the front page list. */
  readonly addresses: readonly Address[];
  /** What the reference at `/docs` shows. */
  readonly documents: readonly DescriptionDocument[];
  /** Adds its routes to the server. */
  register(server: FastifyInstance): Promise<void>;
}

export interface Address {
  readonly what: string;
  /** From the root of the server. */
  readonly path: string;
  /** False where a browser has nothing to show: a base of addresses, or what wants a token. */
  readonly page?: false;
}

interface DescriptionDocument {
  readonly title: string;
  /** From the root of the server. */
  readonly path: string;
}
