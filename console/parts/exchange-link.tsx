import { Refused, read } from '../api/call.ts';
import type { Exchange } from '../api/types.ts';
import { withoutPrefix } from '../model/traffic-filter.ts';
import { exchanges } from '../state/learner.ts';
import { useLoad } from '../state/load.ts';
import { Foreign } from './contained.tsx';
import { Loading, Status } from './parts.tsx';

/** What is known of an exchange without the log, such as the proof of a lesson, which outlives it. */
interface Known {
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

interface ExchangeLinkProps {
  readonly id: string;
  readonly known?: Known | undefined;
}

/** An exchange in one line: method, path and status, as a link to its page in Traffic. */
export function ExchangeLink({ id, known }: ExchangeLinkProps) {
  const shown = known ?? exchanges.value.find((each) => each.id === id);
  return shown ? <Shown id={id} {...shown} /> : <Loaded id={id} />;
}

function Loaded({ id }: { readonly id: string }) {
  const { value, error } = useLoad(() => read<Exchange>(`/range/v1/me/exchanges/${encodeURIComponent(id)}`), [id]);
  if (error instanceof Refused) return <span class="muted">A call that the log does not have any more</span>;
  return value ? <Shown {...value} /> : <Loading />;
}

/** The page of the exchange says more; here a long URL would push everything else away. */
const longest = 120;

function Shown({ id, method, url, status }: Known & { readonly id: string }) {
  return (
    <a class="exchange-link" href={`#/traffic/${encodeURIComponent(id)}`}>
      <code>
        {method} <Foreign text={withoutPrefix(url)} most={longest} />
      </code>{' '}
      <Status status={status} />
    </a>
  );
}
