import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import type { Delivery, Subscription } from '../../api/types.ts';
import { whenFrom } from '../../model/duration.ts';
import { State, Table } from '../../parts/owned.tsx';
import { Button, Status, Time } from '../../parts/parts.tsx';
import { exchanges, me } from '../../state/learner.ts';
import { useClientNow } from '../../state/now.ts';
import { mayHaveLost } from './retained-deliveries.ts';
import { type Waiting, whyWaiting } from './waiting.ts';

interface DeliveriesProps {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  readonly status: Subscription['status'];
  /** When the subscription was made. */
  readonly createdAt: string;
  readonly onRedeliver: (number: number) => Promise<void>;
  /** What there is to say below the delivery with this number. */
  readonly below: (number: number) => ComponentChildren;
}

export function Deliveries({ deliveries, status, createdAt, onRedeliver, below }: DeliveriesProps) {
  const now = useClientNow(deliveries.some(({ nextAttemptAt }) => nextAttemptAt !== null));
  const waiting = { deliveries, status, drills: me.value?.drills ?? [], now };
  if (deliveries.length === 0 && mayHaveLost({ createdAt }, now)) {
    return (
      <p class="notice">
        Nothing was delivered in the last seven days. What was delivered before was removed. To know how things stand
        now, read the list of <a href="#/claims">claims</a>: their next changes are delivered.
      </p>
    );
  }
  if (deliveries.length === 0) {
    return (
      <p class="notice">
        Nothing was delivered yet. Send a test event, or register a <a href="#/claims">claim</a>: each of its changes is
        delivered.
      </p>
    );
  }
  return (
    <ol class="plain rows deliveries" aria-label="Deliveries">
      {deliveries.map((delivery) => (
        <One key={delivery.number} delivery={delivery} waiting={waiting} onRedeliver={onRedeliver}>
          {below(delivery.number)}
        </One>
      ))}
    </ol>
  );
}

interface OneProps extends Pick<DeliveriesProps, 'onRedeliver'> {
  readonly delivery: Delivery;
  readonly waiting: Waiting;
  readonly children: ComponentChildren;
}

function One({ delivery, waiting, onRedeliver, children }: OneProps) {
  const { number, claimId, status, attempts, attemptCounts, nextAttemptAt, createdAt } = delivery;
  const isTest = claimId.endsWith('-000000');
  const [open, setOpen] = useState(false);
  const last = attempts.at(-1);
  const why = whyWaiting(delivery, waiting);
  return (
    <li aria-label={`Delivery ${number}`}>
      <div class="delivery">
        <span class="row">
          <strong>{number}</strong>
          <State state={status} />
          {isTest ? <span>Test event</span> : <a href={`#/claims/${encodeURIComponent(claimId)}`}>{claimId}</a>}
          <Time at={createdAt} withDate />
          <span class="muted small">{countText(attemptCounts)}</span>
          {attemptCounts.taken > 1 && (
            <span class="small">It came more than once, as webhooks may: process each webhook-id once.</span>
          )}
          {last && status !== 'delivered' && (
            <span class="small">
              {last.error === null ? `It was answered ${last.responseStatus}` : `No answer: ${last.error}`}.
            </span>
          )}
          {why ? (
            <span class="small">{why}</span>
          ) : (
            nextAttemptAt !== null && (
              <span class="small">
                Next attempt at <Time at={nextAttemptAt} />, {whenFrom(Date.parse(nextAttemptAt), waiting.now)}
              </span>
            )
          )}
        </span>
        <span class="row">
          <Button small onPress={() => setOpen(!open)} expanded={open} label={`Attempts of delivery ${number}`}>
            Attempts
          </Button>
          <Button small onPress={() => onRedeliver(number)} label={`Redeliver delivery ${number}`}>
            Redeliver
          </Button>
        </span>
      </div>
      {open && <Attempts delivery={delivery} />}
      {children}
    </li>
  );
}

function countText({ total, taken, refused, unanswered }: Delivery['attemptCounts']): string {
  if (total === 0) return 'not tried yet';
  const parts = [
    [taken, 'taken'],
    [refused, 'refused'],
    [unanswered, 'not answered'],
  ] as const;
  const ended = parts.filter(([count]) => count > 0).map(([count, how]) => `${count} ${how}`);
  return `${counted(total, 'attempt')}: ${ended.join(', ')}`;
}

function Attempts({ delivery: { number, eventId, attempts, attemptCounts } }: { readonly delivery: Delivery }) {
  const hidden = attemptCounts.total - attempts.length;
  return (
    <>
      <p class="muted small">
        eventId <code>{eventId}</code>, sent as <code>webhook-id</code>.{' '}
        {hidden > 0 && `The first attempt and the latest ones are kept; ${hidden} between them are only counted.`}
      </p>
      {attempts.length === 0 ? (
        <p class="muted">There was no attempt yet.</p>
      ) : (
        <Table label={`Attempts of delivery ${number}`}>
          <thead>
            <tr>
              <th scope="col">Attempt</th>
              <th scope="col">Time</th>
              <th scope="col">Answer</th>
              <th scope="col">Error</th>
              <th scope="col">Call</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ attempt, attemptedAt, responseStatus, responseBody, error }) => (
              <tr key={attempt}>
                <th scope="row">{attempt}</th>
                <td class="nowrap">
                  <Time at={attemptedAt} withDate />
                </td>
                <td>
                  <Status status={responseStatus ?? 0} />
                  {responseBody !== null && <code class="receiver-said wrapped">{responseBody}</code>}
                </td>
                <td>{error ?? ''}</td>
                <td>
                  <ExchangeLink eventId={eventId} attempt={attempt} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

/** The attempt as an exchange, if the log still has it. */
function ExchangeLink({ eventId, attempt }: { readonly eventId: string; readonly attempt: number }) {
  const found = exchanges.value.find(({ delivery }) => delivery?.eventId === eventId && delivery.attempt === attempt);
  return found ? <a href={`#/traffic/${encodeURIComponent(found.id)}`}>Open</a> : null;
}
