/** Lengths by which clocks are moved: as the interface takes them, in words, and what is due in that time. */
export const clockLengths = [
  { duration: 'PT61M', words: '61 minutes', causes: 'Tokens expire.' },
  { duration: 'P1D', words: '1 day', causes: 'Kept answers are forgotten, and failing webhooks are disabled.' },
  { duration: 'P8D', words: '8 days', causes: 'Events are gone.' },
  { duration: 'P1M', words: '1 month', causes: 'Policies of a month expire.' },
  { duration: 'P1Y', words: '1 year', causes: 'Policies of a year expire.' },
] as const;

export const usualLength: string = clockLengths[0].duration;

/** A length as a sentence has it: `61 minutes`; one that is none of these as it was typed. */
export function lengthWords(duration: string): string {
  return clockLengths.find((each) => each.duration === duration)?.words ?? duration;
}

/** What is due in that time; empty for a length that is none of these. */
export function lengthCauses(duration: string): string {
  return clockLengths.find((each) => each.duration === duration)?.causes ?? '';
}
