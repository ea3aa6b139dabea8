import type { DrillName } from './drill-parameters.ts';

/*
 * Registration numbers that bring an outcome by themselves, for those who test a screen and start no drill. A client meets
 * it once in a minute; `range/drills/met-plates.ts` keeps who has.
 */

/** What each brings: what the log says of it, and the drill with this outcome, which the call counts as hit by. */
export const magicPlates = {
  '503': { says: 'a refusal with 503', drill: 'unavailable' },
  '429': { says: 'a refusal with 429', drill: 'small-rate-limit' },
  '504': { says: 'a page of a proxy with 504', drill: 'html-from-a-proxy' },
  LATE: { says: 'an answer after five seconds', drill: 'delay' },
  CUT: { says: 'a connection that is cut', drill: 'cut-connections' },
} as const satisfies Record<string, { says: string; drill: DrillName }>;

export type MagicPlate = keyof typeof magicPlates;

const form = /^QQ-?(503|429|504|LATE|CUT)(?:-?[A-Z0-9]{1,10})?$/i;

/** With one digit more it is a plate that has a vehicle: two letters and four digits, whichever dashes. */
const issued = /^QQ-?\d{3}-?\d$/i;

/** Which of them a registration number is, if any. */
export function magicPlate(regNumber: string): MagicPlate | undefined {
  const [, ending] = form.exec(regNumber) ?? [];
  if (ending === undefined || issued.test(regNumber)) return undefined;
  return ending.toUpperCase() as MagicPlate;
}
