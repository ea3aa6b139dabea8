/**
 * Milliseconds of processor time that this process spends on `work`. A busy machine does not make them more, as it does
 * with what a clock shows.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
