import { read } from './call.ts';
import type { ExaminedStage } from './types.ts';

/** The stages of an insurer of one's own, or for the trainer of that of a client. */
export async function stagesOf(clientId?: string): Promise<readonly ExaminedStage[]> {
  const path = clientId === undefined ? 'me' : `trainer/learners/${encodeURIComponent(clientId)}`;
  const options = clientId === undefined ? {} : ({ as: 'trainer' } as const);
  return (await read<{ items: readonly ExaminedStage[] }>(`/range/v1/${path}/examinations`, options)).items;
}
