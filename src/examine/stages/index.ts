import { examinationStages, type StageName, stageNames } from '../../examination-stages.ts';
import type { Stage, StageCalls } from '../stage.ts';
import { cancelPolicy } from './cancel.ts';
import { claimStates } from './claim-states.ts';
import { claims } from './claims.ts';
import { coverageOptions } from './coverage-options.ts';
import { create } from './create.ts';
import { demoClients } from './demo-clients.ts';
import { eventBatches } from './event-batches.ts';
import { eventStream } from './event-stream.ts';
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
import { restRegistry } from './rest-registry.ts';
import { scopes } from './scopes.ts';
import { signedCheck } from './signed-check.ts';
import { sixtyAMinute } from './sixty-a-minute.ts';
import { soapRegistry } from './soap-registry.ts';
import { token } from './token.ts';
import { tokenRefusals } from './token-refusals.ts';
import { unknownAddresses } from './unknown-addresses.ts';
import { updatePolicy } from './update.ts';
import { webhooks } from './webhooks.ts';

/** What each stage calls. */
const calls: Readonly<Record<StageName, StageCalls>> = {
  'coverage-options': coverageOptions,
  'unknown-addresses': unknownAddresses,
  problems,
  'demo-clients': demoClients,
  token,
  'token-refusals': tokenRefusals,
  scopes,
  create,
  'refused-bodies': refusedBodies,
  read,
  'one-policy-a-vehicle': onePolicyAVehicle,
  'list-and-pages': listAndPages,
  update: updatePolicy,
  cancel: cancelPolicy,
  filters,
  limits,
  preconditions,
  idempotency,
  'signed-check': signedCheck,
  claims,
  'claim-states': claimStates,
  'event-batches': eventBatches,
  'event-stream': eventStream,
  webhooks,
  'soap-registry': soapRegistry,
  'rest-registry': restRegistry,
  imports,
  races,
  expiry,
  'sixty-a-minute': sixtyAMinute,
};

/** The stages, in the order in which a service is built. */
export const stages: readonly Stage[] = stageNames.map((name) => ({
  ...calls[name],
  ...examinationStages[name],
  name,
}));
