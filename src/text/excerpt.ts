import { byForm } from './secret-finder.ts';

/** Characters behind an excerpt that are looked at, so that what is cut is seen whole. */
const margin = 4096;

/** The beginning of what a caller sent, short and whole enough to be shown in a detail. It ends before a secret that it would cut. */
export function excerpt(text: string, max = 60): string {
  const characters = [...text.slice(0, 2 * max + 2).toWellFormed()];
  if (characters.length <= max) return characters.join('');
  const beginning = characters.slice(0, max).join('');
  const end = beginning.length;
  const cut = byForm.find(text.slice(0, end + margin)).find((place) => place.start < end && place.end > end);
  return `${beginning.slice(0, cut?.start)}…`;
}
