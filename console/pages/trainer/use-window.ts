import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { windowOf } from '../../model/matrix.ts';

/** Pixels, until the first row was measured. */
const usualHeight = 32;

/** Rows at the first drawing. */
const atFirst = { first: 0, end: 30 };

/**
 * Which rows of a table that scrolls within `region` are in view. All have one height. `reveal` scrolls a cell into view
 * and gives it the focus.
 */
export function useWindow(region: RefObject<HTMLDivElement | null>, total: number) {
  const [rowHeight, setRowHeight] = useState(usualHeight);
  const [range, setRange] = useState(atFirst);
  const wanted = useRef<{ row: number; column: number } | undefined>(undefined);

  const onScroll = useCallback(() => {
    const box = region.current;
    if (!box) return;
    const next = windowOf(box.scrollTop, box.clientHeight, rowHeight, total);
    setRange((before) => (before.first === next.first && before.end === next.end ? before : next));
  }, [rowHeight, total]);

  useLayoutEffect(() => {
    const height = region.current?.querySelector('[data-row]')?.getBoundingClientRect().height;
    if (height) setRowHeight(height);
    onScroll();
  }, [onScroll]);

  useEffect(() => {
    addEventListener('resize', onScroll);
    return () => removeEventListener('resize', onScroll);
  }, [onScroll]);

  // After each drawing: the row may have come into the document only now.
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { row, column } = wanted.current;
    const cell = region.current?.querySelector<HTMLElement>(`[data-row="${row}"] [data-column="${column}"]`);
    if (!cell) return;
    wanted.current = undefined;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });

  const reveal = (row: number, column: number) => {
    wanted.current = { row, column };
    const box = region.current;
    if (!box || (row >= range.first && row < range.end)) return;
    box.scrollTop = Math.max(0, row * rowHeight - box.clientHeight / 2);
  };

  return { first: Math.min(range.first, total), end: Math.min(range.end, total), rowHeight, onScroll, reveal };
}
