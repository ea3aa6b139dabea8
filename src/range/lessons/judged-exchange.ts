import type { Sql } from '../../database/database.ts';
import { existingPolicies } from '../../insurer/index.ts';
import type { Exchange } from '../exchanges/schemas.ts';

/** An exchange, with what a lesson may ask for and the log does not tell. */
export type JudgedExchange = Exchange & {
  /** Whose call it is. */
  readonly clientId: string;
  /** Tells whether the policy that was not found is there, and somebody else's. */
  readonly isOfAnother?: boolean;
};

export async function addOwnership<Known extends Exchange>(
  sql: Sql,
  clientId: string,
  exchanges: readonly Known[],
): Promise<(Known & JudgedExchange)[]> {
  const missed = exchanges.map(missedPolicy).filter((id) => id !== undefined);
  const there = await existingPolicies(sql, missed);
  return exchanges.map((exchange) => ({
    ...exchange,
    clientId,
    isOfAnother: there.has(missedPolicy(exchange) ?? ''),
  }));
}

/** The id of the policy that an exchange asked for and did not find. */
function missedPolicy({ url, problem }: Exchange): string | undefined {
  return problem === 'policy-not-found' ? /\/policies\/([^/?#]+)/.exec(url)?.[1] : undefined;
}
