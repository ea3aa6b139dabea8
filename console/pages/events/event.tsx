import { useEffect, useRef, useState } from 'preact/hooks';
import type { Arrival } from '../../model/topic-log.ts';
import { memo } from '../../parts/memo.ts';
import { State } from '../../parts/owned.tsx';
import { Button, Code, CopyButton, Time } from '../../parts/parts.tsx';

interface EventProps {
  readonly arrival: Arrival;
  /** Of a duplicate: the first arrival of the same event, if it is still kept. */
  readonly first: Arrival | undefined;
  /** The arrivals of the same event after this one, which is the first. */
  readonly again: readonly Arrival[] | undefined;
  /** Whether a link led to it. */
  readonly isTarget: boolean;
  /** The address of this page with another filter, or another arrival to go to. */
  readonly link: (query: { claim: string } | { at: string }) => string;
}

/** One delivery of an event. */
export const Event = memo(({ arrival, first, again, isTarget, link }: EventProps) => {
  const { event, cursor, change } = arrival;
  const { claimId, previousStatus, newStatus } = event.data;
  const [open, setOpen] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isTarget) return;
    item.current?.focus();
    item.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);
  return (
    <li
      ref={item}
      tabIndex={-1}
      class={arrival.first === undefined ? undefined : 'duplicate'}
      aria-label={`Event ${cursor}`}
    >
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
        <span class="nowrap">
          <State state={previousStatus} /> → <State state={newStatus} />
        </span>
        <span class="small">
          <Same isDuplicate={arrival.first !== undefined} first={first} again={again} link={link} />
        </span>
        <span class="row small">
          <span class="muted">
            cursor <code>{cursor}</code>
          </span>
          <CopyButton text={cursor} label="Copy cursor" />
          <Button small onPress={() => setOpen(!open)} expanded={open}>
            Payload
          </Button>
        </span>
      </div>
      {open && <Code text={JSON.stringify(event, null, 2)} label={`Payload of ${cursor}`} />}
    </li>
  );
});

interface SameProps extends Pick<EventProps, 'first' | 'again' | 'link'> {
  readonly isDuplicate: boolean;
}

/** Where else the same event came. */
function Same({ isDuplicate, first, again, link }: SameProps) {
  if (isDuplicate) {
    return (
      <span class="badge warn">
        Duplicate of{' '}
        {first ? <a href={link({ at: String(first.number) })}>{first.cursor}</a> : 'one that is not kept here any more'}
      </span>
    );
  }
  if (!again) return null;
  return (
    <span class="badge">
      Again as
      {again.map(({ number, cursor }) => (
        <span key={number}>
          {' '}
          <a href={link({ at: String(number) })}>{cursor}</a>
        </span>
      ))}
    </span>
  );
}
