import type { Secrets } from '../settings/secrets.ts';
import type { Settings } from '../settings/settings.ts';

/*
 * What a process and the service that it started as its child send each other. Node.js and test runners send messages of
 * their own by the same channel, so ours are known by their form: an object whose one member is `lplate`.
 */

/** The settings, as texts. */
export type Given = Readonly<Partial<Record<keyof Settings, string>>>;

/** A call to the service, which its own process makes: what a test has replaced in the other has no part in it. */
export interface Call {
  readonly id: number;
  /** Milliseconds to wait before it. */
  readonly after: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** `latin1`: each character of the body is a byte. */
  readonly encoding: 'utf8' | 'latin1';
}

/** The answer to a call, or why there is none. */
export type Answered = { readonly id: number } & (
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      readonly body: string;
    }
  | { readonly noAnswer: string }
);

export type ToChild = { readonly start: Given } | { readonly call: Call };

/** That the service listens, or why it does not; then the answers to calls. */
export type ToParent =
  | { readonly ready: { readonly url: string; readonly publicUrl: string; readonly secrets: Secrets } }
  | { readonly failed: string }
  | { readonly answered: Answered };

/** A message as it is sent. */
export function wrapped<Message extends ToChild | ToParent>(message: Message): { readonly lplate: Message } {
  return { lplate: message };
}

/** Listens to what the other one sends, and to nothing else that comes by the channel. */
export function onMessages<Message extends ToChild | ToParent>(
  channel: { on(event: 'message', listener: (message: unknown) => void): unknown },
  take: (message: Message) => void,
): void {
  channel.on('message', (message) => {
    const { lplate } = Object(message) as { lplate?: unknown };
    if (typeof lplate === 'object' && lplate !== null) take(lplate as Message);
  });
}
