import { day } from '../time/units.ts';
import type { Topic } from './topic.ts';

/** Days for which events are kept (Events, rule 3). */
export const retentionDays = 7;

/** The same in milliseconds. */
export const retention = retentionDays * day;

/** How readers go on who miss events that were removed. In this order, no change between the two is lost. */
export function howToCatchUp({ catchUp }: Topic): string {
  return `Get a new cursor with after=latest, then ${catchUp}, then continue from that cursor.`;
}
