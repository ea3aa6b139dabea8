import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { byName, byNeed, type ClassRow, isMarked } from '../../model/need.ts';
import { minuteText } from '../../model/when.ts';
import { Words } from '../../parts/contained.tsx';
import { memo } from '../../parts/memo.ts';
import { LoadingPart } from '../../parts/parts.tsx';
import { classRows, path, sight } from '../../state/class.ts';
import { Nobody, Summary } from './class-list.tsx';
import { useJoining } from './join.tsx';
import { LearnerName, Progress } from './learner-parts.tsx';
import { type WallLayout, wallLayout } from './seating.ts';

/** Milliseconds for which a page is shown. */
const turnEvery = 10_000;

/** Pixels below which it is no wall but a phone, on which one scrolls. */
const narrow = 700;

interface ClassOnWallProps {
  /** Whether it shows who may need help. */
  readonly marks: boolean;
  readonly names: boolean;
}

/** The class, each learner as large as all fit; with more than can be read, page by page. */
export function ClassOnWall({ marks, names }: ClassOnWallProps) {
  const order = marks ? byNeed : byName;
  const rows = order(classRows.value.values()).filter(({ need }) => need !== 'shared');
  const { since, error } = sight.value;
  const { address } = useJoining().value ?? {};
  const list = useRef<HTMLOListElement>(null);
  const layout = useLayout(list, rows.length);
  const turned = useTurns(layout.pages);
  const first = turned * layout.perPage;
  return (
    <>
      <div class="row ends wall-head">
        <h1 tabIndex={-1}>The class</h1>
        <RoomClock />
        {address !== undefined && (
          <p class="wall-join">
            Join: <strong>{address}</strong>
          </p>
        )}
      </div>
      {error && <p class="notice warn">The service does not answer. What you see may be old.</p>}
      {since === undefined && !error && <LoadingPart />}
      {since !== undefined && rows.length === 0 && <Nobody />}
      {rows.length > 0 && (
        <div class="row ends">
          <Summary rows={rows} marks={marks} />
          {layout.pages > 1 && (
            <p class="wall-page">
              {turned + 1} of {layout.pages}
            </p>
          )}
        </div>
      )}
      <ol
        class="wall-list"
        aria-label={marks ? 'Learners, who needs help first' : 'Learners'}
        ref={list}
        style={{
          fontSize: layout.size > 0 ? `${layout.size}px` : '',
          '--wall-columns': String(layout.columns),
          '--wall-rows': String(layout.rows),
        }}
      >
        {rows.slice(first, first + layout.perPage).map((row) => (
          <WallRow key={row.clientId} row={row} lessons={path.value.length} marks={marks} names={names} />
        ))}
      </ol>
    </>
  );
}

/** How the cards fit into a list that has the room which the rest of the page leaves. */
export function useLayout(list: { readonly current: HTMLElement | null }, cards: number): WallLayout {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [list]);
  const { width, height } = room;
  if (width < narrow || height === 0) return { columns: 1, rows: cards, size: 0, pages: 1, perPage: cards };
  return wallLayout(cards, width, height);
}

/** Which page is shown, from 0: the next one every few seconds. */
export function useTurns(pages: number): number {
  const [turns, setTurns] = useState(0);
  useEffect(() => {
    if (pages < 2) return;
    const timer = setInterval(() => setTurns((number) => number + 1), turnEvery);
    return () => clearInterval(timer);
  }, [pages]);
  return turns % Math.max(1, pages);
}

/** What time it is where the wall is. */
function RoomClock() {
  const now = () => minuteText(new Date());
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <p class="wall-clock">{time}</p>;
}

interface WallRowProps extends ClassOnWallProps {
  readonly row: ClassRow;
  /** How many there are. */
  readonly lessons: number;
}

/** Why a learner is marked, for who can't tell the colours apart. */
function wordFor({ need, help }: ClassRow): string {
  if (need === 'silent') return 'Silent';
  return help === null ? 'Stuck' : 'Asked for help';
}

const WallRow = memo(({ row, lessons, marks, names }: WallRowProps) => {
  const { name, need, current, solved } = row;
  const isShownMarked = marks && isMarked(need);
  const mark = isShownMarked ? 'stuck' : need === 'done' ? need : '';
  return (
    <li class={mark}>
      {names && (
        <strong class="wall-name">
          <LearnerName name={name} />
        </strong>
      )}
      <span class="wall-lesson">
        {isShownMarked && (
          <>
            <strong>{wordFor(row)}</strong> ·{' '}
          </>
        )}
        {current ? <Words text={current.title} /> : 'All lessons are solved'}
      </span>
      <Progress solved={solved} of={lessons} />
    </li>
  );
});
