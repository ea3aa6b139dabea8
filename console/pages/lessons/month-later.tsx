import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { MyLesson } from '../../api/types.ts';
import { callsOf, isSolved, levels } from '../../model/lesson-path.ts';
import { Words } from '../../parts/contained.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, Failure, LoadingPart, Time } from '../../parts/parts.tsx';
import { refreshLessons } from '../../state/learner.ts';
import { useLessons } from './my-lessons.ts';
import { Bar, Mark } from './progress.tsx';

/** Lessons that were solved, to be solved once more. */
export default function MonthLaterPage() {
  return (
    <Page
      title="A month later"
      about="What stayed? Ten of the lessons that you solved, at random, to be solved once more. They are open again and count anew; your certificate keeps them."
      actions={<a href="#/lessons">All lessons</a>}
    >
      <NeedsClient>
        <Mine />
      </NeedsClient>
    </Page>
  );
}

function Mine() {
  const { value: lessons } = useLessons();
  const [error, setError] = useState<Error>();
  if (!lessons) return <LoadingPart />;
  const given = lessons.filter(({ solvedBefore }) => solvedBefore !== null);
  const done = given.filter(isSolved).length;
  const begin = async () => {
    setError(undefined);
    try {
      await call('POST', '/range/v1/me/month-later');
      await refreshLessons();
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <>
      {given.length > 0 && (
        <>
          <p role="status">
            <strong>
              {done} of {given.length} solved again
            </strong>
          </p>
          <Bar part={done} of={given.length} label="Lessons solved again" />
          <ol class="plain box rows">
            {given.map((lesson) => (
              <Row key={lesson.id} lesson={lesson} />
            ))}
          </ol>
        </>
      )}
      {done === given.length && (
        <p>
          <Button kind="primary" onPress={begin}>
            Take ten again
          </Button>
        </p>
      )}
      {error && <Failure error={error} />}
    </>
  );
}

function Row({ lesson }: { readonly lesson: MyLesson }) {
  const { id, title, level, state, solvedBefore } = lesson;
  return (
    <li class="lesson-row">
      <Mark state={state} />
      <a href={`#/lessons/${encodeURIComponent(id)}`}>
        <Words text={title} />
      </a>
      <span class="small muted">
        {isSolved(lesson) ? callsOf(lesson) : <>solved before, {solvedBefore && <Time at={solvedBefore} withDate />}</>}
      </span>
      <span class="small muted" title={levels[level]}>
        Level {level}
      </span>
    </li>
  );
}
