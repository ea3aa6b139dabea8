/** What the page Send begins with: the call of an exchange, or one of a route. */
export type SendStart = { readonly from: string } | { readonly method: string; readonly path: string };

/** Where that is in the address. */
export function sendAddress(start: SendStart): string {
  return `/send?${new URLSearchParams({ ...start })}`;
}
