import { equal } from 'node:assert/strict';
import { type Answer, type LPlate, type TestClient, testSecrets } from '../support/lplate.ts';

export const { trainerToken } = testSecrets;

/** The id of the exchange that an answer is of. */
export const idOf = ({ headers }: Answer) => headers.get('x-request-id') as string;

/** The items of one large page. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into items of every shape
export async function listed(lplate: LPlate, path: string, token: string): Promise<any[]> {
  const answer = await lplate.call('GET', `${path}${path.includes('?') ? '&' : '?'}pageSize=500`, { token });
  equal(answer.status, 200, answer.text);
  return answer.json.items;
}

/** The log of a client, newest first. */
export function logOf(lplate: LPlate, { token }: TestClient, query = '') {
  return listed(lplate, `/range/v1/me/exchanges${query}`, token);
}

/** What is remarked on a call itself, without what it nearly was for a lesson. */
export const plain = (remarks: readonly string[]) => remarks.filter((each) => !each.startsWith('Lesson “'));
