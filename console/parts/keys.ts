import { useLayoutEffect, useRef } from 'preact/hooks';

const typing = 'input, select, textarea, [contenteditable]';

/** Single keys that do something while no field has the focus: `{ j: next }`. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  // At once, so that no key is lost that follows what is seen.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const work = latest.current[event.key];
      if (!work || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(typing)) return;
      event.preventDefault();
      work();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
