import { equal } from 'node:assert/strict';
import type { Answer, LPlate, TestClient } from '../../support/lplate.ts';

/** Moves the clock of a client, and gets it a new token, since the old one may have expired. */
export async function move(lplate: LPlate, client: TestClient, advance: string): Promise<void> {
  const { status, text } = await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance } });
  equal(status, 200, text);
  await renew(lplate, client);
}

export async function renew(lplate: LPlate, client: TestClient): Promise<void> {
  client.token = await lplate.token(client.id, client.secret);
}

/** An instant, as answers have it. */
export const at = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A day, as answers have it. */
export const dayOf = (milliseconds: number) => at(milliseconds).slice(0, 10);

/** What tests of clocks do with a service. Each of them moves the clock of one client, and not that of a second one. */
export function clientsOf(lplate: () => LPlate) {
  let plates = 0;
  return {
    /** Who moves its clock, and who does not. */
    two: async (): Promise<[TestClient, TestClient]> => [await lplate().client(), await lplate().client()],
    create: ({ token }: TestClient, json: object): Promise<Answer> =>
      lplate().call('POST', '/policies', { token, json }),
    read: ({ token }: TestClient, path: string): Promise<Answer> => lplate().call('GET', path, { token }),
    now: () => lplate().clock.now(),
    plate: () => `CK-${1000 + ++plates}`,
  };
}
