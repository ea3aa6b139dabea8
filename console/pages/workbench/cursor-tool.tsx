import { useState } from 'preact/hooks';
import type { ClaimStatusChanged } from '../../../src/claims/schemas.ts';
import { counted } from '../../../src/text/counted.ts';
import { type Answer, call } from '../../api/call.ts';
import { callsLeft } from '../../api/calls-left.ts';
import { topicPath } from '../../model/topic-log.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Table } from '../../parts/owned.tsx';
import { NeedsClient } from '../../parts/page.tsx';
import { Badge, Button, Code, Failure, Field, Notice, Status, Time } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { problemOf } from './answer.tsx';
import { PagingTool } from './paging-tool.tsx';

/** One batch that was read. */
interface Reading {
  readonly number: number;
  readonly url: string;
  readonly after: string;
  readonly answer: Answer;
}

interface Batch {
  readonly events: readonly ClaimStatusChanged[];
  readonly next: string;
  readonly note?: string;
}

export function CursorTool() {
  return (
    <NeedsClient>
      <TopicWalk />
      <PagingTool />
    </NeedsClient>
  );
}

/** Steps through the topic, batch by batch. */
function TopicWalk() {
  const [after, setAfter] = useKept('cursor.after', 'earliest');
  const [limit, setLimit] = useKept('cursor.limit', '5');
  const [wait, setWait] = useKept('cursor.wait', '0');
  const [steps, setSteps] = useKept<readonly Reading[]>('cursor.steps', []);
  const [waiting, setWaiting] = useState<AbortController>();
  const [error, setError] = useState<Error>();

  const step = async (from: string) => {
    const query = new URLSearchParams({ after: from, limit, wait });
    const url = `${topicPath}?${query}`;
    const controller = new AbortController();
    setError(undefined);
    setAfter(from);
    if (Number(wait) > 0) setWaiting(controller);
    try {
      const answer = await call('GET', url, { anyStatus: true, signal: controller.signal });
      setSteps([{ number: (steps[0]?.number ?? 0) + 1, url, after: from, answer }, ...steps].slice(0, maxSteps));
    } catch (reason) {
      if ((reason as Error).name !== 'AbortError') setError(reason as Error);
    } finally {
      setWaiting(undefined);
    }
  };
  const [latest] = steps;
  const next = latest && batchOf(latest)?.next;
  return (
    <section aria-labelledby="topic">
      <h2 id="topic" class="first">
        Events, by cursor
      </h2>
      <p class="prose">
        A batch has the events after a cursor, and next: the cursor to go on from. A cursor is a text to store, not to
        read: its form may change.
        {callsLeft.value && ` Each batch takes one of your ${callsLeft.value.limit} calls a minute.`}
      </p>
      <div class="tiles parameters">
        <Field
          label="after"
          mono
          value={after}
          onInput={setAfter}
          about="earliest, latest, or a cursor that you were given."
        />
        <Field label="limit (1 to 500)" type="number" min={1} max={500} value={limit} onInput={setLimit} />
        <Field
          label="wait (0 to 30)"
          type="number"
          min={0}
          max={30}
          value={wait}
          onInput={setWait}
          about="Seconds to wait for an event where there is none: a long poll."
        />
      </div>
      <div class="row">
        <Button kind="primary" onPress={() => step(after)}>
          Read the batch
        </Button>
        <Button disabled={next === undefined} onPress={() => next !== undefined && step(next)}>
          Go on from next
        </Button>
        <Button onPress={() => step('earliest')}>From earliest</Button>
        <Button onPress={() => step('latest')}>From latest</Button>
        {waiting && <Button onPress={() => waiting.abort()}>Stop waiting</Button>}
        {steps.length > 0 && <Button onPress={() => setSteps([])}>Clear</Button>}
      </div>
      <div aria-live="polite" class="apart">
        {waiting && <p class="muted">Waiting for an event …</p>}
        {error && <Failure error={error} />}
        {latest && <StepView step={latest} earlier={steps.slice(1)} />}
      </div>
      {steps.length > 1 && <Earlier steps={steps.slice(1)} onAgain={step} />}
    </section>
  );
}

