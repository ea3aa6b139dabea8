import { Refused } from '../../api/call.ts';
import { topicPath } from '../../model/topic-log.ts';
import { Badge, Notice, Time } from '../../parts/parts.tsx';
import { expired, type Loss, lastLoss, topicStream } from '../../state/topic.ts';

/** Whether the stream is there, what became of it, and what to do where a cursor has expired. */
export function StreamState() {
  const state = topicStream.value;
  const loss = lastLoss.value;
  return (
    <>
      <p class="row" role="status">
        {state === 'live' && <Badge mood="good">Live</Badge>}
        {state === 'connecting' && <Badge>Connecting …</Badge>}
        {state === 'lost' && <Badge mood="warn">Lost, trying again …</Badge>}
        {loss && <Lost loss={loss} />}
      </p>
      <Expired />
    </>
  );
}

function Lost({ loss: { at, after, error, resumedAt } }: { readonly loss: Loss }) {
  const refused = error instanceof Refused ? error : undefined;
  return (
    <span class="small">
      The stream was lost at <Time at={at} />
      {refused && `: ${refused.message}`}
      {resumedAt ? (
        <>
          {refused ? ' It' : ', and'} went on at <Time at={resumedAt} />
          {after === undefined
            ? ' with the oldest event that is kept.'
            : ` after the cursor ${after}. Nothing was missed.`}
        </>
      ) : (
        !refused && '. This page tries again by itself.'
      )}
    </span>
  );
}

function Expired() {
  if (!expired.value) return null;
  const { cursor, error } = expired.value;
  return (
    <Notice mood="warn">
      <p>
        <strong>
          The cursor {cursor} has expired ({error.status} {error.identifier}).
        </strong>{' '}
        {error.message}
      </p>
      <p>
        This page began anew with the oldest event that is kept, so what came between is missing here. A program of
        yours does this, in this order:
      </p>
      <ol>
        <li>
          Read one batch with <code>GET {topicPath}?after=latest</code>, and keep its <code>next</code>.
        </li>
        <li>
          Read all pages of <code>GET /claims/v1/claims</code>: that is how things stand now.
        </li>
        <li>Go on from the cursor that you kept.</li>
      </ol>
      <p>
        <a href="/problems/cursor-expired">What this problem means</a>
      </p>
    </Notice>
  );
}
