import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Rows, towards, windowOf } from '../../model/matrix.ts';

/** Pixels, until the first row was measured. */
const usualHeight = 32;

/** New rows that one frame draws. */
const maxPerFrame = 6;

/**
 * Which rows of a table that scrolls within `region` are drawn: those in view, some in each frame. All have one height.
 * `reveal` scrolls a cell into view and gives it the focus.
 */
export function useWindow(region: RefObject<HTMLDivElement | null>, total: number) {
  const [rowHeight, setRowHeight] = useState(usualHeight);
  const [range, setRange] = useState<Rows>({ first: 0, end: Math.min(total, maxPerFrame) });
  const wanted = useRef<{ row: number; column: number } | undefined>(undefined);

  const draw = useCallback(() => {
    const box = region.current;
    if (!box) return;
    const target = windowOf(box.scrollTop, box.clientHeight, rowHeight, total);
    setRange((drawn) => {
      const next = towards(drawn, target, maxPerFrame);
      return next.first === drawn.first && next.end === drawn.end ? drawn : next;
    });
  }, [rowHeight, total]);

  useLayoutEffect(() => {
    const height = region.current?.querySelector('[data-row]')?.getBoundingClientRect().height;
    if (height) setRowHeight(height);
    draw();
  }, [draw]);

  // What one frame left is drawn in the next.
  useEffect(() => {
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [draw, range]);

  useEffect(() => {
    addEventListener('resize', draw);
    return () => removeEventListener('resize', draw);
  }, [draw]);

  // After each drawing: the row may have come into the document only now.
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { row, column } = wanted.current;
    const cell = region.current?.querySelector<HTMLElement>(`[data-row="${row}"] > td:nth-of-type(${column + 1})`);
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

  return { first: Math.min(range.first, total), end: Math.min(range.end, total), rowHeight, onScroll: draw, reveal };
}
