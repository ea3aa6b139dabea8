import type { MyLesson } from '../../api/types.ts';
import {
  filterOf,
  fits,
  isSolved,
  levels,
  type PathFilter,
  queryOf,
  type Shown,
  type TopicOfPath,
  topicsOf,
} from '../../model/lesson-path.ts';
import { Words } from '../../parts/foreign.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Badge, Button, Choice, Failure, Time } from '../../parts/parts.tsx';
import { nextLesson } from '../../state/learner.ts';
import { replace, route } from '../../state/route.ts';
import { isSomebody, useJust, useLessons } from './my-lessons.ts';

const shownTexts: readonly (readonly [Shown, string])[] = [
  ['all', 'All'],
  ['open', 'Open'],
  ['solved', 'Solved'],
];

const levelTexts = [
  ['', 'All'] as const,
  ...Object.entries(levels).map(([level, means]) => [level, `${level}: ${means}`] as const),
];

/** The way through all lessons, topic by topic. */
export function Path() {
  const { value, error, again } = useLessons();
  const filter = filterOf(route.value.query);
  return (
    <Page
      title="Lessons"
      about="A lesson says what to do. It is solved when your calls show that you did it, whatever tool you make them with. You can take them in any order."
    >
      <div class="lesson-path">
        {!isSomebody() && <NoClient />}
        {error && <Failure error={error} onAgain={again} />}
        {value ? (
          <Topics lessons={value} filter={filter} />
        ) : (
          !error && (
            <p>
              <Loading />
            </p>
          )
        )}
      </div>
    </Page>
  );
}

export function NoClient() {
  return (
    <div class="notice note">
      <p>You can read everything here. To solve lessons you need a client: it says which calls are yours.</p>
      <p>
        <a class="button primary" href="#/">
          Make one on the page Start
        </a>
      </p>
    </div>
  );
}

function Topics({ lessons, filter }: { readonly lessons: readonly MyLesson[]; readonly filter: PathFilter }) {
  const topics = topicsOf(lessons.filter(fits(filter)));
  const whole = new Map(topicsOf(lessons).map((topic) => [topic.title, topic]));
  const change = (part: Partial<PathFilter>) => replace(`/lessons${queryOf({ ...filter, ...part })}`);
  return (
    <>
      {isSomebody() && <Progress lessons={lessons} />}
      <div class="row ends lesson-filters">
        <div class="row">
          <Choice label="Show" value={filter.show} options={shownTexts} onChange={(show) => change({ show })} />
          <Choice
            label="Level"
            value={String(filter.level ?? '')}
            options={levelTexts}
            onChange={(level) => change({ level: level === '' ? undefined : Number(level) })}
          />
        </div>
        <div class="row">
          <a class="button" href="#/lessons/capstones">
            Capstones
          </a>
          <a class="button" href="#/lessons/certificate">
            Certificate
          </a>
        </div>
      </div>
      {topics.length === 0 && (
        <div class="notice">
          <p>No lesson is like that.</p>
          <Button onPress={() => change({ show: 'all', level: undefined })}>Show all lessons</Button>
        </div>
      )}
      {topics.map((topic) => (
        <Topic key={topic.title} topic={topic} whole={whole.get(topic.title) ?? topic} filter={filter} />
      ))}
    </>
  );
}

function Progress({ lessons }: { readonly lessons: readonly MyLesson[] }) {
  const solved = lessons.filter(isSolved).length;
  const next = nextLesson.value;
  return (
    <div class="card lesson-progress">
      <div class="row ends">
        <strong>
          {solved} of {lessons.length} solved
        </strong>
        {next ? (
          <a class="button primary" href={`#/lessons/${encodeURIComponent(next.id)}`}>
            <span class="anywhere">
              Next: <Words text={next.title} />
            </span>
          </a>
        ) : (
          <a class="button primary" href="#/lessons/capstones">
            All solved. Next: the capstones
          </a>
        )}
      </div>
      <Bar part={solved} of={lessons.length} label="Solved lessons" />
    </div>
  );
}

export function Bar({ part, of, label }: { readonly part: number; readonly of: number; readonly label: string }) {
  return (
    <div class="bar" role="progressbar" aria-label={label} aria-valuenow={part} aria-valuemin={0} aria-valuemax={of}>
      <span style={{ width: `${(100 * part) / Math.max(1, of)}%` }} />
    </div>
  );
}

interface TopicProps {
  /** What of it is shown. */
  readonly topic: TopicOfPath;
  readonly whole: TopicOfPath;
  readonly filter: PathFilter;
}

function Topic({ topic: { title, lessons }, whole, filter }: TopicProps) {
  const { solved, lessons: all } = whole;
  return (
    <section class="topic" aria-label={title}>
      <div class="row ends">
        <h2>
          <Words text={title} />
        </h2>
        <span class={`small ${solved === all.length ? 'done' : 'muted'}`}>
          {solved === all.length && '✓ '}
          {solved} of {all.length}
        </span>
      </div>
      <ol class="lesson-list">
        {lessons.map((lesson) => (
          <Row key={lesson.id} lesson={lesson} filter={filter} />
        ))}
      </ol>
    </section>
  );
}

function Row({ lesson, filter }: { readonly lesson: MyLesson; readonly filter: PathFilter }) {
  const { id, title, level, solvedAt } = lesson;
  const solved = isSolved(lesson);
  const just = useJust(solved);
  return (
    <li class={just ? 'lesson-row just' : 'lesson-row'}>
      <Mark lesson={lesson} />
      <span>
        <a href={`#/lessons/${encodeURIComponent(id)}${queryOf(filter)}`}>
          <Words text={title} />
        </a>{' '}
        {nextLesson.value?.id === id && <Badge mood="note">Next</Badge>}
      </span>
      <span class="about small muted">
        {solved && solvedAt ? (
          <>
            solved <Time at={solvedAt} withDate />
          </>
        ) : (
          begun(lesson)
        )}
      </span>
      <span class="small muted" title={levels[level]}>
        Level {level}
      </span>
    </li>
  );
}

const marks = { open: '○', started: '◐', solved: '✓' } as const;
const states = { open: 'Open', started: 'Begun', solved: 'Solved' } as const;

/** How far one is, as a sign and in a word. */
export function Mark({ lesson: { state } }: { readonly lesson: MyLesson }) {
  return (
    <span class={`mark ${state}`} role="img" aria-label={states[state]} title={states[state]}>
      {marks[state]}
    </span>
  );
}

function begun({ misses, hintsTaken }: MyLesson): string {
  const counts = [
    misses > 0 && `${misses} ${misses === 1 ? 'call' : 'calls'} came close`,
    hintsTaken.length > 0 && `${hintsTaken.length} ${hintsTaken.length === 1 ? 'hint' : 'hints'}`,
  ];
  return counts.filter(Boolean).join(', ');
}
