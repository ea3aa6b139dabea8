import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ListOffsetTimestamps } from '@platformatic/kafka';
import type { KafkaServer } from './kafka.ts';
import type { TopicRecord } from './kcat.ts';
import { withAdmin } from './relaying.ts';

/*
 * What a test of much chance writes down while it runs, for whoever has to find out why it failed: its timeline, the
 * debug logs of its readers, and what is collected at the moment of the failure.
 */

/** Where folders of evidence are made. */
const parent = process.env.CLUSTER_EVIDENCE || tmpdir();

/** A folder of files. */
export class Evidence {
  readonly #folder: string;
  readonly #collectors = new Map<string, () => unknown>();
  #wanted = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Runs a test. The folder is kept, and its place told, when the test fails or asks for it. */
  static async around(t: TestContext, run: (evidence: Evidence) => Promise<void>): Promise<void> {
    await mkdir(parent, { recursive: true });
    const evidence = new Evidence(await mkdtemp(join(parent, 'l-plate-evidence-')));
    try {
      await run(evidence);
    } catch (error) {
      evidence.note(`failed: ${error}`);
      evidence.keep();
      throw error;
    } finally {
      await evidence.#end(t);
    }
  }

  /** The path of a file of this name. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Writes a line of the timeline, with the time in seconds since 1970 as in the logs of kcat. */
  note(what: string): void {
    appendFileSync(this.path('timeline.log'), `${(Date.now() / 1000).toFixed(3)} ${what}\n`);
  }

  /** What is to be written to a file if the folder is kept: text, or anything else as JSON. */
  collect(name: string, collector: () => unknown): void {
    this.#collectors.set(name, collector);
  }

  /** Asks for the folder to be kept. */
  keep(): void {
    this.#wanted = true;
  }

  async #end(t: TestContext): Promise<void> {
    if (!this.#wanted) return rm(this.#folder, { recursive: true, force: true });
    for (const [name, collector] of this.#collectors) {
      try {
        const found = await Promise.race([collector(), pause(20_000, 'not within 20 s', { ref: false })]);
        await writeFile(this.path(name), typeof found === 'string' ? found : JSON.stringify(found, withoutBigInt, 1));
      } catch (error) {
        this.note(`${name}: ${error}`);
      }
    }
    t.diagnostic(`the evidence is in ${this.#folder}`);
  }
}

function withoutBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Records of a topic that a reader lacks. */
export function lacking(records: readonly TopicRecord[], received: readonly TopicRecord[]) {
  const places = new Set(received.map(placeOf));
  return records
    .filter((record) => !places.has(placeOf(record)))
    .map(({ partition, offset, timestamp, value }) => ({
      ...{ partition, offset, timestamp },
      eventId: JSON.parse(value ?? '').eventId,
    }));
}

const placeOf = ({ partition, offset }: TopicRecord) => `${partition}/${offset}`;

/** What the broker tells of a topic and of a group that reads it. */
export function offsets(kafka: KafkaServer, topic: string, group: string): Promise<unknown> {
  return withAdmin(kafka, async (admin) => {
    const { topics } = await admin.metadata({ topics: [topic] });
    const partitions = Array.from({ length: topics.get(topic)?.partitionsCount ?? 0 }, (_, partitionIndex) => ({
      ...{ partitionIndex, timestamp: ListOffsetTimestamps.LATEST },
    }));
    return {
      // The high watermarks: what a reader may see ends there.
      ends: await admin.listOffsets({ topics: [{ name: topic, partitions }] }),
      committed: await admin.listConsumerGroupOffsets({ groups: [group] }),
      groups: [...(await admin.describeGroups({ groups: [group] })).values()].map(({ id, state, members }) => ({
        ...{ id, state, members: [...members.keys()] },
      })),
    };
  });
}
