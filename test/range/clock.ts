import { equal } from 'node:assert/strict';
import type { LPlate, TestClient } from '../support/lplate.ts';

/** Moves the clock of a client, and gets it a new token, since the old one may have expired. */
export async function move(lplate: LPlate, client: TestClient, advance: string): Promise<void> {
  const { status, text } = await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance } });
  equal(status, 200, text);
  await renew(lplate, client);
}

export async function renew(lplate: LPlate, client: TestClient): Promise<void> {
  client.token = await lplate.token(client.id, client.secret);
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** An instant, as answers have it. */
export const at = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A day, as answers have it. */
export const dayOf = (milliseconds: number) => at(milliseconds).slice(0, 10);
