import type { DrillName } from '../active-drills.ts';
import type { Clock } from '../time/clock.ts';
import { Reader } from './reader.ts';
import type { Topic } from './topic.ts';

export interface TopicReaderOptions {
  readonly topic: Topic;
  readonly clientId: string;
  /** Notes a drill that hit it. */
  readonly note: (name: DrillName) => void;
  readonly clock: Clock;
  /** How long it may read. */
  readonly milliseconds: number;
}

/** A reader of a topic. */
export class TopicReader extends Reader {
  readonly topic: Topic;
  /** Notes a drill that hit it. */
  readonly note: (name: DrillName) => void;
  /** When it began, in real time: milliseconds since 1970. */
  readonly openedAt: number;

  constructor({ topic, clientId, note, clock, milliseconds }: TopicReaderOptions) {
    super(clientId, clock, milliseconds);
    this.topic = topic;
    this.note = note;
    this.openedAt = clock.now();
  }
}
