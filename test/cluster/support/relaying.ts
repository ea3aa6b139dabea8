import { Admin } from '@platformatic/kafka';
import type { TestClock } from '../../support/clock.ts';
import type { LPlate } from '../../support/lplate.ts';
import { claimOn, insure, pass } from '../../support/topic.ts';
import { until } from '../../support/until.ts';
import type { KafkaServer } from './kafka.ts';
import { readTopic, type TopicRecord } from './kcat.ts';
import { topic } from './relayed.ts';

/* A node in the process of the test: what it has to relay, what it says of that, and what is in Kafka. */

/** Claims of a new client, moved on to their end and relayed. */
export async function closeClaims(lplate: LPlate, count: number): Promise<{ token: string; claims: Set<string> }> {
  const { token } = await lplate.client();
  const policy = await insure(lplate, token);
  const claims = new Set<string>();
  while (claims.size < count)
    claims.add(await claimOn(lplate, token, policy, { outcome: 'APPROVED', paceSeconds: 10 }));
  for (let move = 0; move < 3; move += 1) await pass(lplate, 10);
  return { token, claims };
}

/** All that is in the topic once the relay has told of everything. */
export async function records(lplate: LPlate, kafka: KafkaServer): Promise<TopicRecord[]> {
  await until(async () => (await relayLag(lplate)) === 0, 'all is relayed', 30_000);
  return readTopic(kafka.listeners.plain, topic);
}

/** What `/metrics` says of it. */
export async function relayLag({ url, clock }: { url: string; clock?: TestClock }): Promise<number> {
  // It is computed once a second.
  clock?.elapse(1000);
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^lplate_kafka_relay_lag (\S+)$/m.exec(text)?.[1]);
}

export const failed = 'the relay to Kafka failed; it is retried until it succeeds';
export const recovered = 'the relay to Kafka succeeded again';

/** What the log says of the relay. */
export function said(lplate: LPlate): string[] {
  return linesOf(lplate).map(({ msg }) => msg);
}

/** Why it failed, as the log tells it. */
export function reasons(lplate: LPlate): (string | undefined)[] {
  return linesOf(lplate).map(({ reason }) => reason);
}

function linesOf(lplate: LPlate): { msg: string; reason?: string }[] {
  return lplate.log.map((line) => JSON.parse(line)).filter(({ msg = '' }) => msg.includes('Kafka'));
}

export function removeTopic(kafka: KafkaServer): Promise<void> {
  return withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }).catch(() => {}));
}

export async function withAdmin<T>(kafka: KafkaServer, action: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ clientId: 'test', bootstrapBrokers: [kafka.listeners.plain] });
  try {
    return await action(admin);
  } finally {
    await admin.close();
  }
}
