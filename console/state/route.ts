import { computed, signal } from '@preact/signals';

/*
 * The page that is shown stands after `#` in the address, so that it can be kept and sent: `#/lessons/token-by-form`, or
 * with what is filtered `#/traffic?status=4xx`.
 */

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
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
  history.replaceState(null, '', `#${path}`);
  hash.value = location.hash;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
