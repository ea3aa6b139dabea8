import type { ComponentChildren } from 'preact';
import { Confirm } from '../../parts/confirm.tsx';
import { learnersHere } from '../../state/class.ts';

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
