import { checkAgainstDescription } from '../support/description.ts';
import { eventFaults } from '../support/event-check.ts';
import type { LPlate } from '../support/lplate.ts';
import { batch, type ClaimEvent, EventStream, topicPath } from '../support/topic.ts';

/*
 * A consumer of the topic that may stop at any moment. It keeps what it took in together with where to go on, as
 * consumers are told to, and goes on from there by a batch, a long poll or a stream.
 */

/** A long poll under way. */
interface Poll {
  readonly abort: AbortController;
  readonly over: Promise<void>;
}

/** What was done over all readers and runs, to show that the corners are reached. */
export type Tally = Map<string, number>;

/** More deliveries than any topic of a test has. */
const tooMany = 10_000;

export class TopicReader {
  readonly #lplate: LPlate;
  readonly #token: string;
  readonly #tally: Tally;
  /** The deliveries taken in so far, in order. */
  #taken: ClaimEvent[] = [];
  #next = 'earliest';
  #saved: { next: string; length: number } = { next: 'earliest', length: 0 };
  #poll: Poll | undefined;
  #stream: EventStream | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(lplate: LPlate, token: string, tally: Tally) {
    this.#lplate = lplate;
    this.#token = token;
    this.#tally = tally;
  }

  get deliveries(): readonly ClaimEvent[] {
    return this.#taken;
  }

  /** How many deliveries it has, those of the stream that is open included. */
  get length(): number {
    return this.#taken.length + (this.#stream?.received.length ?? 0);
  }

  /** Reads one batch. Returns how many events came. */
  readBatch(limit: number): Promise<number> {
    return this.#inTurn(async () => {
      await this.#stop();
      const { events, next } = await batch(this.#lplate, this.#token, `?after=${this.#next}&limit=${limit}`);
      this.#take(events, next);
      this.#count(limit === 1 ? 'batch of one' : 'batch', events.length);
      return events.length;
    });
  }

  /** Starts a long poll and leaves it waiting. */
  startPoll(limit: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#stop();
      const abort = new AbortController();
      const over = this.#pollOnce(limit, abort.signal).finally(() => (this.#poll = undefined));
      // Its failure is met by whoever stops it.
      over.catch(() => {});
      this.#poll = { abort, over };
    });
  }

  /** Opens a stream and leaves it open. */
  openStream(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#stop();
      const from = this.#next === 'earliest' ? {} : { lastEventId: this.#next };
      this.#stream = await EventStream.open(this.#lplate.url, this.#token, from);
    });
  }

  /** Stops in the middle of whatever it does; what had not come whole is lost. */
  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  /** Saves where it stands. */
  save(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#stop();
      this.#saved = { next: this.#next, length: this.#taken.length };
    });
  }

  /**
   * Crashes. Of a stream it had taken in this share of what came; else it stands where it saved last.
   */
  crash(share: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#stream) return this.#stop(share);
      await this.#stop();
      this.#count('lost in a crash', this.#taken.length - this.#saved.length);
      this.#taken = this.#taken.slice(0, this.#saved.length);
      this.#next = this.#saved.next;
    });
  }

  /** Goes on until it has so many deliveries: what is under way must bring its own, the rest comes by batches. */
  finish(length: number, limit: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.length < length) {
        await this.#stream?.until(() => this.length >= length);
        await this.#poll?.over;
      }
      await this.#stop();
      for (let more = limit; more === limit; ) {
        const { events, next } = await batch(this.#lplate, this.#token, `?after=${this.#next}&limit=${limit}`);
        this.#take(events, next);
        if (this.#taken.length > tooMany) throw new Error('it goes round in circles');
        more = events.length;
      }
    });
  }

  async #pollOnce(limit: number, signal: AbortSignal): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#token}` };
    const url = `${this.#lplate.url}${topicPath}?after=${this.#next}&limit=${limit}&wait=30`;
    const started = this.#lplate.clock.now();
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { headers, signal });
      text = await response.text();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const answer = { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
    await checkAgainstDescription(this.#lplate.url, 'GET', topicPath, answer);
    if (answer.status !== 200) throw new Error(text);
    const { events, next } = answer.json;
    const faults = events.flatMap(eventFaults);
    if (faults.length > 0) throw new Error(faults.join('; '));
    this.#take(events, next);
    this.#count(this.#lplate.clock.now() > started ? 'long poll that waited' : 'long poll', events.length);
  }

  async #stop(share = 1): Promise<void> {
    if (this.#poll) {
      this.#poll.abort.abort();
      await this.#poll.over;
    }
    if (this.#stream) {
      this.#stream.close();
      await this.#stream.end();
      const { received, lastEventId } = this.#stream;
      this.#stream = undefined;
      const kept = received.slice(0, Math.floor(share * received.length));
      this.#count(this.#next === 'earliest' ? 'stream' : 'resumed stream', kept.length);
      this.#count('lost of a stream', received.length - kept.length);
      // Signs of life move it on, too.
      const next = (kept.length === received.length ? lastEventId : kept.at(-1)?.id) || this.#next;
      this.#take(
        kept.map(({ event }) => event),
        next,
      );
    }
  }

  #take(events: readonly ClaimEvent[], next: string): void {
    this.#taken.push(...events);
    this.#next = next;
  }

  #count(what: string, events: number): void {
    if (events > 0) this.#tally.set(what, (this.#tally.get(what) ?? 0) + events);
  }

  /** One act after the other, also where several are asked for at once. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}
