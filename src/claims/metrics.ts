import { Gauge, type Registry } from 'prom-client';

/** Shows how many bytes the documents of claims count as, as `bytes` tells it whenever it is asked for. */
export function showDocumentBytes(registry: Registry, bytes: () => Promise<number>): void {
  new Gauge({
    name: 'lplate_claim_document_bytes',
    help: 'Bytes of the documents of claims that are stored, each with 16 KiB more than it has',
    registers: [registry],
    // Each process tells the same of one database.
    aggregator: 'max',
    async collect() {
      this.set(await bytes().catch(() => Number.NaN));
    },
  });
}
