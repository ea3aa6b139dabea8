import { FairPool, type Guest, type Place } from '../fair-pool.ts';
import { SlidingWindow } from '../http/limits/sliding-window.ts';
import { addressKey } from '../http/requests/address.ts';
import type { Clock } from '../time/clock.ts';
import type { Limit, WebhookMetrics } from './metrics.ts';
import { isLoopback, type Target } from './target.ts';

/** Calls under way at the same time, at most. */
export const maxConcurrent = 200;

/*
 * How many calls webhooks make in any minute: for one client (`webhookCallsPerClient`), and to one host for all clients
 * (`webhookCallsPerHost`). A host is identified by its address, because it can have any number of names; all loopback
 * addresses are one host. A call over a limit is made later and does not count as an attempt. And how many of them are under
 * way, so that slow receivers don't hold up those of others.
 *
 * One node delivers at a time, so memory is enough; when another one takes over, it starts at zero.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #metrics: WebhookMetrics;
  readonly #clients: SlidingWindow;
  readonly #hosts: SlidingWindow;
  /** Calls under way, by the host that is called. */
  readonly pool = new FairPool({ all: maxConcurrent });

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

  /** Counts a call of the client to one of these addresses, which is under way until it leaves; or says in how many seconds it may be made. */
  take(clientId: string, targets: readonly Target[]): Place | { readonly wait: number } {
    const elapsed = this.#clock.elapsed();
    const hosts = new Set(targets.map(({ address }) => (isLoopback(address) ? 'loopback' : addressKey(address))));
    // Other calls can start while the name is looked up, so the client's limit is checked again.
    const wait = this.clientWait(clientId);
    if (wait > 0) return { wait };
    const busy = Math.max(0, ...[...hosts].map((host) => this.#hosts.secondsUntilFree(host, elapsed)));
    if (busy > 0) return { wait: this.#countRefusal('webhook-calls-host', busy) };
    const place = this.#begin(clientId, hosts);
    // It is looked at again when another call is over.
    if (!place) return { wait: 0 };
    this.#clients.admit(clientId, elapsed);
    for (const host of hosts) this.#hosts.admit(host, elapsed);
    return place;
  }

  #begin(client: string, hosts: Iterable<string>): Place | undefined {
    const places: Place[] = [];
    const leave = () => {
      for (const place of places) place.leave();
    };
    for (const address of hosts) {
      const place = this.pool.take({ address, client }, underWay);
      if (typeof place === 'object') places.push(place);
      else {
        leave();
        return undefined;
      }
    }
    return { leave };
  }

  #countRefusal(limit: Limit, wait: number): number {
    if (wait > 0) this.#metrics.limited(limit);
    return wait;
  }
}

/** Nobody takes its place from a call that is being made. */
const underWay: Guest = { end() {}, isBusy: () => true };
