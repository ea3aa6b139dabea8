import { Histogram, type Registry } from 'prom-client';

/** Counts one durable group of writes by its size, each time it is called. */
export function groupSizes(registry: Registry): (size: number) => void {
  const groups = new Histogram({
    name: 'lplate_database_group_size',
    help: 'Writes that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  return (size) => groups.observe(size);
}
