import { consoleHeader } from '../../../src/http/requests/header-names.ts';
import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { Claim, Exchange, ExchangeSummary, Page, Policy, Subscription } from '../../api/types.ts';
import type { HeldToken, OwnDelivery, Owned } from './jump.ts';

/** What the learner owns that time changes. */
export interface Snapshot extends Owned {
  /** What there was too much of to look at it all: the rest is not in it. */
  readonly cut: readonly string[];
}

const pageSize = 500;
const maxPages = 4;
const maxTokens = 10;

/** Asks the interfaces. Some calls, which count: for what the learner wants to know now. */
export async function loadOwned(): Promise<Snapshot> {
  const cut: string[] = [];
  async function all<T>(what: string, path: string): Promise<readonly T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await read<Page<T>>(`${path}?pageSize=${pageSize}&page=${page}`);
      items.push(...answer.items);
      if (page >= answer.totalPages) return items;
      if (page < maxPages) continue;
      cut.push(what);
      return items;
    }
  }
  const [tokens, policies, claims, subscriptions] = await Promise.all([
    loadTokens(),
    all<Policy>('policies', '/insurer/v1/policies'),
    all<Claim>('claims', '/claims/v1/claims'),
    all<Subscription>('subscriptions', '/claims/v1/subscriptions'),
  ]);
  const deliveries = await Promise.all(
    subscriptions.map(async ({ id, url }) => {
      const list = await all<Delivery>('deliveries', `/claims/v1/subscriptions/${id}/deliveries`);
      return list.map((delivery) => ownDelivery(delivery, id, url ?? 'its inbox'));
    }),
  );
  return { tokens, policies, claims, deliveries: deliveries.flat(), cut };
}

interface Delivery {
  readonly number: number;
  readonly status: string;
  readonly attemptCounts: { readonly total: number };
  readonly nextAttemptAt: string | null;
}

function ownDelivery({ number, status, attemptCounts, nextAttemptAt }: Delivery, id: string, url: string): OwnDelivery {
  return { number, url, subscriptionId: id, status, attempts: attemptCounts.total, nextAttemptAt };
}

/** The tokens that were got last, from the log: it has their claims. */
async function loadTokens(): Promise<readonly HeldToken[]> {
  const query = new URLSearchParams({ path: '/insurer/v1/auth/token', status: '200', pageSize: String(maxTokens) });
  const { items } = await read<Page<ExchangeSummary>>(`/range/v1/me/exchanges?${query}`);
  const found = await Promise.all(
    items.map(({ id }) => read<Exchange>(`/range/v1/me/exchanges/${id}`).then(heldTokens, () => [])),
  );
  // This page uses the newest of its own. Those of before it was loaded anew are forgotten.
  const held = found.flat();
  const inUse = held.find(({ ofConsole }) => ofConsole);
  return held.filter((token) => !token.ofConsole || token === inUse);
}

function heldTokens({ request, tokens }: Exchange): readonly HeldToken[] {
  const ofConsole = request.headers.some(({ name }) => name.toLowerCase() === consoleHeader.toLowerCase());
  return tokens.flatMap(({ claims: { client_id: clientId, jti, exp, scope } }) =>
    clientId === credentials.peek()?.clientId && typeof exp === 'number'
      ? [{ id: String(jti), expiresAt: exp * 1000, scope: String(scope), ofConsole }]
      : [],
  );
}
