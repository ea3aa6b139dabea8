import { useEffect } from 'preact/hooks';
import { byNeed, type ClassRow } from '../../model/need.ts';
import { Words } from '../../parts/foreign.tsx';
import { memo } from '../../parts/memo.ts';
import { classRows, path, sight } from '../../state/class.ts';
import { go } from '../../state/route.ts';
import { Nobody, Summary } from './class-list.tsx';
import { useGradually } from './gradually.ts';
import { Joining } from './join.tsx';
import { LearnerName, Progress } from './learner-parts.tsx';

/** What everybody in the room may see, large: without controls, ids, refusals, or what would give a solution away. */
export function Wall({ part }: { readonly part: string }) {
  const back = `/trainer/${part}`;
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset.wall = '';
    document.title = 'The class – L-Plate';
    const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey) return;
      if (key === 'Escape') go(back);
      if (key.toLowerCase() === 'f') void toggleFullScreen();
    };
    addEventListener('keydown', onKey);
    return () => {
      delete dataset.wall;
      removeEventListener('keydown', onKey);
      if (document.fullscreenElement) void document.exitFullscreen();
    };
  }, [back]);
  return (
    <div class="wall">
      {part === 'join' ? <JoinOnWall /> : <ClassOnWall />}
      <p class="wall-keys muted">
        <a href={`#${back}`}>Leave the wall</a> (Esc). Full screen: F.
      </p>
    </div>
  );
}

async function toggleFullScreen(): Promise<void> {
  // A browser may refuse it; then the wall stays as large as its window.
  const changed = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  await changed.catch(() => {});
}

function ClassOnWall() {
  const rows = byNeed(classRows.value.values()).filter(({ need }) => need !== 'shared');
  const shown = useGradually(rows.length);
  const { since, error } = sight.value;
  return (
    <>
      <div class="row ends">
        <h1>The class</h1>
        <p class="wall-join">
          Join: <strong>{location.origin}</strong>
        </p>
      </div>
      {error && <p class="notice warn">The service does not answer. What you see may be old.</p>}
      {since !== undefined && rows.length === 0 && <Nobody />}
      {rows.length > 0 && <Summary rows={rows} />}
      <ol class="wall-list" aria-label="Learners, who needs help first">
        {rows.slice(0, shown).map((row) => (
          <WallRow key={row.clientId} row={row} lessons={path.value.length} />
        ))}
      </ol>
    </>
  );
}

function JoinOnWall() {
  return (
    <>
      <h1>Join the class</h1>
      <Joining />
    </>
  );
}

const WallRow = memo(({ row, lessons }: { readonly row: ClassRow; readonly lessons: number }) => {
  const { name, need, current, solved } = row;
  return (
    <li class={need}>
      <strong class="wall-name">
        <LearnerName name={name} />
      </strong>
      <span>
        {current ? <Words text={current.title} /> : 'All lessons are solved'}
        {current?.minutes ? <span class="wall-time">{current.time}</span> : null}
      </span>
      <Progress solved={solved} of={lessons} />
    </li>
  );
});
