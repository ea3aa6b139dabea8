import { setTimeout as pause } from 'node:timers/promises';

/** A client of the insurer, as the load speaks for it. */
export interface Learner {
  readonly id: string;
  /** The header of every bearer request. */
  readonly authorization: { Authorization: string };
}

export const insurer = '/insurer/v1';
export const claims = '/claims/v1';

/** A new demo client and its token. */
export async function newLearner(origin: string): Promise<Learner> {
  const credentials = (await post(`${origin}${insurer}/demo-clients`)) as { client_id: string };
  const token = (await post(`${origin}${insurer}/auth/token`, credentials)) as { access_token: string };
  return { id: credentials.client_id, authorization: { Authorization: `Bearer ${token.access_token}` } };
}

/** Creates policies one after the other, and returns their paths. Their registration numbers begin with `plate`. */
export async function insure(
  origin: string,
  { authorization }: Learner,
  count: number,
  plate = 'SEED',
): Promise<string[]> {
  const paths: string[] = [];
  for (let vehicle = 1; vehicle <= count; vehicle += 1) {
    const policy = { regNumber: `${plate}-${vehicle}`, holder: 'Ada Example' };
    const { id } = (await post(`${origin}${insurer}/policies`, policy, authorization)) as { id: string };
    paths.push(`${insurer}/policies/${id}`);
  }
  return paths;
}

/** Registers a claim and returns its id. The desk then moves it three times, once every `paceSeconds`. */
export async function claim(
  origin: string,
  { authorization }: Learner,
  policyPath: string,
  paceSeconds: number,
): Promise<string> {
  const wish = { policyNumber: policyPath.split('/').at(-1), paceSeconds };
  return ((await post(`${origin}${claims}/claims`, wish, authorization)) as { claimId: string }).claimId;
}

/** Waits until there are so many events for the client. */
export async function published(origin: string, { authorization }: Learner, count: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`${origin}${claims}/topics/claims.status-changed?limit=${count}`, {
      headers: authorization,
    });
    const { events } = (await answer.json()) as { events: unknown[] };
    if (events.length === count) return;
    await pause(100);
  }
}

async function post(url: string, body?: object, headers: Record<string, string> = {}): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
