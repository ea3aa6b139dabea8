import { isRefused } from '../../model/traffic-filter.ts';
import { ExchangeLink } from '../../parts/exchange-link.tsx';
import { Time } from '../../parts/parts.tsx';
import { exchanges } from '../../state/learner.ts';

const most = 3;

/** The last calls that were refused: what one most likely comes back for. */
export function LastRefusals() {
  const refused = exchanges.value.filter(isRefused);
  if (refused.length === 0) return null;
  return (
    <section class="card" aria-labelledby="refusals">
      <h2 id="refusals">Last refused</h2>
      <ul class="plain">
        {refused.slice(0, most).map((exchange) => (
          <li key={exchange.id}>
            <ExchangeLink id={exchange.id} known={exchange} />
            <p class="muted small">
              {exchange.problem} · <Time at={exchange.startedAt} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
