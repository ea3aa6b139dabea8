import type { LPlate, TestClient } from '../../support/lplate.ts';
import { batch } from '../../support/topic.ts';

/** What a client sees of its own through the interfaces. Also run with the code of the release: see README.md. */
export interface Snapshot {
  readonly policies: readonly object[];
  readonly claims: readonly object[];
  /** Each with the cursor that follows it. */
  readonly events: readonly { readonly eventId: string; readonly next: string }[];
  readonly subscriptions: readonly { readonly id: string }[];
  /** By subscription. */
  readonly deliveries: Readonly<Record<string, readonly { readonly eventId: string; readonly status: string }[]>>;
}

/** The credentials of a client of the fixture. */
export type Credentials = Pick<TestClient, 'id' | 'secret'>;

/** Who and what is in a fixture, as it was read last with the code of the release. */
export interface Expected {
  /** The time at which the release was stopped. */
  readonly stoppedAt: string;
  /** Of the subscription. */
  readonly webhookSecret: string;
  readonly clients: readonly (Credentials & { readonly seen: Snapshot })[];
}

export async function snapshot(lplate: LPlate, { id, secret }: Credentials): Promise<Snapshot> {
  const token = await lplate.token(id, secret);
  const list = async (path: string) => {
    const { status, json, text } = await lplate.call('GET', `${path}?pageSize=500`, { token });
    if (status !== 200) throw new Error(text);
    return json.items;
  };
  const events: Snapshot['events'][number][] = [];
  for (let after = 'earliest'; ; ) {
    const read = await batch(lplate, token, `?after=${after}&limit=1`);
    const [event] = read.events;
    if (!event) break;
    after = read.next;
    events.push({ ...event, next: after });
  }
  const subscriptions = await list('/claims/v1/subscriptions');
  const deliveries: Record<string, Snapshot['deliveries'][string]> = {};
  for (const { id } of subscriptions) deliveries[id] = await list(`/claims/v1/subscriptions/${id}/deliveries`);
  return {
    policies: await list('/policies'),
    claims: await list('/claims/v1/claims'),
    events,
    subscriptions,
    deliveries,
  };
}
