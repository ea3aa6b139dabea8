import { counted } from '../../../src/text/counted.ts';
import type { MyLesson } from '../../api/types.ts';
import {
  filterOf,
  fits,
  isFiltering,
  isSolved,
  levels,
  type PathFilter,
  queryOf,
  type Shown,
  type TopicOfPath,
  topicShown,
  topicsOf,
} from '../../model/lesson-path.ts';
import { Words } from '../../parts/contained.tsx';
import { MakeClient, Page } from '../../parts/page.tsx';
import { Badge, Button, Choice, Failure, Field, LoadingPart, Time } from '../../parts/parts.tsx';
import { nextLesson } from '../../state/learner.ts';
import { replace, route } from '../../state/route.ts';
import { CapstoneCards } from './capstone-cards.tsx';
import { isSomebody, useJust, useLessons } from './my-lessons.ts';
import { OwnInsurerCard } from './own-insurer-card.tsx';
import { Bar, Mark, Ring, states } from './progress.tsx';

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
      about="A lesson says what to do, and your calls solve it, whatever tool makes them. Take them in any order."
      actions={
        <>
          <a href="#/lessons/month-later">A month later</a>
          <a href="#/lessons/certificate">Certificate</a>
        </>
      }
    >
      <div class="lesson-path">
        {!isSomebody() && <NoClient />}
        {error && <Failure error={error} onAgain={again} />}
        {value ? <Topics lessons={value} filter={filter} /> : !error && <LoadingPart />}
      </div>
    </Page>
  );
}

export function NoClient() {
  return (
    <MakeClient>
      You can read everything here. To solve lessons you need a client: it says which calls are yours.
    </MakeClient>
  );
}

function Topics({ lessons, filter }: { readonly lessons: readonly MyLesson[]; readonly filter: PathFilter }) {
  const topics = topicsOf(lessons);
  const chosen = topicShown(route.value.query, topics, nextLesson.value);
  const filtering = isFiltering(filter);
  const shown = filtering ? topicsOf(lessons.filter(fits(filter))) : topics.filter(({ title }) => title === chosen);
  const change = (part: Partial<PathFilter>) => replace(`/lessons${queryOf({ ...filter, ...part })}`);
  return (
    <>
      {isSomebody() && <Progress lessons={lessons} />}
      <div class="row filters lesson-filters">
        <Field label="Search" type="search" value={filter.text} onInput={(text) => change({ text })} />
        <Choice label="Show" value={filter.show} options={shownTexts} onChange={(show) => change({ show })} />
        <Choice
          label="Level"
          value={String(filter.level ?? '')}
          options={levelTexts}
          onChange={(level) => change({ level: level === '' ? undefined : Number(level) })}
        />
      </div>
      {!filtering && (
        <>
          <ul class="plain tiles topics" aria-label="Topics">
            {topics.map((topic) => (
              <Tile key={topic.title} topic={topic} isChosen={topic.title === chosen} />
            ))}
          </ul>
          {isSomebody() && <Legend />}
        </>
      )}
      {shown.length === 0 && (
        <div class="notice">
          <p>No lesson is like that.</p>
          <Button onPress={() => change({ show: 'all', level: undefined, text: '' })}>Show all lessons</Button>
        </div>
      )}
      {shown.map((topic) => (
        <TopicTiles
          key={topic.title}
          topic={topic}
          whole={topics.find(({ title }) => title === topic.title) ?? topic}
          filter={filter}
        />
      ))}
      {!filtering && (
        <section aria-labelledby="capstones">
          <h2 id="capstones">
            <a href="#/lessons/capstones">Capstones</a>
          </h2>
          <CapstoneCards brief />
        </section>
      )}
      {!filtering && <OwnInsurerCard />}
    </>
  );
}

/** How far one is with a topic. It leads to its lessons. */
function Tile({
  topic: { title, lessons, solved },
  isChosen,
}: {
  readonly topic: TopicOfPath;
  readonly isChosen: boolean;
}) {
  const choose = (event: Event) => {
    event.preventDefault();
    replace(`/lessons?topic=${encodeURIComponent(title)}`);
    // Where there is little room they are below what is seen.
    setTimeout(() => document.querySelector('.topic')?.scrollIntoView({ block: 'nearest' }));
  };
  return (
    <li>
      <a
        class="tile box"
        href={`#/lessons?topic=${encodeURIComponent(title)}`}
        aria-current={isChosen ? 'true' : undefined}
        onClick={choose}
      >
        <Ring part={solved} of={lessons.length} />
        <span>
          <Words text={title} />
          <span class="dots" aria-hidden="true">
            {lessons.map(({ id, state }) => (
              <span key={id} class={`dot ${state} ${nextLesson.value?.id === id ? 'next' : ''}`} />
            ))}
          </span>
        </span>
      </a>
    </li>
  );
}

/** What the dots of the topics mean. */
function Legend() {
  return (
    <p class="row small muted" aria-hidden="true">
      {(['solved', 'started', 'next'] as const).map((state) => (
        <span key={state}>
          <span class={`dot ${state}`} /> {state === 'next' ? 'Next' : states[state]}
        </span>
      ))}
    </p>
  );
}

function Progress({ lessons }: { readonly lessons: readonly MyLesson[] }) {
  const solved = lessons.filter(isSolved).length;
  const next = nextLesson.value;
  return (
    <div class="lesson-progress">
      <p class="row">
        <strong>
          {solved} of {lessons.length} solved
        </strong>
        {next && (
          <span class="muted">
            Next: <Words text={next.title} />
          </span>
        )}
      </p>
      {next ? (
        <a class="button primary" href={`#/lessons/${encodeURIComponent(next.id)}`}>
          {solved > 0 ? 'Go on' : 'Begin'}
        </a>
      ) : (
        <a class="button primary" href="#/lessons/capstones">
          All solved. Next: the capstones
        </a>
      )}
      <Bar part={solved} of={lessons.length} label="Solved lessons" />
    </div>
  );
}

interface TopicProps {
  /** What of it is shown. */
  readonly topic: TopicOfPath;
  readonly whole: TopicOfPath;
  readonly filter: PathFilter;
}

function TopicTiles({ topic: { title, lessons }, whole, filter }: TopicProps) {
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
      <ol class="plain box rows">
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
      <Mark state={lesson.state} />
      <span>
        <a href={`#/lessons/${encodeURIComponent(id)}${queryOf(filter)}`}>
          <Words text={title} />
        </a>{' '}
        {nextLesson.value?.id === id && <Badge mood="note">Next</Badge>}
      </span>
      <span class="small muted">
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

function begun({ misses, hintsTaken }: MyLesson): string {
  const counts = [
    misses > 0 && `${counted(misses, 'call')} came close`,
    hintsTaken.length > 0 && counted(hintsTaken.length, 'hint'),
  ];
  return counts.filter(Boolean).join(', ');
}
