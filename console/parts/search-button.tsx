import { useEffect, useState } from 'preact/hooks';
import { lazy } from './lazy.tsx';
import type { SearchProps } from './search.tsx';

/** What is searched is loaded when somebody searches. */
const Search = lazy<SearchProps>(() => import('./search.tsx'));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search, as Ctrl+K does on every page. `root` is what comes before the `#` of a page of the console. */
export function SearchButton({ root }: { readonly root: string }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" class="search icon icon-search" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span>Search or jump to …</span>
        <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      {open && <Search root={root} onClose={() => setOpen(false)} />}
    </>
  );
}
