import { useEffect, useState } from 'preact/hooks';
import { daysToKeep } from '../../../src/clients/days-to-keep.ts';
import { counted } from '../../../src/text/counted.ts';
import { problemPage } from '../../api/problem.ts';
import {
  byNeed,
  type ClassRow,
  commonAhead,
  isMarked,
  silentMinutes,
  stuckMisses,
  stuckRefusals,
  summaryOf,
} from '../../model/need.ts';
import { Words } from '../../parts/contained.tsx';
import { memo } from '../../parts/memo.ts';
import { Badge, Notice, Time } from '../../parts/parts.tsx';
import { classRows, path, sight } from '../../state/class.ts';
import { useJoining } from './join.tsx';
import { LearnerName, LearnerSilence, learnerPath, Progress, warningTitles } from './learner-parts.tsx';

/** The class live: who needs help comes first. */
export function ClassList() {
  const rows = byNeed(classRows.value.values());
  const shown = useGradually(rows.length);
  if (sight.value.since === undefined) return sight.value.error ? null : <p class="muted">Loading …</p>;
  if (rows.length === 0) return <Nobody />;
  const ahead = commonAhead(rows);
  return (
    <>
      <Going rows={rows} />
      <div class="row ends class-head">
        <Summary rows={rows} />
        <a class="button small" href="#/trainer/class?wall">
          Show on the wall
        </a>
      </div>
      {ahead !== '' && (
        <p>
          <Badge mood="note">All clocks +{ahead}</Badge>
        </p>
      )}
      <div class="class-titles muted small" aria-hidden="true">
        <span>Learner</span>
        <span>Works on</span>
        <span>Solved</span>
        <span>Calls</span>
        <span>Last call</span>
      </div>
      <ol class="class-list" aria-label="Learners, who needs help first">
        {rows.slice(0, shown).map((row) => (
          <LearnerRow key={row.clientId} row={row} lessons={path.value.length} clock={ahead === ''} />
        ))}
      </ol>
      <p class="muted small prose">
        At the top, and marked: who asked for help; then who nearly solved a lesson {stuckMisses} times or more, or was
        refused {stuckRefusals} times in a row with the same problem; then who made no call for {silentMinutes} minutes
        while others did. Time without a solved lesson counts while a learner makes calls.
      </p>
    </>
  );
}

/** Learners that are named: the others are marked in the list. */
const namedGoing = 10;

/** Who is about to be removed, and what keeps them. */
function Going({ rows }: { readonly rows: readonly ClassRow[] }) {
  const going = rows.filter(({ goesAt }) => goesAt !== null);
  if (going.length === 0) return null;
  const lastCall = Math.min(...going.map(({ lastSeenAt }) => Date.parse(lastSeenAt)));
  const days = daysToKeep((sight.value.since ?? lastCall) - lastCall);
  const more = going.length - namedGoing;
  return (
    <Notice mood="warn">
      <p>
        <strong>{counted(going.length, 'learner')} about to be removed</strong>, with all that is their own, since
        nobody used them for long. Who makes a call or opens a page before, stays. To keep all of them, start{' '}
        <span class="nowrap">L-Plate</span> again with <code>--keep-clients-days {days}</code>.
      </p>
      <ul>
        {going.slice(0, namedGoing).map(({ clientId, name, goesAt }) => (
          <li key={clientId}>
            <a href={learnerPath(clientId)}>
              <LearnerName name={name} />
            </a>
            : <Time at={goesAt as string} withDate />
          </li>
        ))}
        {more > 0 && <li>{more} more, marked below</li>}
      </ul>
    </Notice>
  );
}

interface SummaryProps {
  readonly rows: readonly ClassRow[];
  /** Whether it says how many may need help. */
  readonly marks?: boolean;
}

export function Summary({ rows, marks = true }: SummaryProps) {
  const { learners, stuck, silent, solved } = summaryOf(rows);
  return (
    <p class="summary">
      <strong>{counted(learners, 'learner')}</strong>
      {marks && stuck > 0 && <Badge mood="warn">{stuck === 1 ? '1 may need help' : `${stuck} may need help`}</Badge>}
      {marks && silent > 0 && <Badge mood="warn">{silent} silent</Badge>}
      <span class="muted">{counted(solved, 'lesson')} solved in all</span>
    </p>
  );
}

