import { useLayoutEffect } from 'preact/hooks';
import { Words } from '../../parts/contained.tsx';
import { useKeys } from '../../parts/keys.ts';
import { focusTitle } from '../../parts/page.tsx';
import { Show } from '../../parts/parts.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { go, route } from '../../state/route.ts';
import { readAnnouncement } from './announcement-control.tsx';
import { CodesOnWall } from './codes.tsx';
import { HowToJoin, OnlyHere, useJoining } from './join.tsx';
import { ClassOnWall } from './wall-class.tsx';

/** Milliseconds until what is announced is asked for again. */
const announcedEvery = 10_000;

/** What everybody in the room may see, large: without controls, ids, refusals, or what would give a solution away. */
export function Wall({ part }: { readonly part: string }) {
  const back = `/trainer/${part}`;
  // Before it is seen, so that nothing of the page around it flashes up.
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset.wall = '';
    document.title = 'The class – L-Plate';
    focusTitle();
    return () => {
      delete dataset.wall;
      if (document.fullscreenElement) void document.exitFullscreen();
    };
  }, [back]);
  useKeys({ Escape: () => go(back), f: toggleFullScreen, F: toggleFullScreen });
  const { query } = route.value;
  const marks = query.has('marks');
  const names = !query.has('nameless');
  const ofClass = part !== 'join' && part !== 'codes';
  return (
    <div class={part === 'join' ? 'wall' : 'wall fitted'}>
      <Announced />
      {part === 'join' && <JoinOnWall />}
      {part === 'codes' && <CodesOnWall />}
      {ofClass && <ClassOnWall marks={marks} names={names} />}
      <p class="row wall-keys muted">
        <span>
          <a href={`#${back}`}>Leave the wall</a> (Esc). Full screen: F.
        </span>
        {ofClass && (
          <>
            <a href={wallPath(!marks, names)}>{marks ? 'Hide who may need help' : 'Show who may need help'}</a>
            <a href={wallPath(marks, !names)}>{names ? 'Hide names' : 'Show names'}</a>
          </>
        )}
      </p>
    </div>
  );
}

const wallPath = (marks: boolean, names: boolean) =>
  `#/trainer/class?wall${marks ? '&marks' : ''}${names ? '' : '&nameless'}`;

async function toggleFullScreen(): Promise<void> {
  // A browser may refuse it; then the wall stays as large as its window.
  const changed = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  await changed.catch(() => {});
}

function JoinOnWall() {
  return (
    <>
      <h1 tabIndex={-1}>Join the class</h1>
      <Show loaded={useJoining()}>
        {({ address, authority }) =>
          address === undefined ? <OnlyHere /> : <HowToJoin address={address} authority={authority} />
        }
      </Show>
    </>
  );
}

function Announced() {
  const { value, again } = useLoad(readAnnouncement, []);
  useEvery(announcedEvery, again);
  if (!value) return null;
  return (
    <p class="notice note wrapped wall-announcement">
      <Words text={value.text} />
    </p>
  );
}
