import type { ExchangeSummary } from '../../api/types.ts';
import { withoutPrefix } from '../../model/traffic-filter.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { Button } from '../../parts/parts.tsx';

/** What is chosen to be compared. The second choice opens the comparison. */
export interface Chosen {
  readonly first: ExchangeSummary | undefined;
  readonly compare: (id: string) => void;
}

export function ChosenForComparison({ chosen: { first, compare } }: { readonly chosen: Chosen }) {
  return (
    <div role="status" class="chosen-bar">
      {first && (
        <div class="notice note row ends">
          <span class="anywhere">
            Compare{' '}
            <code>
              {first.method} <Foreign text={withoutPrefix(first.url)} most={80} />
            </code>{' '}
            ({first.status}) with another one: choose it in the list.
          </span>
          <Button small onPress={() => compare(first.id)}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  );
}
