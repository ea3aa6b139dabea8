import { useEffect, useState } from 'preact/hooks';

/** Items of a long list that are drawn at a time. */
const step = 40;

/** How many of `total` items to draw: some more in each frame, so that the page never stands still for long. */
export function useGradually(total: number): number {
  const [shown, setShown] = useState(step);
  useEffect(() => {
    if (shown >= total) return;
    const frame = requestAnimationFrame(() => setShown(shown + step));
    return () => cancelAnimationFrame(frame);
  }, [shown, total]);
  return Math.min(shown, total);
}
