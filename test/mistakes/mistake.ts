import type { Answer, CallOptions, LPlate } from '../support/lplate.ts';

/** Somebody who tries the service, with a client, a token of all scopes, and a policy that is in force. */
export interface Learner {
  readonly lplate: LPlate;
  readonly id: string;
  readonly secret: string;
  readonly token: string;
  readonly policyId: string;
  /** As `LPlate.call`, with the learner's token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** Something that is done wrong, and what the answer must say so that it can be repaired without any other help. */
export interface Mistake {
  /** In the words of the one who did it. */
  readonly title: string;
  readonly send: (learner: Learner) => Promise<Answer>;
  readonly status: number;
  /** Each is in the body or in a header, written `name: value`. */
  readonly says: readonly (string | RegExp)[];
}
