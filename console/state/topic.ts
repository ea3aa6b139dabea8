import { batch, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Refused } from '../api/call.ts';
import { follow } from '../api/follow.ts';
import { credentials } from '../api/session.ts';
import { emptyLog, type Repeats, repeatsOf, type TopicLog, topicPath, withArrivals } from '../model/topic-log.ts';
import { resets } from './learner.ts';

/*
 * The topic of claims, followed by one stream while a page needs it: one call, however long it lasts. The stream begins
 * with the oldest event that is kept, since only a stream tells the cursor of each event. A page that needs it later goes on
 * after the last cursor.
 */

/** Milliseconds that arrivals wait for others, so that many are shown at once. */
const gatherFor = 50;

/** Milliseconds without an event after which there is none that was kept. */
const quietFor = 400;

/** Milliseconds that the stream stays open when a page is left, since the next one may need it too. */
const stayFor = 3000;

export const topicLog = signal<TopicLog>(emptyLog);
export const repeats = signal<Repeats>(new Map());

/** `connecting`: also until the events that were kept begin to come. */
export type StreamState = 'connecting' | 'live' | 'lost';
export const topicStream = signal<StreamState>('connecting');

/** How the stream was lost last. */
export interface Loss {
  /** ISO 8601. */
  readonly at: string;
  /** The cursor that the page goes on after; undefined if it begins anew. */
  readonly after: string | undefined;
  readonly error: Error | undefined;
  /** When it was there again. */
  readonly resumedAt?: string;
}
export const lastLoss = signal<Loss | undefined>(undefined);

/** The refusal of a cursor that was older than the events that are kept, and the cursor. */
export const expired = signal<{ readonly cursor: string; readonly error: Refused } | undefined>(undefined);

/** Why there were no events when the stream began, as the service says it. */
export const whyEmpty = signal<string | undefined>(undefined);

let cursor: string | undefined;
let waiting: { cursor: string; data: string }[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;
let end: (() => void) | undefined;
let users = 0;

function show(): void {
  gathering = undefined;
  const come = waiting;
  waiting = [];
  batch(() => {
    if (settling !== undefined) settle();
    topicLog.value = withArrivals(topicLog.peek(), come);
    repeats.value = repeatsOf(topicLog.value.arrivals, repeats.peek());
  });
}

function settle(): void {
  clearTimeout(settling);
  settling = undefined;
  topicStream.value = 'live';
}

function onEvent(data: string, id: string | undefined): void {
  cursor = id ?? cursor;
  waiting.push({ cursor: cursor ?? '', data });
  gathering ??= setTimeout(show, gatherFor);
}

/** A stream says it first; later comments are signs of life. */
function onComment(text: string): void {
  whyEmpty.value ??= text.trim();
}

function onState(state: 'live' | 'waiting', error?: Error): void {
  batch(() => {
    const loss = lastLoss.peek();
    clearTimeout(settling);
    settling = undefined;
    if (state === 'live') {
      whyEmpty.value = undefined;
      if (topicLog.peek().came > 0) settle();
      else settling = setTimeout(settle, quietFor);
      if (loss && !loss.resumedAt) lastLoss.value = { ...loss, resumedAt: new Date().toISOString() };
      return;
    }
    const gone = error instanceof Refused && error.status === 410;
    if (gone && cursor !== undefined) {
      expired.value = { cursor, error };
      cursor = undefined;
    }
    // Attempts that fail belong to the loss before them.
    const at = topicStream.peek() === 'lost' && loss ? loss.at : new Date().toISOString();
    topicStream.value = 'lost';
    lastLoss.value = { at, after: cursor, error: gone ? undefined : error };
  });
}

function open(): void {
  if (end) return;
  topicStream.value = 'connecting';
  end = follow(`${topicPath}?after=earliest`, { onEvent, onState, onComment, ...(cursor && { lastEventId: cursor }) });
}

function close(): void {
  clearTimeout(settling);
  settling = undefined;
  end?.();
  end = undefined;
}

/** What came is of one client, from the time since it was reset. */
function forget(): void {
  close();
  cursor = undefined;
  clearTimeout(gathering);
  gathering = undefined;
  waiting = [];
  batch(() => {
    topicLog.value = emptyLog;
    repeats.value = new Map();
    lastLoss.value = undefined;
    expired.value = undefined;
  });
}

let of: string | undefined;
let reset = 0;
effect(() => {
  const id = credentials.value?.clientId;
  // Events from before a reset can't be read any more.
  if (id === of && resets.value === reset) return;
  of = id;
  reset = resets.value;
  forget();
  if (id !== undefined && users > 0) open();
});

/** Keeps the topic followed while the component is there. */
export function useTopic(): void {
  useEffect(() => {
    users += 1;
    clearTimeout(leaving);
    open();
    return () => {
      users -= 1;
      if (users === 0) leaving = setTimeout(close, stayFor);
    };
  }, []);
}
