import { isSumOf, problemPage } from '../../api/problem.ts';
import type { Exchange } from '../../api/types.ts';
import type { BodyView } from '../../model/body-view.ts';
import { Foreign } from '../../parts/contained.tsx';
import { FieldErrors, Notice } from '../../parts/parts.tsx';
import { problemOf } from './notes.ts';

interface RefusalProps {
  readonly exchange: Exchange;
  /** How the body of the answer is shown. */
  readonly answered: BodyView | undefined;
}

/** Why a call was refused or failed, in place. Nothing for a call that was done. */
export function Refusal({ exchange, answered }: RefusalProps) {
  const problem = problemOf(exchange);
  const page = problemPage(exchange.problem);
  if (problem) {
    const { title, detail, errors } = problem;
    return (
      <Notice mood="bad">
        <p>
          <strong>
            <Foreign text={title} />
          </strong>
          {!isSumOf(detail, errors) && (
            <>
              <br />
              <Foreign text={detail} />
            </>
          )}
        </p>
        <FieldErrors errors={errors} />
        {page && (
          <p>
            <a href={page}>
              What <code>{exchange.problem}</code> means
            </a>
          </p>
        )}
      </Notice>
    );
  }
  const fault = answered?.kind === 'xml' && answered.soap?.operation === 'Fault' ? answered.soap : undefined;
  if (fault) {
    const value = (wanted: string) => fault.fields.find(({ name }) => name === wanted)?.value;
    return (
      <Notice mood="bad">
        <p>
          <strong>
            SOAP fault <Foreign text={value('faultcode') ?? ''} />
          </strong>
          <br />
          <Foreign text={value('Message') ?? value('faultstring') ?? ''} />
        </p>
      </Notice>
    );
  }
  if (exchange.kind === 'delivery') {
    // A forged one should be refused; the remark says how that went.
    if ((exchange.status > 0 && exchange.status < 300) || exchange.drills.includes('forged-webhooks')) return null;
    return (
      <Notice mood="bad">
        {exchange.status > 0 && `It was answered ${exchange.status}. `}
        The event counts as not delivered: only an answer of 2xx does. The page <a href="#/webhooks">Webhooks</a> shows
        its other attempts.
      </Notice>
    );
  }
  const plain = plainReason(exchange);
  return plain === undefined ? null : (
    <Notice mood="bad">
      <p>{plain}</p>
      {page && (
        <p>
          <a href={page}>
            What <code>{exchange.problem}</code> means
          </a>
        </p>
      )}
    </Notice>
  );
}

function plainReason(exchange: Exchange): string | undefined {
  const { status, end, problem } = exchange;
  if (end === 'cut' && exchange.kind === 'call') return cutReason(exchange);
  if (status < 400) return undefined;
  return problem === null
    ? `The answer ${status} has no problem in it that could be explained: its body is not application/problem+json.`
    : `The call was refused with ${problem}.`;
}

/** Who cut the connection, and whether the call was done. 499: before the answer began. */
function cutReason({ status, drills }: Exchange): string {
  const isBefore = status === 499;
  if (drills.includes('cut-connections')) {
    return isBefore
      ? 'The drill cut-connections cut the connection before the answer, which so can’t tell whether the call was done.'
      : `The drill cut-connections cut the connection in the middle of the answer ${status}: the call was done.`;
  }
  return isBefore
    ? 'No drill did this: your side closed the connection, or lost it, before the answer (or the service was stopped). Whether the call was done, you were not told.'
    : `No drill did this: in the middle of the answer ${status} your side closed the connection, lost it, or did not read on (or the service was stopped).`;
}
