import { counted } from '../../../src/text/counted.ts';
import type { Draft, Sent } from '../../model/draft.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Button, Status, Time } from '../../parts/parts.tsx';

interface HistoryProps {
  readonly history: readonly Sent[];
  readonly onChoose: (draft: Draft) => void;
  readonly onClear: () => void;
}

/** The last calls of this browser, each to be taken up again. */
export function History({ history, onChoose, onClear }: HistoryProps) {
  if (history.length === 0) return null;
  return (
    <details class="send-history">
      <summary>Sent before: {counted(history.length, 'call')}</summary>
      <ul class="plain">
        {history.map(({ at, status, draft }) => (
          <li key={at}>
            <button type="button" class="pressable" onClick={() => onChoose(draft)}>
              <span class="muted small">
                <Time at={new Date(at).toISOString()} />
              </span>
              <Status status={status} />
              <span class="mono anywhere">
                <strong>{draft.method}</strong> <Foreign text={draft.address} most={120} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="row small muted">
        Kept in this browser, without secrets.{' '}
        <Button small onPress={onClear}>
          Forget them
        </Button>
      </p>
    </details>
  );
}
