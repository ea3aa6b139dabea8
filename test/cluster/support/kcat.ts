import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { programs } from './requirements.ts';

/* What is in a topic, by kcat: a client in another language, on another library, than the relay's own. */

export interface TopicRecord {
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
}

/** Settings of librdkafka, for listeners that ask for more than an address. */
export type KcatSettings = Readonly<Record<string, string>>;

/** What librdkafka writes of how it reads, for a log. */
const debug: KcatSettings = { debug: 'cgrp,fetch,topic,protocol,broker' };

/**
 * All records of a topic as it is now, partition by partition in order. Rejects when there is no such topic. `log` is a
 * file for the debug log of the reader.
 */
export async function readTopic(
  brokers: string,
  topic: string,
  settings: KcatSettings = {},
  log?: string,
): Promise<TopicRecord[]> {
  const all = { ...settings, ...(log !== undefined && debug) };
  const { output, errors } = await kcat(brokers, all, [
    '-C',
    '-t',
    topic,
    '-o',
    'beginning',
    '-e',
    '-J',
    ...quiet(log),
  ]);
  if (log !== undefined) await writeFile(log, errors);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map(toRecord)
    .sort((a, b) => a.partition - b.partition || a.offset - b.offset);
}

/** Puts records with keys into a topic. */
export async function writeTopic(
  brokers: string,
  topic: string,
  records: readonly { key: string; value: string }[],
  settings: KcatSettings = {},
): Promise<void> {
  const lines = records.map(({ key, value }) => `${key}\t${value}\n`).join('');
  await kcat(brokers, { acks: 'all', ...settings }, ['-P', '-t', topic, '-K', '\t'], lines);
}

/*
 * After this time librdkafka gives up a request that waits for a broker. Its default is a minute, and before 2.10 a group
 * could stand still for so long: right after its start a broker says for a moment that it coordinates no group.
 * librdkafka then drops the address of its line to the coordinator, but may put the question who coordinates into the
 * queue of that very line, where it waits for an address until its time is over. Nobody else is asked meanwhile.
 */
const requestTimeout = '5000';

/*
 * A broker that has just started may say that it coordinates a group no longer, or not yet. A reader asks again then, and
 * kcat ends, also with -E. As the service manager of a consumer would, a member starts it again.
 */
const coordinatorMoved =
  /^% ERROR: Consumer error: .*Broker: (Not coordinator|Coordinator (not available|load in progress))$/m;

/** A member of a consumer group that reads a topic from its beginning, and goes on while brokers come and go. */
export class GroupMember {
  readonly received: TopicRecord[] = [];
  readonly #args: readonly string[];
  readonly #log: number | undefined;
  #child: ChildProcess;
  #ended: Promise<unknown>;
  #leaving = false;
  #restarts = 0;

  /** `log` is a file for its debug log. */
  constructor(brokers: string, group: string, topic: string, settings: KcatSettings = {}, log?: string) {
    const all = {
      ...{ 'auto.offset.reset': 'earliest', 'session.timeout.ms': '6000', 'socket.timeout.ms': requestTimeout },
      ...(log !== undefined && debug),
      ...settings,
    };
    this.#args = [...access(brokers, all), '-E', '-u', '-J', ...quiet(log), '-G', group, topic];
    // Open until the end: its folder may be removed before that.
    this.#log = log === undefined ? undefined : openSync(log, 'a');
    [this.#child, this.#ended] = this.#start();
  }

  #start(): [ChildProcess, Promise<unknown>] {
    const child = spawn(programs.kcat, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      this.received.push(...lines.map(toRecord));
    });
    let last = '';
    child.stderr.setEncoding('utf8').on('data', (part) => {
      if (this.#log !== undefined) writeSync(this.#log, part);
      last = (last + part).slice(-1_000);
    });
    const ended = once(child, 'close').then(() => {
      if (!this.#leaving && coordinatorMoved.test(last)) {
        this.#restarts += 1;
        [this.#child, this.#ended] = this.#start();
      } else if (this.#log !== undefined) closeSync(this.#log);
    });
    return [child, ended];
  }

  /** Whether it still reads. It ends by itself only if something is wrong. */
  get reading(): boolean {
    const { code, signal } = this.exit;
    return code === null && signal === null;
  }

  /** How it ended, if it did, and how often it was started again before. */
  get exit(): { code: number | null; signal: NodeJS.Signals | null; restarts: number } {
    return { code: this.#child.exitCode, signal: this.#child.signalCode, restarts: this.#restarts };
  }

  /** Leaves the group with its place kept, so that another member goes on from there. */
  async leave(): Promise<void> {
    this.#leaving = true;
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}

/** Whether a broker is there that takes part in its cluster. */
export async function isBroker(brokers: string, settings: KcatSettings = {}): Promise<boolean> {
  const { output } = await kcat(brokers, settings, ['-L', '-J', '-m', '2']);
  return JSON.parse(output).brokers.length > 0;
}

/** Without this it tells of each partition's end, and with it of nothing that a log is for. */
function quiet(log?: string): string[] {
  return log === undefined ? ['-q'] : [];
}

async function kcat(
  brokers: string,
  settings: KcatSettings,
  args: string[],
  input = '',
): Promise<{ output: string; errors: string }> {
  const child = spawn(programs.kcat, [...access(brokers, settings), ...args]);
  // It may end before it has read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`kcat ${args.join(' ')}: ${errors}`);
  return { output, errors };
}

// By default it waits half a minute for a topic that is not there, and ten seconds between two attempts to connect.
const patience: KcatSettings = { 'topic.metadata.propagation.max.ms': '1000', 'reconnect.backoff.max.ms': '500' };

function access(brokers: string, settings: KcatSettings): string[] {
  return [
    '-b',
    brokers,
    ...Object.entries({ ...patience, ...settings }).flatMap(([name, value]) => ['-X', `${name}=${value}`]),
  ];
}

function toRecord(line: string): TopicRecord {
  const { partition, offset, ts: timestamp, key, payload: value } = JSON.parse(line);
  return { partition, offset, timestamp, key, value };
}
