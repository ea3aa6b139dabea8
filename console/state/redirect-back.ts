import { signal } from '@preact/signals';
import { origin } from '../api/session.ts';
import { replace } from './route.ts';

/*
 * Where a person comes back to who was sent to sign in by this page. A redirect URI has no fragment, so it is the address
 * of the console itself, and what the redirect says stands in its query.
 */

const key = 'lplate.redirect';

export const callback = `${origin}/`;

/** The query of the last redirect to this tab, whoever sent it. */
export const redirected = signal<string | undefined>(sessionStorage.getItem(key) ?? undefined);

export function keepRedirect(query: string | undefined): void {
  if (query === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, query);
  redirected.value = query;
}

/** Takes a redirect out of the address, where a history and screenshots would keep its code. */
export function takeRedirect(): void {
  const { search, pathname } = location;
  const query = new URLSearchParams(search);
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return;
  keepRedirect(search);
  history.replaceState(history.state, '', pathname);
  replace('/people/flow');
}
