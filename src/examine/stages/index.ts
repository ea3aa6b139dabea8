import type { Stage } from '../stage.ts';
import { coverageOptions } from './coverage-options.ts';
import { create } from './create.ts';
import { demoClients } from './demo-clients.ts';
import { problems } from './problems.ts';
import { read } from './read.ts';
import { refusedBodies } from './refused-bodies.ts';
import { scopes } from './scopes.ts';
import { token } from './token.ts';
import { tokenRefusals } from './token-refusals.ts';
import { unknownAddresses } from './unknown-addresses.ts';

/** The stages, in the order in which a service is built. */
export const stages: readonly Stage[] = [
  coverageOptions,
  unknownAddresses,
  problems,
  demoClients,
  token,
  tokenRefusals,
  scopes,
  create,
  refusedBodies,
  read,
];
