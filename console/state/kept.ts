import { useState } from 'preact/hooks';

const values = new Map<string, unknown>();

/** Sets what a page keeps before it is opened. */
export function keepFor(key: string, value: unknown): void {
  values.set(key, value);
}

/** As `useState`, but what was typed is there again when one comes back. Not for secrets. Gone when the page is loaded anew. */
export function useKept<T>(key: string, initial: T): readonly [T, (value: T) => void] {
  const [value, setValue] = useState(values.has(key) ? (values.get(key) as T) : initial);
  const keep = (next: T) => {
    keepFor(key, next);
    setValue(next);
  };
  return [value, keep];
}
