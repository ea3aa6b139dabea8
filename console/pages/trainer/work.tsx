import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure, Notice } from '../../parts/parts.tsx';
import { learnersHere } from '../../state/class.ts';

/** The last thing that was asked for: why it failed, or what there is to say of it. */
export interface Work {
  readonly error: Error | undefined;
  readonly done: string | undefined;
  /** Does it, and keeps what came of it: a sentence, or an error. Never throws. */
  readonly attempt: (work: () => Promise<string>) => Promise<void>;
}

/** Grows when something was done: lists that may show it are then read again. */
export const worked = signal(0);

export function useWork(): Work {
  const [{ error, done }, setOutcome] = useState<Partial<Pick<Work, 'error' | 'done'>>>({});
  const attempt = async (work: () => Promise<string>) => {
    setOutcome({});
    await work().then(
      (text) => setOutcome({ done: text }),
      (reason: Error) => setOutcome({ error: reason }),
    );
    worked.value += 1;
  };
  return { error, done, attempt };
}

/** What came of the last thing that was asked for; a screen reader says it. */
export function Outcome({ work: { error, done } }: { readonly work: Work }) {
  return (
    <div class="outcome" aria-live="polite">
      {error && <Failure error={error} />}
      {done && <Notice mood="good">{done}</Notice>}
    </div>
  );
}

interface ConfirmForAllProps {
  readonly label: string;
  readonly yes: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => unknown;
  /** What happens. */
  readonly children: ComponentChildren;
}

/** Asks before something is done to all learners: as many as there are must be typed. */
export function ConfirmForAll({ disabled = false, ...asked }: ConfirmForAllProps) {
  const learners = learnersHere();
  return (
    <Confirm
      {...asked}
      disabled={disabled || learners === 0}
      typed={{ text: String(learners), label: `Type the number of learners, ${learners}, to confirm` }}
    />
  );
}
