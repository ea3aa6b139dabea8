import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import pg from 'pg';
import type { Role } from '../../../src/database/database.ts';
import type { TestClient } from '../../support/lplate.ts';
import { Receiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { GroupMember, readTopic } from './kcat.ts';
import type { NamedNodes } from './named-nodes.ts';
import { topic } from './relayed.ts';

/** How long the parts of a node may rest when it has died. */
export const takeover = 15_000;

/** What takes as long as the machine needs. */
const patience = 60_000;

/**
 * What shows from outside that the parts are played: claims move, their subscriber is called, Kafka is told. An event
 * that has come shows the desk, and webhooks or the relay besides.
 */
export class Parts {
  readonly receiver: Receiver;
  readonly client: TestClient;
  readonly #nodes: NamedNodes;
  readonly #broker: string;
  readonly #member: GroupMember;
  readonly #policy: string;

  private constructor(
    nodes: NamedNodes,
    broker: string,
    {
      receiver,
      member,
      client,
      policy,
    }: { receiver: Receiver; member: GroupMember; client: TestClient; policy: string },
  ) {
    this.#nodes = nodes;
    this.#broker = broker;
    this.receiver = receiver;
    this.#member = member;
    this.client = client;
    this.#policy = policy;
  }

  /** Settings for nodes whose parts are to be watched. */
  static settings(broker: string): Readonly<Record<string, string>> {
    return { KAFKA_BROKERS: broker, EVENTS_DUPLICATE_RATE: '0', WEBHOOK_ALLOW: '127.0.0.1/32' };
  }

  static async watch(t: TestContext, nodes: NamedNodes, broker: string): Promise<Parts> {
    const receiver = await Receiver.open(t);
    const client = await nodes.node(0).client();
    const { token } = client;
    const policy = await nodes.call('POST', '/policies', { token, json: { regNumber: 'RO-1' } });
    await nodes.call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
    // The fleet's claims come first, and with them the topic.
    await until(() => topicExists(broker), 'the topic is there', patience);
    const member = new GroupMember(broker, 'watcher', topic);
    t.after(() => member.leave());
    return new Parts(nodes, broker, { receiver, member, client, policy: policy.json.id });
  }

  /** Registers claims through a node. They move after one, two and three seconds. Returns their ids. */
  async register(node: number, count = 1): Promise<string[]> {
    const register = async () => {
      const json = { policyNumber: this.#policy, paceSeconds: 1 };
      const { status, json: claim } = await this.#nodes.call('POST', '/claims/v1/claims', {
        ...{ node, json, token: this.client.token },
      });
      assert.equal(status, 201);
      return claim.claimId as string;
    };
    return Promise.all(Array.from({ length: count }, register));
  }

  /** Waits until so many events of each of these claims have come to the subscriber and to Kafka. */
  async until(claims: readonly string[], events: number, milliseconds = patience): Promise<void> {
    const came = (all: readonly string[]) => claims.every((claim) => countOf(all, claim) >= events);
    const hooks = () => this.receiver.calls.map(({ event }) => event.data.claimId);
    const records = () => this.#member.received.map(({ key }) => key ?? '');
    await until(() => came(hooks()), `the subscriber has ${events} events of each claim`, milliseconds);
    await until(() => came(records()), `Kafka has ${events} events of each claim`, milliseconds);
  }

  /** Claims registered now close, and each of their events comes to the subscriber and to Kafka once. */
  async assertPlayedOnce(node: number, count = 10): Promise<void> {
    const claims = await this.register(node, count);
    await this.until(claims, 3);
    await this.assertOnce(claims);
  }

  /** Each event of these claims came once. */
  async assertOnce(claims: readonly string[]): Promise<void> {
    const records = await readTopic(this.#broker, topic);
    for (const claim of claims) {
      const hooks = this.receiver.calls.map(({ event }) => event).filter(({ data }) => data.claimId === claim);
      const own = records.filter(({ key }) => key === claim).map(({ value }) => JSON.parse(value ?? ''));
      for (const [where, events] of Object.entries({ hooks, own })) {
        const statuses = events.map(({ data }) => data.newStatus);
        assert.deepEqual(statuses, ['UNDER_REVIEW', 'APPROVED', 'CLOSED'], `${claim}, ${where}`);
      }
    }
  }

  /** What a node has warned of until now. */
  async warningsOf(node: number): Promise<string[]> {
    const { headers } = await this.#nodes.call('GET', '/policies', { node, token: this.client.token });
    const id = headers.get('x-request-id') ?? '';
    await until(() => this.#nodes.program(node).stdout().includes(id), 'the node has written its log');
    return this.#nodes.node(node).warnings(0);
  }

  /** After a node is gone: others play all its parts in time, reckoned from `gone`. */
  async assertTakenOver(gone: number, roles: readonly Role[], by: readonly number[]): Promise<void> {
    const left = () => takeover - (performance.now() - gone);
    const [node] = by;
    assert.ok(node !== undefined);
    const claims = await this.register(node);
    for (const role of roles) {
      const taken = async () => by.includes((await this.#nodes.player(role))?.node ?? -1);
      await until(taken, `another node plays the ${role.name}`, left());
    }
    await this.until(claims, 1, left());
  }
}

function countOf(all: readonly string[], one: string): number {
  return all.filter((other) => other === one).length;
}

function topicExists(broker: string): Promise<boolean> {
  return readTopic(broker, topic).then(
    (records) => records.length > 0,
    () => false,
  );
}

/** A session that keeps everybody else from a table until it lets go. */
export async function holdTable(t: TestContext, url: string, table: string): Promise<{ letGo(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return { letGo: async () => void (await client.query('rollback')) };
}
