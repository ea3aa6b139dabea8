import { Counter, Gauge, type Registry } from 'prom-client';

/** Limits that hold without a request that could show it. */
export type Limit = 'stored-bytes' | 'pending-deliveries' | 'webhook-calls-client' | 'webhook-calls-host';

export interface WebhookMetrics {
  /** Counts one attempt to deliver a webhook. */
  attempt(outcome: 'taken' | 'refused' | 'unanswered'): void;
  /** Counts that a limit refused something or made it wait. */
  limited(limit: Limit): void;
  /** Counts a subscription that was disabled. */
  subscriptionDisabled(): void;
  /** Shows how many calls wait for the answer of a relay. */
  showRelayCalls(count: () => number): void;
}

export function webhookMetrics(registry: Registry): WebhookMetrics {
  const attempts = new Counter({
    name: 'lplate_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const limits = new Counter({
    name: 'lplate_limits_reached_total',
    help: 'How often a limit refused something or made it wait',
    labelNames: ['limit'],
    registers: [registry],
  });
  const disabled = new Counter({
    name: 'lplate_webhook_subscriptions_disabled_total',
    help: 'Subscriptions that were disabled: every call failed for too long, or the receiver answered 410',
    registers: [registry],
  });
  return {
    attempt: (outcome) => attempts.inc({ outcome }),
    limited: (limit) => limits.inc({ limit }),
    subscriptionDisabled: () => disabled.inc(),
    showRelayCalls(count) {
      new Gauge({
        name: 'lplate_webhook_relay_calls',
        help: 'Calls that wait for the answer of a relay',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
}
