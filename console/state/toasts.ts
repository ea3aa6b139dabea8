import { signal } from '@preact/signals';

interface Message {
  readonly text: string;
  /** Where it leads: a page of the console, such as `#/lessons/token-by-form`. */
  readonly href?: string;
}

export interface Toast {
  readonly title: string;
  /** What came with this title while it was shown. */
  readonly messages: readonly Message[];
}

/** Short messages in a corner, one for each title; a screen reader says them. */
export const toasts = signal<readonly Toast[]>([]);

const shownFor = 8000;
const maxShown = 3;

export function toast(title: string, text: string, href?: string): void {
  const before = toasts.value.find((each) => each.title === title)?.messages ?? [];
  const others = before.filter((each) => each.text !== text);
  const one: Toast = { title, messages: [...others, { text, ...(href && { href }) }] };
  toasts.value = [...toasts.value.filter((each) => each.title !== title), one].slice(-maxShown);
  // Not if more came meanwhile: that is shown as long from then on.
  setTimeout(() => toasts.value.includes(one) && dismiss(title), shownFor);
}

export function dismiss(title: string): void {
  toasts.value = toasts.value.filter((each) => each.title !== title);
}
