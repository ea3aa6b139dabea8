import { useEffect, useRef } from 'preact/hooks';
import { Refused } from '../../api/call.ts';
import { problemIn } from '../../api/problem.ts';
import { bodyView, headerValue } from '../../model/body-view.ts';
import { readAnswer } from '../../model/soap.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Button, Failure, Notice, Status } from '../../parts/parts.tsx';
import { exchanges } from '../../state/learner.ts';
import { BodyPart } from '../traffic/body-part.tsx';
import { HeaderTable } from '../traffic/heads.tsx';
import { msText } from '../traffic/row.tsx';
import type { CameBack, Sending } from './sending.ts';

interface AnswerPartProps {
  readonly sending: Sending | undefined;
  readonly onStop: () => void;
}

/** What the last call was answered. */
export function AnswerPart({ sending, onStop }: AnswerPartProps) {
  const { number, answer, error, isOver = true } = sending ?? {};
  const head = useRef<HTMLDivElement>(null);
  // On a phone it stands below what was sent.
  useEffect(() => {
    if (answer) head.current?.scrollIntoView({ block: 'nearest' });
  }, [number, answer !== undefined]);
  const id = answer && headerValue(answer.headers, 'x-request-id');
  const logged = exchanges.value.find((exchange) => exchange.id === id);
  return (
    <section class="card send-answer" aria-label="The answer">
      <div class="row ends" ref={head}>
        <h2>Answer</h2>
        <span class="row" role="status">
          {!isOver && <span class="muted small">{answer ? 'The stream goes on …' : 'Waiting for an answer …'}</span>}
          {answer && (
            <>
              <Status status={answer.status} />
              <span class="muted small">{msText(answer.ms)}</span>
            </>
          )}
        </span>
        {logged && <a href={`#/traffic/${encodeURIComponent(logged.id)}`}>Open in Traffic</a>}
        {!isOver && (
          <Button small onPress={onStop}>
            Stop
          </Button>
        )}
      </div>
      {error && <Failure error={error} />}
      {answer && <Came key={number} answer={answer} remarks={logged?.remarks ?? []} />}
      {!sending && <p class="muted">Send the call: the answer appears here.</p>}
    </section>
  );
}

function Came({ answer, remarks }: { readonly answer: CameBack; readonly remarks: readonly string[] }) {
  const { status, headers, body, isCut } = answer;
  const view = body && bodyView(body, headers);
  const problem = status >= 400 && body?.encoding === 'utf-8' ? problemIn(body.text) : undefined;
  return (
    <>
      {problem && <Failure error={new Refused(status, problem)} />}
      {view?.kind === 'xml' && body && <Fault xml={body.text} />}
      {remarks.map((remark) => (
        <Notice key={remark} mood="note">
          <Foreign text={remark} />
        </Notice>
      ))}
      {isCut && <p class="muted small">It is longer than a megabyte. The rest was not read.</p>}
      <BodyPart label="Body of the answer" body={body} view={view} headers={headers} />
      <details>
        <summary>{headers.length} headers</summary>
        <HeaderTable label="Headers of the answer" headers={headers} notes={new Map()} />
      </details>
    </>
  );
}

function Fault({ xml }: { readonly xml: string }) {
  const { fault } = readAnswer(xml);
  return fault ? (
    <Notice mood="bad">
      <strong>{fault.code}</strong> <Foreign text={fault.text} />
      <p>{fault.meaning}</p>
    </Notice>
  ) : null;
}
