import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts rows of imports that were worked off. */
export function importedRows(registry: Registry): (outcome: 'created' | 'refused', rows: number) => void {
  const rows = new Counter({
    name: 'lplate_policy_import_rows_total',
    help: 'Rows of policy imports that were worked off, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome, count) => rows.inc({ outcome }, count);
}

/** Shows how many bytes of lines are kept for imports, as `bytes` tells it whenever it is asked for. */
export function showImportBytes(registry: Registry, bytes: () => Promise<number>): void {
  new Gauge({
    name: 'lplate_policy_import_bytes',
    help: 'Bytes of the lines of policy imports that are kept',
    registers: [registry],
    // Each process tells the same of one database.
    aggregator: 'max',
    async collect() {
      this.set(await bytes().catch(() => Number.NaN));
    },
  });
}

/** Shows how many bytes of files are kept of statements, as `bytes` tells it whenever it is asked for. */
export function showStatementBytes(registry: Registry, bytes: () => Promise<number>): void {
  new Gauge({
    name: 'lplate_statement_bytes',
    help: 'Bytes of the files of statements that are kept',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      this.set(await bytes().catch(() => Number.NaN));
    },
  });
}

/** Counts rows that names were taken out of. */
export function erasedRows(registry: Registry): (rows: number) => void {
  const rows = new Counter({
    name: 'lplate_erased_rows_total',
    help: 'Rows of the database that a name was taken out of',
    registers: [registry],
  });
  return (count) => rows.inc(count);
}

/** Shows how many erasures are not completed, as `open` tells it whenever it is asked for. */
export function showOpenErasures(registry: Registry, open: () => Promise<number>): void {
  new Gauge({
    name: 'lplate_open_erasures',
    help: 'Erasures that are not completed',
    registers: [registry],
    // Each process tells the same of one database.
    aggregator: 'max',
    async collect() {
      this.set(await open().catch(() => Number.NaN));
    },
  });
}
