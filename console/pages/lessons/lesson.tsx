import { useEffect, useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import { credentials, personalPrefix } from '../../api/session.ts';
import type { MyLesson } from '../../api/types.ts';
import {
  callsOf,
  filterOf,
  isSolved,
  levels,
  milestone,
  nextAfter,
  openedBy,
  ownGoal,
  queryOf,
} from '../../model/lesson-path.ts';
import { isOwn } from '../../model/traffic-filter.ts';
import { Foreign, Words } from '../../parts/contained.tsx';
import { ExchangeLink } from '../../parts/exchange-link.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { focusTitle, Page } from '../../parts/page.tsx';
import { Badge, Button, CopyButton, Failure, LoadingPart, Notice, Time } from '../../parts/parts.tsx';
import { exchanges, lessonChanged, nextLesson, openLesson, takeUp } from '../../state/learner.ts';
import { route } from '../../state/route.ts';
import type { BesideProps } from '../send/beside.tsx';
import { Hints } from './hints.tsx';
import { isSomebody, useJust, useLessons } from './my-lessons.ts';
import { NoClient } from './path.tsx';
import { Mark } from './progress.tsx';
import { Question } from './question.tsx';
import { callOf } from './sections.ts';
import { Sections } from './sections.tsx';
import { SolutionPart } from './solution.tsx';
import { Text } from './text.tsx';

/** One lesson: what to do, and how far one is. */
export function LessonPage({ id }: { readonly id: string }) {
  const { value: lessons, error, again } = useLessons();
  const lesson = lessons?.find((each) => each.id === id);
  if (lessons && lesson) return <Shown lesson={lesson} lessons={lessons} />;
  return (
    <Page title="Lesson">
      {error && <Failure error={error} onAgain={again} />}
      {lessons ? (
        <Notice mood="warn">
          <p>
            There is no lesson{' '}
            <code>
              <Foreign text={id} most={80} />
            </code>{' '}
            here. <a href="#/lessons">All lessons</a>
          </p>
        </Notice>
      ) : (
        !error && <LoadingPart />
      )}
    </Page>
  );
}

interface ShownProps {
  readonly lesson: MyLesson;
  readonly lessons: readonly MyLesson[];
}

/** With the filter that the list had, so that the way back leads to it. */
const linkTo = (id = '') => `#/lessons${id && `/${encodeURIComponent(id)}`}${queryOf(filterOf(route.value.query))}`;

function Shown({ lesson, lessons }: ShownProps) {
  const { title, topic, level, goal, why, question, buildsOn, sections } = lesson;
  const mine = isSomebody();
  const solved = isSolved(lesson);
  // Whoever comes back to the page works on it again; two windows must not take it from each other.
  useEffect(() => {
    if (!mine || solved) return;
    const open = () => {
      if (openLesson.peek()?.id !== lesson.id) void takeUp(lesson.id);
    };
    open();
    addEventListener('focus', open);
    return () => removeEventListener('focus', open);
  }, [mine, solved, lesson.id]);
  const before = buildsOn.flatMap((id) => lessons.find((each) => each.id === id) ?? []);
  return (
    <Page
      title={title}
      actions={
        lesson.solvedBefore === null ? (
          <a href={linkTo()}>All lessons</a>
        ) : (
          <a href="#/lessons/month-later">A month later</a>
        )
      }
    >
      <p class="small row">
        <Words text={topic} />
        <Badge>{`Level ${level}: ${levels[level]}`}</Badge>
      </p>
      {!mine && <NoClient />}
      <div class="lesson">
        <div>
          <h2 class="unseen">What to do</h2>
          <p class="goal">
            <Text text={ownGoal(goal, credentials.value?.clientId)} />
          </p>
          {goal.includes('/for/') && credentials.value && (
            <p class="row small">
              <span class="muted">Your addresses begin with</span>
              <span class="row address">
                <code>{personalPrefix.value}</code>
                <CopyButton text={personalPrefix.value} about="the beginning of your addresses" />
              </span>
              <span class="muted">Get a token on the same machine first: else anybody could have made the call.</span>
            </p>
          )}
          {mine && lesson.steps.length > 1 && <Steps steps={lesson.steps} />}
          {mine && <State {...{ lesson, lessons }} />}
          {mine && !isSolved(lesson) && <WriteCall id={lesson.id} sections={sections} />}
          {mine && isSolved(lesson) && <SolutionPart {...lesson} />}
          {question !== null && <Question {...{ lesson, question, mine }} />}
          <Hints {...{ lesson, mine }} />
          <h2>Why</h2>
          <p>
            <Text text={why} />
          </p>
        </div>
        <aside class="beside" aria-label="About this lesson">
          {mine && <LastCalls />}
          {before.length > 0 && (
            <>
              <h2>Builds on</h2>
              <ul class="plain">
                {before.map((each) => (
                  <li key={each.id} class="row">
                    {mine && <Mark state={each.state} />}
                    <a href={linkTo(each.id)}>
                      <Words text={each.title} />
                    </a>
                  </li>
                ))}
              </ul>
            </>
          )}
          <Sections names={sections} />
        </aside>
      </div>
      <NextBar {...{ lesson, lessons }} />
    </Page>
  );
}

const ComposerBeside = lazy<BesideProps>(() => import('../send/beside.tsx'));

/** A place to write a call, which begins with the one that the lesson is about, if that is known. */
function WriteCall({ id, sections }: Pick<MyLesson, 'id' | 'sections'>) {
  const [open, setOpen] = useState(false);
  return (
    <div class="stack apart">
      <Button small expanded={open} onPress={() => setOpen(!open)}>
        Write a call
      </Button>
      {open && <ComposerBeside keep={`lesson ${id}`} wanted={callOf(sections)} />}
    </div>
  );
}

/** How far one is. It changes by itself when a call solves the lesson, and a screen reader says so. */
function State({ lesson, lessons }: ShownProps) {
  const { misses, lastMiss, lastMissExchange, lastWord, hintsTaken, steps } = lesson;
  const solved = isSolved(lesson);
  const just = useJust(solved);
  useEffect(() => {
    if (just && document.activeElement === document.body) focusTitle();
  }, [just]);
  const more = solved ? milestone(lessons, lesson) : undefined;
  const opened = solved ? openedBy(lessons, lesson) : [];
  return (
    <div class={just ? 'lesson-state just' : 'lesson-state'} role="status">
      {solved ? (
        <Notice mood="good">
          <p>
            <span class="tick" aria-hidden="true">
              ✓
            </span>
            <strong>Solved</strong>
            {lesson.solvedAt && (
              <>
                , <Time at={lesson.solvedAt} withDate />
              </>
            )}
          </p>
          {more && <p>{more}</p>}
          {opened.length > 0 && (
            <p>
              It opens{' '}
              {opened.map(({ id, title }, at) => (
                <>
                  {at > 0 && ', '}
                  <a href={linkTo(id)}>
                    <Words text={title} />
                  </a>
                </>
              ))}
              .
            </p>
          )}
          <Proof lesson={lesson} />
          {lesson.calls !== null && <p>It took {callsOf(lesson)}.</p>}
          <TakeAgain id={lesson.id} />
        </Notice>
      ) : (
        <Notice {...((lastWord ? lastWord.code === 'miss' : lastMiss !== null) && { mood: 'warn' as const })}>
          {lastWord && lastWord.code !== 'miss' ? (
            <p>
              <strong>{wordTitles[lastWord.code]}:</strong> <Text text={lastWord.text} />{' '}
              {lastWord.exchange && <Kept proof={lastWord.exchange} />}
            </p>
          ) : lastMiss !== null ? (
            <p>
              <strong>{misses === 1 ? 'A call came close' : `${misses} calls came close; the last one`}:</strong>{' '}
              <Text text={lastMiss} /> {lastMissExchange && <Kept proof={lastMissExchange} />}
            </p>
          ) : (
            <p>
              <strong>{hintsTaken.length > 0 || steps.some(({ done }) => done) ? 'Begun' : 'Open'}.</strong> Make your
              calls; this page notices when they solve it.
            </p>
          )}
        </Notice>
      )}
    </div>
  );
}

/** What a call was that lacked nothing. */
const wordTitles = { step: 'A step', 'on-the-way': 'On the way', elsewhere: 'Another call' };

/** What there is to do, and what is done. A screen reader says each step when it is done. */
function Steps({ steps }: Pick<MyLesson, 'steps'>) {
  return (
    <ol class="plain box rows steps" aria-label="Steps" aria-live="polite">
      {steps.map(({ title, done, exchange }) => (
        <li key={title} class={done ? 'row done' : 'row'}>
          <span class={done ? 'mark solved' : 'mark open'} role="img" aria-label={done ? 'Done' : 'Not done'}>
            {done ? '✓' : '○'}
          </span>
          <span>
            <Text text={title} /> {exchange && <Kept proof={exchange} />}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Kept({ proof: { exchangeId, method, path, status } }: { readonly proof: NonNullable<MyLesson['proof']> }) {
  return <ExchangeLink id={exchangeId} known={{ method, url: path, status }} />;
}

function TakeAgain({ id }: Pick<MyLesson, 'id'>) {
  const [error, setError] = useState<Error>();
  const take = async () => {
    const path = `/range/v1/me/lessons/${encodeURIComponent(id)}`;
    try {
      await call('DELETE', path);
      lessonChanged(await read<MyLesson>(path));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <>
      <Button small onPress={take}>
        Take it again
      </Button>
      {error && <Failure error={error} />}
    </>
  );
}

/** How many calls are shown. */
const most = 5;

/** The last calls of the learner's own, so that one sees that they came, and how they ended. */
function LastCalls() {
  const own = exchanges.value.filter(isOwn);
  return (
    <>
      <h2>Your last calls</h2>
      {own.length === 0 && <p class="muted small">None yet.</p>}
      <ul class="plain">
        {own.slice(0, most).map((exchange) => (
          <li key={exchange.id}>
            <ExchangeLink id={exchange.id} known={exchange} />
            {exchange.problem !== null && <code class="muted">{exchange.problem}</code>}
          </li>
        ))}
      </ul>
    </>
  );
}

function Proof({ lesson: { proof, question } }: { readonly lesson: MyLesson }) {
  if (!proof) return <p>{question === null ? 'The call is no longer known.' : 'By your answer.'}</p>;
  return (
    <p class="row">
      <span>{question === null ? 'By this call:' : 'By your answer, and this call:'}</span>
      <Kept proof={proof} />
    </p>
  );
}

/** What is next, always in sight. */
function NextBar({ lesson, lessons }: ShownProps) {
  const done = isSolved(lesson);
  // What Start and the list name, too. From a lesson that is open one goes on to another by skipping it.
  const open = done ? nextLesson.value : nextAfter(lessons, lesson.id);
  const next = isSomebody() ? open : beside(lessons, lesson.id, 1);
  const previous = beside(lessons, lesson.id, -1);
  return (
    <nav class="next-bar row" aria-label="Next lesson">
      {next ? (
        <a class={done ? 'button primary' : 'button'} href={linkTo(next.id)}>
          <span class="line">
            {isSomebody() && !done ? 'Skip to' : 'Next'}: <Words text={next.title} />
          </span>
        </a>
      ) : (
        <a class={done ? 'button primary' : 'button'} href="#/lessons/capstones">
          Next: the capstones
        </a>
      )}
      {previous && (
        <a href={linkTo(previous.id)} aria-label={`Previous: ${previous.title}`}>
          Previous
        </a>
      )}
    </nav>
  );
}

const beside = (lessons: readonly MyLesson[], id: string, by: 1 | -1) =>
  lessons[lessons.findIndex((each) => each.id === id) + by];