/** What to do while nobody is here. */
export function Nobody() {
  const { value } = useJoining();
  const { address } = value ?? {};
  return (
    <div class="notice">
      <p>
        <strong>Nobody is here yet.</strong> A learner appears with the first call, a second later.
      </p>
      {value && address === undefined && (
        <p>
          Others can’t reach this <span class="nowrap">L-Plate</span> yet: Join says how to start it for them.
        </p>
      )}
      {address !== undefined && (
        <ol>
          <li>
            Show the page Join on the projector: learners open <strong>{address}</strong>, which is their page Start.
          </li>
          <li>There they press Make a client. With that they are here; a nickname says who they are.</li>
          <li>
            Want to see how it looks? Open <a href="#/">Start</a> in this browser, and make a client yourself.
          </li>
        </ol>
      )}
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
  /** Whether it says how far the clock is ahead. */
  readonly clock: boolean;
}

const LearnerRow = memo(({ row, lessons, clock }: RowProps) => {
  const { clientId, name, need, reason, calls, refusals, callsWithoutToken, lastProblem, solved } = row;
  const { ahead, drills, warnings, stagesPassed } = row;
  return (
    <li class={`class-row ${isMarked(need) ? 'stuck' : ''}`}>
      <div class="who">
        <a href={learnerPath(clientId)}>
          <LearnerName name={name} />
        </a>
        <span class="row small">
          {reason !== '' && <Badge mood="warn">{reason}</Badge>}
          {warnings.map(({ kind, detail }) => (
            <Badge key={detail} mood="warn">
              {warningTitles[kind]}
            </Badge>
          ))}
          {need === 'shared' && <Badge>Client for all</Badge>}
          {clock && ahead !== '' && <Badge mood="note">Clock +{ahead}</Badge>}
          {stagesPassed > 0 && <Badge>Own insurer: {counted(stagesPassed, 'stage')} reported</Badge>}
          {drills.map((drill) => (
            <Badge key={drill} mood="note">
              Drill: {drill}
            </Badge>
          ))}
        </span>
      </div>
      <WorksOn row={row} />
      <div>{need === 'shared' ? <span class="muted">–</span> : <Progress solved={solved} of={lessons} />}</div>
      <div class="call-count">
        <span>
          {calls}
          <span class="narrow-only">{calls === 1 ? ' call' : ' calls'}</span>
          {refusals > 0 && <span class="muted">, {refusals} refused</span>}
          {callsWithoutToken > 0 && <span class="muted">, {callsWithoutToken} without a token</span>}
        </span>
        {lastProblem && (
          <a class="last-problem small" href={problemPage(lastProblem) ?? '/problems'}>
            {lastProblem}
          </a>
        )}
      </div>
      <div>
        <LastCall row={row} />
      </div>
    </li>
  );
});

function LastCall({ row: { lastSeen, lastSeenAt, resetFor } }: { readonly row: ClassRow }) {
  if (resetFor !== '') return <span class="muted">Reset {resetFor}</span>;
  return (
    <>
      <span class="narrow-only">Last call </span>
      <time dateTime={lastSeenAt} title={lastSeenAt}>
        {lastSeen}
      </time>
    </>
  );
}

function WorksOn({ row: { current, need, refused, help, silent, resetFor } }: { readonly row: ClassRow }) {
  if (need === 'shared') return <div class="muted">Has no lessons.</div>;
  return (
    <div>
      {current ? <Current current={current} /> : 'All lessons are solved'}
      {help && (
        <div class="small miss">
          <strong>Asked for help:</strong> <Words text={help} />
        </div>
      )}
      {silent && (
        <div class="small miss">
          <LearnerSilence silent={silent} resetFor={resetFor} />
        </div>
      )}
      {refused && (
        <div class="small miss">
          {counted(refused.times, 'refusal')} in a row, the last: <Words text={refused.text} />
        </div>
      )}
    </div>
  );
}

function Current({ current }: { readonly current: NonNullable<ClassRow['current']> }) {
  const { title, tried, unsolvedFor, hints, misses, lastMiss } = current;
  const facts = [
    hints > 0 && counted(hints, 'hint'),
    misses > 0 && counted(misses, 'miss', 'misses'),
    unsolvedFor !== '' && `nothing solved for ${unsolvedFor}`,
  ].filter(Boolean);
  return (
    <>
      {!tried && <span class="muted">Next: </span>}
      <Words text={title} />
      {facts.length > 0 && <span class="small muted"> · {facts.join(', ')}</span>}
      {lastMiss && (
        <div class="small miss" title={lastMiss}>
          Last miss: <Words text={lastMiss} />
        </div>
      )}
    </>
  );
}

/** Items of a long list that are drawn at a time. */
const step = 40;

/** How many of `total` items to draw: some more in each frame, so that the page never stands still for long. */
export function useGradually(total: number): number {
  const [shown, setShown] = useState(step);
  useEffect(() => {
    if (shown >= total) return;
    const frame = requestAnimationFrame(() => setShown(shown + step));
    return () => cancelAnimationFrame(frame);
  }, [shown, total]);
  return Math.min(shown, total);
}
