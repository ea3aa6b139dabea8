import { keepPreset, setPolicyCount } from '../clients/clients.ts';
import { allScopes } from '../clients/scope.ts';
import type { Sql } from '../database/database.ts';
import type { Randomness } from '../randomness.ts';
import type { Secrets } from '../settings/secrets.ts';
import { insertPolicy } from './policies.ts';
import { newPolicy, type PolicyDraft } from './policy.ts';

/** The preconfigured client that may only read (Authentication, 4). */
export const readerId = 'preset-reader';

/** The preconfigured client that owns enough policies to page through. */
export const fleetId = 'preset-fleet';

/** How many policies in force the fleet owns: `FL-0001` and on. fleet-renewal.ts sees to it that they stay so many. */
export const fleetSize = 75;

/** Drafts a policy of the fleet. Numbers are filled up to four digits. */
export function fleetPolicy(vehicle: number): PolicyDraft {
  return { regNumber: `FL-${String(vehicle).padStart(4, '0')}`, holder: `Kestrel Couriers, van ${vehicle}` };
}

/** Creates the preconfigured clients and the fleet's policies unless they are there. Safe to run at every start. */
export async function seedPresets(sql: Sql, secrets: Secrets, now: number, randomness: Randomness): Promise<void> {
  const owned = await keepPreset(sql, { id: fleetId, granted: allScopes }, secrets.fleetClientSecret, now);
  await keepPreset(sql, { id: readerId, granted: ['policies:read'] }, secrets.readerClientSecret, now);
  if (owned > 0) return;
  // Should a vehicle be insured by somebody else already, the number goes to the next one: numbers have no gaps.
  let number = 0;
  for (let vehicle = 1; vehicle <= fleetSize; vehicle += 1) {
    const policy = newPolicy(fleetPolicy(vehicle), now, randomness);
    if (await insertPolicy(sql, fleetId, number + 1, policy)) number += 1;
  }
  await setPolicyCount(sql, { id: fleetId, policyCount: number });
}
