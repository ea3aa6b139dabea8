import { computed, signal } from '@preact/signals';
import { decoded } from '../model/url.ts';

/*
 * The page that is shown stands after `#` in the address, so that it can be kept and sent: `#/lessons/token-by-form`, or
 * with what is filtered `#/traffic?status=4xx`.
 */

const hash = signal(location.hash);

/** What an entry of the history has once it was shown. Where one comes back to, the browser scrolls by itself. */
const shown = 'shown';
if (history.state === null) history.replaceState(shown, '');

/** Grows with each link that is followed and each step back, but not with a filter. */
export const visits = signal(0);

// Not hashchange, which comes later: the browser may have scrolled by then, on the page of before.
addEventListener('popstate', () => {
  const before = route.peek();
  hash.value = location.hash;
  visits.value += 1;
  if (history.state === shown) return;
  history.replaceState(shown, '');
  const { page, rest } = route.peek();
  if (page !== before.page || rest.join('/') !== before.rest.join('/')) scrollTo(0, 0);
});

export const route = computed(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page, rest, query: new URLSearchParams(query) };
});

/** `go('/traffic?status=4xx')`. */
export function go(path: string): void {
  location.hash = path;
}

/** As `go`, but without a step to go back to: for filters. */
export function replace(path: string): void {
  history.replaceState(shown, '', `#${path}`);
  hash.value = location.hash;
}
