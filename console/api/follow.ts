import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type As, Refused, send } from './call.ts';

export interface FollowOptions {
  readonly as?: As;
  /** Each event as it comes; `id` is what the stream resumes after. */
  readonly onEvent: (data: string, id: string | undefined) => void;
  /** Each time when the stream is there, and when it is lost. */
  readonly onState?: (state: 'live' | 'waiting', reason?: Error) => void;
  /** The lines between events that are for people. */
  readonly onComment?: (text: string) => void;
  readonly lastEventId?: string;
}

/** Milliseconds between two attempts: they double. */
const firstPause = 1000;
const longestPause = 15_000;

/** Milliseconds after which a tab that nobody sees gives its connection up: a browser has only six for one server. */
const hiddenFor = 10_000;

/**
 * Follows a stream of server-sent events until the returned function is called. Like EventSource, but with a token. It
 * reconnects by itself, and resumes after the last event. While the tab is hidden it rests, and once the page was left.
 */
export function follow(path: string, { as, onEvent, onState, onComment, lastEventId }: FollowOptions): () => void {
  let last = lastEventId;
  let ended = false;
  let pause = firstPause;
  let controller = new AbortController();
  let wake: (() => void) | undefined;

  const wait = (ms?: number) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (ms !== undefined) setTimeout(resolve, ms);
    });

  async function once(): Promise<void> {
    controller = new AbortController();
    const headers = { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) };
    const response = await send('GET', path, { ...(as && { as }), headers, signal: controller.signal });
    if (!response.body) return;
    onState?.('live');
    pause = firstPause;
    const parser = new EventSourceParserStream(onComment && { onComment });
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(parser);
    const reader = events.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || ended) return;
      last = value.id ?? last;
      onEvent(value.data, value.id);
    }
  }

  async function run(): Promise<void> {
    while (!ended) {
      if (document.hidden) await wait();
      if (ended) return;
      const error = await once().then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (ended) return;
      // What the stream would resume after is not kept any more: begin with what comes.
      if (error instanceof Refused && error.status === 410) {
        last = undefined;
        pause = firstPause;
      }
      onState?.('waiting', error);
      await wait(pause);
      pause = Math.min(pause * 2, longestPause);
    }
  }

  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => controller.abort(), hiddenFor);
    else wake?.();
  };
  const onOnline = () => wake?.();
  // The browser keeps a page that was left for "back", as it stands: with its connections, and without its timers.
  const onLeave = () => controller.abort();
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onOnline);
  addEventListener('pagehide', onLeave);
  void run();

  return () => {
    ended = true;
    clearTimeout(hiding);
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', onOnline);
    removeEventListener('pagehide', onLeave);
    controller.abort();
    wake?.();
  };
}
