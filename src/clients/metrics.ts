import { Counter, Gauge, type Registry } from 'prom-client';

/** Shows how many demo clients there are, as `count` tells it whenever it is asked for. */
export function showDemoClients(registry: Registry, count: () => Promise<number>): void {
  new Gauge({
    name: 'lplate_demo_clients',
    help: 'Demo clients that exist now',
    // Each process tells the same of one database, give or take a minute.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.set(await count());
    },
  });
}

/** Counts a demo client that was not created, by the limit in its way. */
export function refusedDemoClients(registry: Registry): (reason: 'address' | 'total') => void {
  const refused = new Counter({
    name: 'lplate_demo_clients_refused_total',
    help: 'Demo clients that were refused, by reason: the limit per address and day, or the limit in total',
    labelNames: ['reason'],
    registers: [registry],
  });
  return (reason) => refused.inc({ reason });
}
