/*
 * Where exchanges are. `search` begins with a question mark, or is empty.
 */

/** The address of an exchange, or of the list. */
export function addressOf(search: string, id?: string): string {
  return `/traffic${id === undefined ? '' : `/${encodeURIComponent(id)}`}${search}`;
}

/** That of two exchanges, compared. */
export function comparisonOf(search: string, before: string, after: string): string {
  return `/traffic/${encodeURIComponent(before)}/compare/${encodeURIComponent(after)}${search}`;
}

/** Where the interface has an exchange. */
export const exchangePath = (id: string) => `/range/v1/me/exchanges/${encodeURIComponent(id)}`;
