const form = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** An instant (ISO 8601) as people read it: `2 April 2026 at 09:05 UTC`. */
export function inWords(at: string): string {
  return `${form.format(new Date(at))} UTC`;
}
