import { connection } from '../state/learner.ts';

/** In the place of what is not there yet. */
export function Loading() {
  return (
    <span class="muted">
      {connection.value === 'offline' ? 'It is shown when the service answers again.' : 'Loading …'}
    </span>
  );
}
