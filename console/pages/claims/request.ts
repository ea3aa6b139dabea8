import { useEffect, useState } from 'preact/hooks';
import { defaultOutcome, defaultPaceSeconds } from '../../../src/claims/claim.ts';
import { read } from '../../api/call.ts';
import type { Claim, ClaimRequest, Exchange } from '../../api/types.ts';
import { exchanges } from '../../state/learner.ts';

/*
 * How a claim was asked to go. The interface does not show it, but the request that registered the claim is in the log of
 * the client's calls, if it is among the last 300.
 */

const defaults: ClaimRequest = { outcome: defaultOutcome, paceSeconds: defaultPaceSeconds };

/** Requests that are known, by the id of the claim, and the exchanges that were looked at. */
const known = new Map<string, ClaimRequest>();
const looked = new Set<string>();

/** Exchanges that are looked at for one claim. */
const maxLooked = 8;

export function keepRequest({ claimId }: Pick<Claim, 'claimId'>, request: ClaimRequest): void {
  known.set(claimId, request);
}

/** Finds the request of a claim, if it is `wanted`. */
export function useRequest(claimId: string, wanted: boolean): ClaimRequest | undefined {
  const [, setRound] = useState(0);
  const candidates = exchanges.value.filter(
    ({ id, method, route, status }) =>
      method === 'POST' && route === '/claims/v1/claims' && status === 201 && !looked.has(id),
  );
  const next = wanted && !known.has(claimId) ? candidates.slice(0, maxLooked) : [];
  useEffect(() => {
    if (next.length === 0) return;
    for (const { id } of next) looked.add(id);
    Promise.all(next.map(({ id }) => read<Exchange>(`/range/v1/me/exchanges/${id}`).then(keepOf))).then(
      () => setRound((round) => round + 1),
      // Then it stays unknown, until the first change tells the pace.
      () => {},
    );
  }, [next.map(({ id }) => id).join()]);
  return known.get(claimId);
}

function keepOf({ request, response }: Exchange): void {
  const [sent, answered] = [parsed(request.body?.text), parsed(response.body?.text)];
  if (typeof answered?.claimId === 'string') known.set(answered.claimId, { ...defaults, ...sent });
}

function parsed(text: string | undefined) {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
