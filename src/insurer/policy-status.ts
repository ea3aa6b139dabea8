export const policyStatuses = ['active', 'updated', 'cancelled', 'expired'] as const;
export type PolicyStatus = (typeof policyStatuses)[number];

/** A policy with one of these can be changed and cancelled, and stands in the way of another for its vehicle. */
export const statusesInForce: readonly PolicyStatus[] = ['active', 'updated'];

export const isInForce = ({ status }: { readonly status: PolicyStatus }) => statusesInForce.includes(status);
