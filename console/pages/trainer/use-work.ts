import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';

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
