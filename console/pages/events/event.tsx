import { useEffect, useRef, useState } from 'preact/hooks';
import type { Arrival } from '../../model/topic-log.ts';
import { State } from '../../parts/owned.tsx';
import { Button, Code, CopyButton, Time } from '../../parts/parts.tsx';
import { repeats, topicLog } from '../../state/topic.ts';

interface EventProps {
  readonly arrival: Arrival;
  /** Whether a link led to it. */
  readonly isTarget: boolean;
  /** The address of this page with another filter, or another arrival to go to. */
  readonly link: (query: { claim: string } | { at: string }) => string;
}

/** One delivery of an event. */
export function Event({ arrival, isTarget, link }: EventProps) {
  const { event, cursor, first, change } = arrival;
  const { claimId, previousStatus, newStatus } = event.data;
  const [open, setOpen] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isTarget) return;
    item.current?.focus();
    item.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);
  return (
    <li ref={item} tabIndex={-1} class={first === undefined ? undefined : 'duplicate'} aria-label={`Event ${cursor}`}>
      <div class="event">
        <Time at={event.occurredAt} />
        <span class="nowrap">
          <a href={link({ claim: claimId })} title="Show only its events">
            {claimId}
          </a>{' '}
          <span class="muted small" title={`Change ${change} of this claim`}>
            #{change}
          </span>
        </span>
        <span class="change nowrap">
          <State state={previousStatus} /> → <State state={newStatus} />
        </span>
        <span class="small">
          <Same arrival={arrival} link={link} />
        </span>
        <span class="row small cursor">
          <span class="muted">
            cursor <code>{cursor}</code>
          </span>
          <CopyButton text={cursor} />
          <Button small onPress={() => setOpen(!open)} expanded={open}>
            Payload
          </Button>
        </span>
      </div>
      {open && <Code text={JSON.stringify(event, null, 2)} label={`Payload of ${cursor}`} />}
    </li>
  );
}

/** Where else the same event came. */
function Same({ arrival: { number, first }, link }: Pick<EventProps, 'arrival' | 'link'>) {
  if (first !== undefined) {
    const of = topicLog.value.arrivals.find((each) => each.number === first);
    return (
      <span class="badge warn">
        Duplicate of {of ? <a href={link({ at: String(first) })}>{of.cursor}</a> : 'one that is not kept here any more'}
      </span>
    );
  }
  const again = repeats.value.get(number) ?? [];
  if (again.length === 0) return null;
  return (
    <span class="badge">
      Again as
      {again.map((each) => (
        <span key={each.number}>
          {' '}
          <a href={link({ at: String(each.number) })}>{each.cursor}</a>
        </span>
      ))}
    </span>
  );
}
