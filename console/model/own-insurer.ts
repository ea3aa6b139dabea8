import type { ExaminedStage } from '../api/types.ts';

/** How far an insurer of one's own is: what passed, and the first stage that has not, but for what it can't show. */
export function standingOf(stages: readonly ExaminedStage[]) {
  const passed = stages.filter(({ outcome }) => outcome === 'passed').length;
  const next = stages.find(({ outcome }) => outcome === null || outcome === 'failed');
  return { passed, of: stages.length, next };
}

/** What compares an insurer with L-Plate, and sends what comes of it. */
export function examineCommand(origin: string, clientId: string, secret: string): string {
  return `npx l-plate examine http://localhost:9000/insurer/v1 --to ${origin} --client-id ${clientId} --client-secret ${secret}`;
}
