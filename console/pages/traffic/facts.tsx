import type { ComponentChildren } from 'preact';
import { counted } from '../../../src/text/counted.ts';
import type { ExchangeSummary } from '../../api/types.ts';
import { plainPath } from '../../model/traffic-filter.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Badge, Status, Time } from '../../parts/parts.tsx';
import { msText } from './row.tsx';

type StreamEnd = NonNullable<NonNullable<ExchangeSummary['stream']>['end']>;

const streamEnds: Record<StreamEnd, string> = {
  'caller-gone': 'Your side closed the connection, or lost it.',
  'token-expired': 'The token expired. Get a new one, and go on after the last event that you processed.',
  'client-removed': 'The client was removed.',
  'not-read': 'The token expired, and your side did not read to the end.',
  'cursor-expired': 'Your side read so slowly that it missed events which are not kept any more.',
  unavailable: 'The database of the service was away. Connect again.',
  stopped: 'The service was stopped. Connect again.',
  'no-place': 'Its place was for somebody with fewer streams. Connect again, and open fewer.',
  drill: 'The drill cut-streams cut it. Connect again after the last event that you processed.',
};

/** What there is to know of an exchange besides what was sent and answered. */
export function Facts({ exchange }: { readonly exchange: ExchangeSummary }) {
  const {
    kind,
    url,
    startedAt,
    status,
    durationMs,
    end,
    route,
    drills,
    stream,
    delivery,
    fromConsole,
    byHand,
    traceId,
  } = exchange;
  return (
    <dl class="row small exchange-facts">
      <Fact name="Status" isPlain>
        <Status status={status} />
        {end === 'cut' && kind === 'call' && <Badge mood="warn">cut before its end</Badge>}
        {end === 'open' && <Badge mood="note">not over</Badge>}
      </Fact>
      <Fact name="Time" isPlain>
        <Time at={startedAt} withDate />
      </Fact>
      <Fact name="Took" isPlain>
        {msText(durationMs)}
      </Fact>
      {kind !== 'delivery' && route !== plainPath(url) && (
        <Fact name="Route" isPlain>
          <code>{route === '(none)' ? 'no route' : route}</code>
        </Fact>
      )}
      {drills.length > 0 && (
        <Fact name={drills.length === 1 ? 'Drill' : 'Drills'}>
          {drills.map((name) => (
            <a key={name} class="badge warn" href="#/time">
              {name}
            </a>
          ))}
        </Fact>
      )}
      {fromConsole && <Fact name="From">this console: it counts for no lesson</Fact>}
      {byHand && <Fact name="From">you, by hand on the page Send: it counts as your own</Fact>}
      {traceId && (
        <Fact name="Trace">
          <a href={`#/traffic?q=trace:${traceId}`}>
            <code>{traceId}</code>
          </a>
        </Fact>
      )}
      {stream && (
        <Fact name="Stream">
          {counted(stream.events, 'event was', 'events were')} sent.{' '}
          {stream.end ? streamEnds[stream.end] : 'It goes on; its body is here when it has ended.'}
        </Fact>
      )}
      {delivery && (
        <>
          <Fact name="Delivery">
            attempt {delivery.attempt}, from L-Plate to <a href="#/webhooks">your webhook</a>
            {status > 0 && '; the status is its answer'}
          </Fact>
          {delivery.error && (
            <Fact name="Error">
              <Foreign text={delivery.error} />
            </Fact>
          )}
          <Fact name="Event">
            <code>{delivery.eventId}</code>
          </Fact>
          <Fact name="Subscription">
            <code>{delivery.subscriptionId}</code>
          </Fact>
        </>
      )}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  /** Whether it can be told from how it looks what it is. */
  readonly isPlain?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ name, isPlain, children }: FactProps) {
  return (
    <div class="row">
      <dt class={isPlain ? 'unseen' : 'muted'}>{name}</dt>
      <dd class="row">{children}</dd>
    </div>
  );
}
