import { counted } from '../../model/elapsed.ts';
import { byNeed, type ClassRow, quietMinutes, stuckMinutes, stuckMisses, summaryOf } from '../../model/need.ts';
import { Words } from '../../parts/foreign.tsx';
import { memo } from '../../parts/memo.ts';
import { Badge } from '../../parts/parts.tsx';
import { classRows, path, sight } from '../../state/class.ts';
import { useGradually } from './gradually.ts';
import { LearnerName, learnerPath, Progress } from './learner-parts.tsx';

/** The class live: who needs help comes first. */
export function ClassList() {
  const rows = byNeed(classRows.value.values());
  const shown = useGradually(rows.length);
  if (sight.value.since === undefined) return sight.value.error ? null : <p class="muted">Loading …</p>;
  if (rows.length === 0) return <Nobody />;
  return (
    <>
      <div class="row ends class-head">
        <Summary rows={rows} />
        <a class="button small" href="#/trainer/class?wall">
          Show on the wall
        </a>
      </div>
      <div class="class-titles muted small" aria-hidden="true">
        <span>Learner</span>
        <span>Works on</span>
        <span>Solved</span>
        <span>Calls</span>
        <span>Last call</span>
      </div>
      <ol class="class-list" aria-label="Learners, who needs help first">
        {rows.slice(0, shown).map((row) => (
          <LearnerRow key={row.clientId} row={row} lessons={path.value.length} />
        ))}
      </ol>
      <p class="muted small prose">
        Marked and first is who works on one lesson for {stuckMinutes} minutes or more, or nearly solved it{' '}
        {stuckMisses} times. Who made no call for {quietMinutes} minutes stands at the end.
      </p>
    </>
  );
}

export function Summary({ rows }: { readonly rows: readonly ClassRow[] }) {
  const { learners, stuck, solved } = summaryOf(rows);
  return (
    <p class="summary">
      <strong>{counted(learners, 'learner')}</strong>
      {stuck > 0 && <Badge mood="warn">{stuck === 1 ? '1 may need help' : `${stuck} may need help`}</Badge>}
      <span class="muted">{counted(solved, 'lesson')} solved in all</span>
    </p>
  );
}

export function Nobody() {
  return (
    <div class="notice">
      <p>Nobody is here yet. A learner appears with the first call, a second later.</p>
      <p>
        <a class="button primary" href="#/trainer/join">
          Show how to join
        </a>
      </p>
    </div>
  );
}

interface RowProps {
  readonly row: ClassRow;
  /** How many there are. */
  readonly lessons: number;
}

const LearnerRow = memo(({ row, lessons }: RowProps) => {
  const { clientId, name, need, lastSeen, lastSeenAt, calls, refusals, lastProblem, solved, ahead, drills } = row;
  return (
    <li class={`class-row ${need}`}>
      <div class="who">
        <a href={learnerPath(clientId)}>
          <LearnerName name={name} />
        </a>
        <span class="row small">
          {need === 'stuck' && <Badge mood="warn">May need help</Badge>}
          {need === 'shared' && <Badge>Client for all</Badge>}
          {ahead !== '' && <Badge mood="note">Clock +{ahead}</Badge>}
          {drills.map((drill) => (
            <Badge key={drill} mood="warn">
              {drill}
            </Badge>
          ))}
        </span>
      </div>
      <WorksOn row={row} />
      <div>{need === 'shared' ? <span class="muted">–</span> : <Progress solved={solved} of={lessons} />}</div>
      <div>
        {calls}
        <span class="narrow-only">{calls === 1 ? ' call' : ' calls'}</span>
        {refusals > 0 && <span class="muted">, {refusals} refused</span>}
        {lastProblem && (
          <div class="small muted">
            last: <a href={problemPath(lastProblem)}>{lastProblem}</a>
          </div>
        )}
      </div>
      <div>
        <span class="narrow-only">Last call </span>
        <time dateTime={lastSeenAt} title={lastSeenAt}>
          {lastSeen}
        </time>
      </div>
    </li>
  );
});

/** A SOAP fault has no page of its own: its name has a colon. */
const problemPath = (problem: string) => (/^[\w-]+$/.test(problem) ? `/problems/${problem}` : '/problems');

function WorksOn({ row: { current, need } }: { readonly row: ClassRow }) {
  if (need === 'shared') return <div class="muted">Has no lessons.</div>;
  if (!current) return <div>All lessons are solved</div>;
  const { title, time, since, hints, misses, lastMiss } = current;
  const tries = [hints > 0 && counted(hints, 'hint'), misses > 0 && counted(misses, 'miss', 'misses')].filter(Boolean);
  return (
    <div>
      <Words text={title} />
      <div class="small muted">
        for{' '}
        <time dateTime={since} title={since} class="stuck-time">
          {time}
        </time>
        {tries.length > 0 && `, ${tries.join(', ')}`}
      </div>
      {lastMiss && (
        <div class="small miss">
          Last miss: <Words text={lastMiss} />
        </div>
      )}
    </div>
  );
}
