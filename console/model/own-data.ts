import type { FleetDraft } from '../../src/insurer/policy.ts';
import { day } from '../../src/time/units.ts';
import type { ClaimStatusChanged } from '../api/types.ts';
import { freshPlate } from './plate.ts';

/* What stands at first in the forms for data of one's own: each is taken as it is. */

/** An event of the topic: a change that a handler may have a case of its own for. */
export function exampleEvent(now: number): { readonly payload: ClaimStatusChanged } {
  return {
    payload: {
      eventId: uuid(),
      eventType: 'ClaimStatusChanged',
      eventVersion: '1.0',
      occurredAt: new Date(now).toISOString(),
      source: 'claims-core',
      data: {
        claimId: `CLM-${new Date(now).getUTCFullYear()}-000000`,
        policyNumber: 'pol-00000000-0000-7000-8000-000000000000',
        previousStatus: 'UNDER_REVIEW',
        newStatus: 'REJECTED',
        statusReason: 'The damage is older than the policy.',
      },
    },
  };
}

/** Over plain HTTP from another machine there is no `randomUUID`. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Two policies: one as an application would make it, and one that is over. */
export function exampleFleet(clientId: string, now: number): { readonly policies: readonly FleetDraft[] } {
  const startDate = new Date(now - 400 * day).toISOString().slice(0, 10);
  return {
    policies: [
      { regNumber: freshPlate(clientId), holder: 'Ada Example' },
      { regNumber: freshPlate(clientId), status: 'expired', startDate },
    ],
  };
}
