import { valueDifference } from '../compare.ts';
import { type Descriptions, type Named, partOf } from '../descriptions.ts';
import type { Difference, Exchange } from '../difference.ts';
import { firstOf } from '../events.ts';
import type { Known } from '../known.ts';
import { messagesOf } from '../server-sent-events.ts';
import { type Answer, parsed } from '../side.ts';

const topicPath = '/claims/v1/topics/claims.status-changed';

/** The events that a stream told so far. */
export const eventsIn = (text: string): unknown[] => messagesOf(text).map(({ data }) => parsed(data) ?? data);

/** What differs in what your stream told, of so many events. */
export function streamDifference(
  right: readonly unknown[],
  { reference, yours }: Exchange,
  { known, descriptions }: { known: Known; descriptions: Descriptions },
): Difference | undefined {
  const place = 'stream';
  const answer = yours.answer as Answer;
  const messages = messagesOf(answer.body);
  const other = messages.find(({ type }) => type !== 'message');
  if (other) return { place, says: `An event of the stream has the field event: ${other.type}; none is right.` };
  if (messages.some(({ id }) => id === '')) return { place, says: 'An event of the stream has no id.' };
  if (messages.some(({ id }, at) => id === messages[at - 1]?.id))
    return { place, says: 'Two events of the stream have the same id, so that a reader can’t resume between them.' };
  if (messages.some(({ data }) => parsed(data) === undefined))
    return { place, says: 'The data of an event of the stream are not JSON.' };
  const told = firstOf(right, eventsIn(answer.body), known);
  const batch = eventSchemas(descriptions);
  const about = { known, schema: batch && partOf(batch, 'events'), place };
  return valueDifference([right, told], { expected: reference.answer, answer }, about);
}

/** The schema of what has events. */
export function eventSchemas(descriptions: Descriptions): Named | undefined {
  return descriptions.schemaOf('GET', topicPath, 200, 'application/json');
}