/** Batches that stay in view. */
const maxSteps = 20;

function batchOf({ answer }: Reading): Batch | undefined {
  if (answer.status !== 200) return undefined;
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

function StepView({ step, earlier }: { readonly step: Reading; readonly earlier: readonly Reading[] }) {
  const { number, url, answer } = step;
  const batch = batchOf(step);
  const seen = new Set(earlier.flatMap((each) => batchOf(each)?.events ?? []).map(({ eventId }) => eventId));
  return (
    <section class="card" aria-label={`Batch ${number}`}>
      <p class="row">
        <strong>Batch {number}</strong> <Status status={answer.status} />
      </p>
      <p>
        <code>GET {url}</code>
      </p>
      {batch ? <BatchView batch={batch} seen={seen} /> : <Refusal answer={answer} />}
    </section>
  );
}

function BatchView({ batch, seen }: { readonly batch: Batch; readonly seen: ReadonlySet<string> }) {
  const { events, next, note } = batch;
  return (
    <>
      <p>
        {counted(events.length, 'event')}, next is <code>{next}</code>
      </p>
      {note && <p class="muted">{note}</p>}
      {events.length > 0 && (
        <Table label="Events">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Claim</th>
              <th scope="col">Change</th>
              <th scope="col">eventId</th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ eventId, occurredAt, data }, at) => (
              <tr key={at}>
                <td>
                  <Time at={occurredAt} />
                </td>
                <td>{data.claimId}</td>
                <td>
                  {data.previousStatus} → {data.newStatus}
                </td>
                <td>
                  <code>{eventId}</code>{' '}
                  {events.findIndex((event) => event.eventId === eventId) < at ? (
                    <Badge mood="warn">duplicate</Badge>
                  ) : (
                    seen.has(eventId) && <Badge>read before</Badge>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

function Refusal({ answer }: { readonly answer: Answer }) {
  const problem = problemOf(answer);
  if (!problem) return <Code label="The answer" text={answer.text} />;
  return (
    <Notice mood="bad">
      <p>
        <strong>{problem.title}.</strong> <Foreign text={problem.detail} />
      </p>
      {answer.status === 410 && (
        <>
          <p>Some events after this cursor are gone, so nobody can go on from it. In this order nothing is lost:</p>
          <ol>
            <li>Read one batch from latest, and keep its next.</li>
            <li>Read all pages of the claims: that is how things are now.</li>
            <li>Go on from the cursor that you kept.</li>
          </ol>
        </>
      )}
      <a href={new URL(problem.type, location.origin).pathname}>What this problem means</a>
    </Notice>
  );
}

interface EarlierProps {
  readonly steps: readonly Reading[];
  readonly onAgain: (after: string) => Promise<void>;
}

function Earlier({ steps, onAgain }: EarlierProps) {
  return (
    <>
      <h3>Batches before</h3>
      <ul class="plain rows">
        {steps.map((step) => {
          const batch = batchOf(step);
          return (
            <li key={step.number} class="row">
              <span class="muted">{step.number}</span> <Status status={step.answer.status} />
              <span>
                after{' '}
                <code>
                  <Foreign text={step.after} most={80} />
                </code>
                {batch && (
                  <>
                    : {counted(batch.events.length, 'event')}, next <code>{batch.next}</code>
                  </>
                )}
              </span>
              <Button small label={`Read again after ${step.after}`} onPress={() => onAgain(step.after)}>
                Read again
              </Button>
            </li>
          );
        })}
      </ul>
      <p class="small muted">
        To see an old cursor refused: keep one, <a href="#/time">move your clock</a> by P8D, and read after it. Events
        are kept for seven days.
      </p>
    </>
  );
}
