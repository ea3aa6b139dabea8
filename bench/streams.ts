import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scratchDirectory } from './cleanup.ts';
import { Commits } from './commits.ts';
import { claim, claims, insure, type Learner, newLearner } from './learner.ts';
import { median } from './pairs.ts';
import { forked, startLPlate, type Usage } from './servers.ts';
import type { Arrivals, Opening } from './stream-readers.ts';

/*
 * What open streams cost, beside a bare server that writes the same bytes to as many open responses. Both have their
 * streams open all the time, and publish in turn.
 */

export const streamCount = 1000;

/** How many clients share the streams. */
const layouts = [50, 1];

/** Claims that each client has on the move at the same time. */
const together = 4;

/** Milliseconds between two of these: the desk looks this often, so that they move one after the other. */
const beat = 250;

export interface StreamsEffort {
  /** How often each client registers some claims, which move three times each. */
  rounds: number;
  /** Seconds for which the quiet streams are watched. */
  quiet: number;
}

export interface Streamed {
  clients: number;
  lplate: Cost;
  bare: Cost;
}

export interface Cost {
  /** Kilobytes a stream: once all are open, and after traffic. */
  memory: { opened: number; used: number };
  /** Share of a processor's time while nothing happens, signs of life included. */
  quiet: number;
  /** Microseconds of processor time for each event on each stream. */
  cpu: number;
  /** Milliseconds until an event was on the first stream, on half of them and on the last. */
  until: { first: number; half: number; last: number; slowest: number };
}

export async function streams(effort: StreamsEffort, told: (what: string) => void): Promise<Streamed[]> {
  const found: Streamed[] = [];
  for (const clients of layouts) {
    told(`${streamCount} streams of ${clients === 1 ? 'one client' : `${clients} clients`}`);
    found.push(await measured(clients, effort));
  }
  return found;
}

async function measured(clients: number, effort: StreamsEffort): Promise<Streamed> {
  const directory = join(scratchDirectory(), `streams-${clients}`);
  const settings = { STREAMS_PER_CLIENT: String(streamCount / clients), EVENTS_DUPLICATE_RATE: '0' };
  const lplate = await startLPlate(directory, settings);
  const owners: { learner: Learner; policy: string }[] = [];
  for (let number = 0; number < clients; number += 1) {
    const learner = await newLearner(lplate.url);
    const [policy = ''] = await insure(lplate.url, learner, 1, `C-${number}`);
    owners.push({ learner, policy });
  }
  const bare = await startBareStreams();
  const ours = new Side(lplate.usage);
  const theirs = new Side(bare.usage);
  const path = `${claims}/topics/claims.status-changed?after=latest`;
  await ours.open(lplate.url, requests(lplate.url, path, owners));
  await theirs.open(bare.url, requests(bare.url, path, owners));

  const commits = new Commits(directory);
  for (let round = 0; round < effort.rounds; round += 1) {
    for (let each = 0; each < together; each += 1) {
      await Promise.all(owners.map(({ learner, policy }) => claim(lplate.url, learner, policy, 1)));
      await pause(beat);
    }
    for (let move = 0; move < 3 * together; move += 1) {
      const { text } = await ours.spend(async () => (seq) => commits.timeOf(seq));
      await theirs.spend(async () => {
        const at = await bare.write(text);
        return () => at;
      });
    }
  }
  commits.close();
  const [ourCost, theirCost] = await Promise.all([ours.cost(effort.quiet), theirs.cost(effort.quiet)]);
  await Promise.all([ours.close(), theirs.close(), lplate.stop(), bare.stop()]);
  return { clients, lplate: ourCost, bare: theirCost };
}

/** One of the two servers, and those who read its streams. */
class Side {
  readonly #usage: () => Promise<Usage>;
  readonly #readers = forked('stream-readers.ts');
  #before = 0;
  #opened = 0;
  #cpu = 0;
  readonly #until: { first: number; half: number; last: number }[] = [];

  constructor(usage: () => Promise<Usage>) {
    this.#usage = usage;
  }

  async open(url: string, requests: string[]): Promise<void> {
    this.#before = (await this.#usage()).memory;
    const { hostname: host, port } = new URL(url);
    const opening: Opening = { host, port: Number(port), requests };
    await this.#readers.ask(opening);
    // What opening leaves behind is to be collected first.
    await pause(1000);
    this.#opened = (await this.#usage()).memory;
  }

  /** One event for each stream. `publish` returns when the event of a number was published. */
  async spend(publish: () => Promise<(seq: number) => number>): Promise<Arrivals> {
    const { cpu } = await this.#usage();
    const arrived = this.#readers.ask<Arrivals>({});
    const publishedAt = await publish();
    const arrivals = await arrived;
    this.#cpu += (await this.#usage()).cpu - cpu;
    const took = arrivals.events.map(({ seq, at }) => at - publishedAt(seq));
    this.#until.push({ first: Math.min(...took), half: median(took), last: Math.max(...took) });
    return arrivals;
  }

  async cost(quietSeconds: number): Promise<Cost> {
    const used = await this.#usage();
    await pause(quietSeconds * 1000);
    const quiet = (await this.#usage()).cpu - used.cpu;
    const of = (name: 'first' | 'half' | 'last') => median(this.#until.map((each) => each[name]));
    const slowest = Math.max(...this.#until.map((each) => each.last));
    return {
      memory: { opened: this.#perStream(this.#opened), used: this.#perStream(used.memory) },
      quiet: quiet / quietSeconds,
      cpu: (this.#cpu * 1e6) / (this.#until.length * streamCount),
      until: { first: of('first'), half: of('half'), last: of('last'), slowest },
    };
  }

  close(): Promise<void> {
    return this.#readers.stop();
  }

  #perStream(megabytes: number): number {
    return ((megabytes - this.#before) * 1000) / streamCount;
  }
}

async function startBareStreams() {
  const { told, ask, stop } = forked('bare-streams.ts');
  return {
    url: `http://127.0.0.1:${await told<number>()}`,
    usage: () => ask<Usage>(''),
    /** When it began to write. */
    write: (text: string) => ask<number>(text),
    stop,
  };
}

function requests(url: string, path: string, owners: { learner: Learner }[]): string[] {
  return Array.from({ length: streamCount }, (_, number) => {
    const { Authorization } = owners[number % owners.length]?.learner.authorization ?? {};
    const lines = [`Host: ${new URL(url).host}`, 'Accept: text/event-stream', `Authorization: ${Authorization}`];
    return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  });
}
