import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  /** Where it leads: a page of the console, such as `#/lessons/token-by-form`. */
  readonly href?: string;
  readonly title: string;
}

/** Short messages in a corner; a screen reader says them. */
export const toasts = signal<readonly Toast[]>([]);

const shownFor = 8000;
const maxShown = 3;
let last = 0;

export function toast(title: string, text: string, href?: string): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, title, text, ...(href && { href }) }].slice(-maxShown);
  setTimeout(() => dismiss(id), shownFor);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
