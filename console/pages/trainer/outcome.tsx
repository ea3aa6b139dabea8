import { Failure, Notice } from '../../parts/parts.tsx';
import type { Work } from './use-work.ts';

/** What came of the last thing that was asked for; a screen reader says it. */
export function Outcome({ work: { error, done } }: { readonly work: Work }) {
  return (
    <div class="outcome" aria-live="polite">
      {error && <Failure error={error} />}
      {done && <Notice mood="good">{done}</Notice>}
    </div>
  );
}
