import { Component } from 'preact';
import type { ExchangeSummary } from '../../api/types.ts';
import { withoutPrefix } from '../../model/traffic-filter.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { Badge, Status, Time } from '../../parts/parts.tsx';

interface RowProps {
  readonly exchange: ExchangeSummary;
  readonly href: string;
  readonly isChosen: boolean;
  readonly onCompare: (id: string) => void;
}

/** Characters of a URL in the list: it has one line. */
const longestUrl = 200;

/** One exchange in the list. It is drawn again only when it has changed itself, so that the list stays quick. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate({ exchange, href, isChosen }: RowProps): boolean {
    const { props } = this;
    return exchange !== props.exchange || href !== props.href || isChosen !== props.isChosen;
  }

  override render({ exchange, href, isChosen }: RowProps) {
    const { id, startedAt, method, url, status, durationMs } = exchange;
    const plain = withoutPrefix(url);
    return (
      <li class={isChosen ? 'chosen' : ''}>
        <a class="call" href={href} data-id={id}>
          <span class="call-time">
            <Time at={startedAt} />
          </span>
          <span class="call-status">
            <Status status={status} />
          </span>
          <span class="call-method">{method}</span>
          <span class="call-url" title={url.slice(0, 1000)}>
            {plain !== url && <span class="muted">/for/…</span>}
            <Foreign text={plain} most={longestUrl} />
          </span>
          <span class="call-marks">
            <Marks exchange={exchange} />
          </span>
          <span class="call-ms">{msText(durationMs)}</span>
        </a>
        <button
          type="button"
          class="button small"
          aria-pressed={isChosen}
          aria-label={`Compare ${method} ${plain.slice(0, 80)}, ${status}`}
          onClick={() => this.props.onCompare(id)}
        >
          Compare
        </button>
      </li>
    );
  }
}

function Marks({ exchange }: { readonly exchange: ExchangeSummary }) {
  const { kind, problem, remarks, drills, stream, end, fromConsole } = exchange;
  return (
    <>
      {problem !== null && <span class="call-problem">{problem}</span>}
      {stream && <Badge mood="note">{end === 'open' ? 'stream, open' : `stream, ${events(stream.events)}`}</Badge>}
      {kind === 'delivery' && <Badge mood="note">webhook</Badge>}
      {end === 'cut' && kind === 'call' && <Badge mood="warn">cut</Badge>}
      {drills.length > 0 && <Badge mood="warn">drill</Badge>}
      {remarks.length > 0 && <Badge>{remarks.length === 1 ? '1 remark' : `${remarks.length} remarks`}</Badge>}
      {fromConsole && <Badge>console</Badge>}
    </>
  );
}

const events = (many: number) => `${many} ${many === 1 ? 'event' : 'events'}`;

/** `3.2 ms`, `840 ms`, `12 s`. */
export function msText(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}
