import type { Page } from '../api/types.ts';
import { Button } from './parts.tsx';

interface PagerProps {
  readonly list: Pick<Page<unknown>, 'page' | 'pageSize' | 'totalItems' | 'totalPages'>;
  readonly onPage: (page: number) => void;
  /** Whether the last page is shown first, as that of the newest items. */
  readonly newestFirst?: boolean;
}

/** Leads through the pages of a list, whose numbers are those of the interface. */
export function Pager({ list: { page, pageSize, totalItems, totalPages }, onPage, newestFirst }: PagerProps) {
  if (totalItems === 0 || (totalPages <= 1 && page === 1)) return null;
  const [from, to] = [(page - 1) * pageSize + 1, Math.min(page * pageSize, totalItems)];
  const steps = [
    ['First', 1],
    ['Previous', page - 1],
    ['Next', page + 1],
    ['Last', totalPages],
  ] as const;
  const names = newestFirst ? { First: 'Oldest', Previous: 'Older', Next: 'Newer', Last: 'Newest' } : undefined;
  return (
    <nav class="row actions" aria-label="Paging">
      {(newestFirst ? steps.toReversed() : steps).map(([name, to]) => (
        <Button
          key={name}
          small
          disabled={to < 1 || to > totalPages || to === page}
          label={`${names?.[name] ?? name} page`}
          onPress={() => onPage(to)}
        >
          {names?.[name] ?? name}
        </Button>
      ))}
      <span class="muted small" role="status">
        Page {page} of {totalPages}: {from <= to ? `${from} to ${to}` : 'none'} of {totalItems}
      </span>
    </nav>
  );
}
