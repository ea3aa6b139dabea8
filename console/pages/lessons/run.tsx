import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { AnswerResult, Capstone, CapstoneRun } from '../../api/types.ts';
import { countdown } from '../../model/duration.ts';
import { focusTitle } from '../../parts/page.tsx';
import { Button, Code, Failure, Field, Notice } from '../../parts/parts.tsx';
import { refreshMe } from '../../state/learner.ts';
import { jsonOf, pretty, reportDraft } from './answers.ts';
import { Bar } from './progress.tsx';

interface RunProps {
  readonly capstone: Capstone;
  readonly run: CapstoneRun;
  /** Of the capstone, at the interface. */
  readonly path: string;
  readonly again: () => void;
}

/** The run that is on: its clock, what was given, what comes when, and the report. */
export function RunOn({ capstone, run, path, again }: RunProps) {
  const left = useSecondsLeft(run.secondsLeft, again);
  const gone = capstone.seconds - left;
  const { reportFromSecond } = run.level === 2 ? capstone.levelTwo : capstone;
  const end = async () => {
    await call('DELETE', `${path}/runs/${run.number}`).catch(() => {});
    focusTitle();
    again();
    void refreshMe();
  };
  return (
    <section class="card run" aria-label={`Run ${run.number}, under way`}>
      <h2>
        Run {run.number}, level {run.level}, is under way
      </h2>
      <div class="row ends">
        <span class="score" role="timer" aria-label="Time left">
          {countdown(left)} <span class="small muted">left of {countdown(capstone.seconds)}</span>
        </span>
        <Button small kind="danger" onPress={end}>
          End this run
        </Button>
      </div>
      <Bar part={Math.round(gone)} of={capstone.seconds} label="Time gone" />
      <div class="columns">
        <div>
          <h3>What happens when</h3>
          <Schedule {...{ capstone, run, reportFromSecond }} />
        </div>
        <div>
          <h3>What was made for this run</h3>
          <div class="given">
            <Code text={pretty(run.given)} label="What was made for this run" />
          </div>
        </div>
      </div>
      <Report {...{ capstone, run, again }} early={reportFromSecond - gone} />
    </section>
  );
}

interface ScheduleProps extends Pick<RunProps, 'capstone' | 'run'> {
  readonly reportFromSecond: number;
}

function Schedule({ capstone: { seconds }, run: { schedule }, reportFromSecond }: ScheduleProps) {
  const next = schedule.find(({ done }) => !done)?.second ?? seconds;
  const steps = [
    ...schedule,
    ...(reportFromSecond > 0 ? [{ second: reportFromSecond, what: 'The report can be sent.', done: false }] : []),
    { second: seconds, what: 'The time is over.', done: false },
  ];
  return (
    <ol class="plain timeline">
      {steps.map(({ second, what, done }) => (
        <li key={`${second} ${what}`} class={done ? 'passed' : second === next ? 'next' : 'later'}>
          <span class="row">
            <span class="mono">{countdown(second)}</span> {what}
            {done && <span class="muted"> (done)</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface ReportProps extends Pick<RunProps, 'capstone' | 'run' | 'again'> {
  /** Seconds until it can be sent; not above 0 if it can. */
  readonly early: number;
}

function Report({ capstone, run, again, early }: ReportProps) {
  const [typed, setTyped] = useState(() => reportDraft(run.given));
  const [advice, setAdvice] = useState<string>();
  const [error, setError] = useState<Error>();
  const send = async () => {
    setError(undefined);
    setAdvice(undefined);
    const report = jsonOf(typed);
    if ('fault' in report) return setAdvice(report.fault);
    try {
      const { text } = await call('POST', '/range/v1/me/answers', {
        json: { lesson: capstone.id, answer: report.value },
      });
      const result: AnswerResult = JSON.parse(text);
      if (result.run?.state === 'on') setAdvice(result.advice ?? undefined);
      else focusTitle();
      again();
      void refreshMe();
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <section aria-label="Report">
      <h3>Report</h3>
      <Field
        label="Your report, as JSON"
        value={typed}
        onInput={setTyped}
        lines={8}
        mono
        about="Paste what your program has. What stands there now only shows the form. A report ends the run."
      />
      <div class="row">
        <Button kind="primary" onPress={send} disabled={early > 0}>
          Send the report
        </Button>
        {early > 0 && <span class="muted">It can be sent in {countdown(early)}.</span>}
      </div>
      <div role="status">
        {advice !== undefined && (
          <Notice mood="warn">
            <p>{advice}</p>
          </Notice>
        )}
      </div>
      {error && <Failure error={error} />}
    </section>
  );
}

/** Seconds by which two answers of the service differ for being rounded, and for their time on the line. */
const rounding = 1.5;

/** Counts down from what the service said last, and calls `onOver` once when nothing is left. */
function useSecondsLeft(said: number, onOver: () => void): number {
  const ends = useRef(0);
  const [, setTick] = useState(0);
  const now = performance.now() / 1000;
  if (Math.abs(ends.current - (now + said)) > rounding) ends.current = now + said;
  const left = Math.max(0, ends.current - now);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const isOver = left === 0;
  useEffect(() => {
    if (isOver) onOver();
  }, [isOver]);
  return left;
}
