import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { clientToken, read } from '../api/call.ts';
import { credentials } from '../api/session.ts';
import type { DrillKind, Lesson, Page } from '../api/types.ts';
import { type Found, pagesAndGuides, pathOfId, rank } from '../model/search.ts';
import { loadRoutes } from '../state/routes.ts';
import { Words } from './contained.tsx';
import { copyText } from './parts.tsx';

export interface SearchProps {
  /** What comes before the `#` of a page of the console: nothing within it. */
  readonly root: string;
  readonly onClose: () => void;
}

/** What does something in place of leading somewhere. */
const actions: readonly Found[] = [
  { kind: 'Action', name: 'Copy a new token', words: 'bearer access_token', act: clientToken },
  { kind: 'Action', name: 'Copy the client_id', words: 'credentials', act: () => credentials.peek()?.clientId ?? '' },
  {
    kind: 'Action',
    name: 'Copy the secret',
    words: 'client_secret',
    act: () => credentials.peek()?.clientSecret ?? '',
  },
  { kind: 'Action', name: 'Move your clock', words: 'time jump later advance', path: '/#/time' },
  { kind: 'Action', name: 'Start a drill', words: 'fault outage delay', path: '/#/time' },
];

/** All that can be gone to from everywhere, found by a few letters of it. */
export default function Search({ root, onClose }: SearchProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [told, setTold] = useState('');
  const known = useKnown();
  const found = useMemo(() => rank([...pathOfId(text), ...known], text), [text, known]);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => document.getElementById(`found-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);

  const take = async (one: Found | undefined) => {
    if (one?.path !== undefined) {
      const isHere = root === '' && one.path.startsWith('/#');
      location.assign(isHere ? one.path.slice(1) : one.path);
      onClose();
    } else if (one?.act) {
      const copied = await Promise.resolve(one.act()).then(copyText, () => false);
      if (copied) onClose();
      else setTold('It could not be copied.');
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((at) => (at + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') void take(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    // A click on the ground around it, which is the dialog itself, closes it.
    <dialog
      class="search-dialog"
      ref={dialog}
      aria-label="Search"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <div>
        <input
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded={found.length > 0}
          aria-controls="found"
          aria-activedescendant={found.length > 0 ? `found-${chosen}` : undefined}
          placeholder="A page, lesson, call, problem, guide, drill, or an id"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
        />
        <div class="found" id="found" role="listbox" aria-label="Found">
          {found.map((one, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
            <div
              key={`${one.kind} ${one.name}`}
              id={`found-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === chosen}
              onClick={() => take(one)}
            >
              <Words text={one.name} />
              <span class="muted small">{one.kind}</span>
            </div>
          ))}
        </div>
        <p class="muted small" role="status">
          {told || (found.length === 0 ? 'Nothing is called so.' : '')}
        </p>
      </div>
    </dialog>
  );
}

/** What is there without asking, and what the service adds. What can't be read is left out: the rest is found. */
function useKnown(): readonly Found[] {
  const [known, setKnown] = useState<readonly (readonly Found[])[]>(() => [
    [...pagesAndGuides, ...(credentials.peek() ? actions : [])],
    ...asked.map(() => []),
  ]);
  useEffect(() => {
    for (const [at, ask] of asked.entries())
      ask().then(
        (more) => setKnown((before) => before.with(at + 1, more)),
        () => {},
      );
  }, []);
  return useMemo(() => known.flat(), [known]);
}

/** In the order in which they are found, if nothing else decides it. */
const asked = [lessons, problems, drills, operations];

async function lessons(): Promise<Found[]> {
  const { items } = await read<Page<Lesson>>('/range/v1/lessons?pageSize=500', { as: 'nobody' });
  return items.map(({ id, title, topic, goal }) => ({
    kind: 'Lesson',
    name: title,
    words: `${id} ${topic}`,
    text: goal,
    path: `/#/lessons/${encodeURIComponent(id)}`,
  }));
}

async function operations(): Promise<Found[]> {
  const routes = await loadRoutes();
  return routes.map(({ method, path, summary, reference }) => ({
    kind: `${method} ${path}`,
    name: summary,
    words: 'reference operation',
    path: reference,
  }));
}

async function drills(): Promise<Found[]> {
  const { items } = await read<Page<DrillKind>>('/range/v1/drills', { as: 'nobody' });
  return items.map(({ name, summary }) => ({ kind: 'Drill', name, words: summary, path: '/#/time' }));
}

async function problems(): Promise<Found[]> {
  const headers = { Accept: 'application/json' };
  const { problems: all } = await read<{ problems: { identifier: string }[] }>('/problems', { as: 'nobody', headers });
  return all.map(({ identifier: name }) => ({ kind: 'Problem', name, words: '', path: `/problems/${name}` }));
}
