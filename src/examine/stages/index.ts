import type { Stage } from '../stage.ts';
import { cancelPolicy } from './cancel.ts';
import { claims } from './claims.ts';
import { coverageOptions } from './coverage-options.ts';
import { create } from './create.ts';
import { demoClients } from './demo-clients.ts';
import { expiry } from './expiry.ts';
import { filters } from './filters.ts';
import { idempotency } from './idempotency.ts';
import { imports } from './imports.ts';
import { limits } from './limits.ts';
import { listAndPages } from './list-and-pages.ts';
import { onePolicyAVehicle } from './one-policy-a-vehicle.ts';
import { preconditions } from './preconditions.ts';
import { problems } from './problems.ts';
import { races } from './races.ts';
import { read } from './read.ts';
import { refusedBodies } from './refused-bodies.ts';
import { scopes } from './scopes.ts';
import { signedCheck } from './signed-check.ts';
import { sixtyAMinute } from './sixty-a-minute.ts';
import { token } from './token.ts';
import { tokenRefusals } from './token-refusals.ts';
import { unknownAddresses } from './unknown-addresses.ts';
import { updatePolicy } from './update.ts';

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
  onePolicyAVehicle,
  listAndPages,
  updatePolicy,
  cancelPolicy,
  filters,
  limits,
  preconditions,
  idempotency,
  signedCheck,
  claims,
  imports,
  races,
  expiry,
  sixtyAMinute,
];
