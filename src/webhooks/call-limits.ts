import { addressKey } from '../http/address.ts';
import { SlidingWindow } from '../http/sliding-window.ts';
import type { Clock } from '../time/clock.ts';
import type { Limit, WebhookMetrics } from './metrics.ts';
import { isLoopback, type Target } from './target.ts';

/*
 * How many calls webhooks make in any minute: for one client (`webhookCallsPerClient`), and to one host for all clients
 * (`webhookCallsPerHost`). A host is identified by its address, because it can have any number of names; all loopback
 * addresses are one host. A call over a limit is made later and does not count as an attempt.
 *
 * One node delivers at a time, so memory is enough; when another one takes over, it starts at zero.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #metrics: WebhookMetrics;
  readonly #clients: SlidingWindow;
  readonly #hosts: SlidingWindow;

  constructor(clock: Clock, metrics: WebhookMetrics, { perClient, perHost }: { perClient: number; perHost: number }) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#clients = new SlidingWindow({ limit: perClient });
    this.#hosts = new SlidingWindow({ limit: perHost });
  }

  /** Forgets all calls. */
  forget(): void {
    this.#clients.forget();
    this.#hosts.forget();
  }

  /** Seconds until the client may have a call made; 0 when it may now. Counts nothing. */
  clientWait(clientId: string): number {
    return this.#countRefusal('webhook-calls-client', this.#clients.secondsUntilFree(clientId, this.#clock.elapsed()));
  }

  /** Counts a call of the client to one of these addresses and returns 0, or the seconds until it may be made. */
  take(clientId: string, targets: readonly Target[]): number {
    const elapsed = this.#clock.elapsed();
    const hosts = new Set(targets.map(({ address }) => (isLoopback(address) ? 'loopback' : addressKey(address))));
    // Other calls can start while the name is looked up, so the client's limit is checked again.
    const wait = this.clientWait(clientId);
    if (wait > 0) return wait;
    const busy = Math.max(0, ...[...hosts].map((host) => this.#hosts.secondsUntilFree(host, elapsed)));
    if (busy > 0) return this.#countRefusal('webhook-calls-host', busy);
    this.#clients.admit(clientId, elapsed);
    for (const host of hosts) this.#hosts.admit(host, elapsed);
    return 0;
  }

  #countRefusal(limit: Limit, wait: number): number {
    if (wait > 0) this.#metrics.limited(limit);
    return wait;
  }
}
