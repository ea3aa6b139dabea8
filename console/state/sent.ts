import { signal } from '@preact/signals';
import { credentials } from '../api/session.ts';
import { type Draft, type Sent, withSent } from '../model/draft.ts';

const key = 'lplate.sent';

/** Calls that were written by hand in this browser, the newest first; no secret is in them. */
export const history = signal<readonly Sent[]>(kept());

export function keepSent(draft: Draft, status: number): void {
  history.value = withSent(history.peek(), { at: Date.now(), status, draft }, credentials.peek());
  localStorage.setItem(key, JSON.stringify(history.value));
}

export function forgetSent(): void {
  history.value = [];
  localStorage.removeItem(key);
}

function kept(): readonly Sent[] {
  try {
    const found: Sent[] = JSON.parse(localStorage.getItem(key) ?? '[]');
    return found.filter(({ draft }) => Array.isArray(draft.headers) && typeof draft.body === 'string');
  } catch {
    // Not ours. What is kept next replaces it.
    return [];
  }
}
