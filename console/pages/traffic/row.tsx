import { counted } from '../../../src/text/counted.ts';
import type { ExchangeSummary } from '../../api/types.ts';
import { withoutPrefix } from '../../model/traffic-filter.ts';
import { timeText } from '../../model/when.ts';
import { Foreign } from '../../parts/contained.tsx';
import { memo } from '../../parts/memo.ts';
import { Badge, Status } from '../../parts/parts.tsx';

interface RowProps {
  readonly exchange: ExchangeSummary;
  readonly href: string;
  readonly isOpen: boolean;
  /** Whether it is the first of two that are compared. */
  readonly isChosen: boolean;
}

/** Characters of a URL in the list: it has one line. What names the system gives way first. */
const longestUrl = 200;

/** One exchange in one line. It is drawn again only when it has changed itself, so that the list stays quick. */
export const Row = memo(({ exchange, href, isOpen, isChosen }: RowProps) => {
  const { id, startedAt, method, url } = exchange;
  const plain = withoutPrefix(url);
  const [, system = '', path = plain] = /^(https?:\/\/[^/]+|\/[^/]+\/v\d+)(\/.+)$/s.exec(plain) ?? [];
  return (
    <li>
      <a class={isChosen ? 'call chosen' : 'call'} href={href} data-id={id} aria-current={isOpen}>
        <time dateTime={startedAt} title={startedAt}>
          {timeText(new Date(startedAt))}
        </time>
        <ShortStatus exchange={exchange} />
        <span class="call-method">{method}</span>
        <span class="call-url" title={url.slice(0, 1000)}>
          <span class="muted">
            {plain !== url && '/for/…'}
            <Foreign text={system} most={longestUrl} />
          </span>
          <Foreign text={path} most={longestUrl} />
        </span>
        <span class="call-marks">
          <Marks exchange={exchange} />
        </span>
      </a>
    </li>
  );
});

function ShortStatus({ exchange: { kind, status, end } }: { readonly exchange: ExchangeSummary }) {
  if (end === 'cut') return kind === 'delivery' ? <Badge mood="bad">no answer</Badge> : <Badge mood="warn">cut</Badge>;
  return <Status status={status} />;
}

/** The first of these that there is, and whether a drill was in it. */
function Marks({ exchange }: { readonly exchange: ExchangeSummary }) {
  const { kind, problem, remarks, drills, stream, end, fromConsole } = exchange;
  const mark =
    (problem !== null && <span class="muted">{problem}</span>) ||
    (stream && (
      <Badge mood="note">{end === 'open' ? 'stream, open' : `stream, ${counted(stream.events, 'event')}`}</Badge>
    )) ||
    (kind === 'delivery' && <Badge mood="note">webhook</Badge>) ||
    (end === 'cut' && !drills.includes('cut-connections') && <Badge>by your side</Badge>) ||
    (fromConsole && <Badge>console</Badge>) ||
    (remarks.length > 0 && drills.length === 0 && <Badge>{counted(remarks.length, 'remark')}</Badge>);
  return (
    <>
      {mark}
      {drills.length > 0 && <Badge mood="warn">drill</Badge>}
    </>
  );
}

/** `3.2 ms`, `840 ms`, `12 s`. */
export function msText(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}
