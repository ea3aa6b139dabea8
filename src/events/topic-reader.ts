import type { Clock } from '../clock.ts';
import { Reader } from './reader.ts';
import type { Topic } from './topic.ts';

/** A reader of a topic. */
export class TopicReader extends Reader {
  readonly topic: Topic;

  /** `milliseconds` is how long it may read. */
  constructor(topic: Topic, clientId: string, clock: Clock, milliseconds: number) {
    super(clientId, clock, milliseconds);
    this.topic = topic;
  }
}
