import { useState } from 'preact/hooks';

/** The last thing that was asked for: why it failed, or what there is to say of it. */
export interface Work {
  readonly error: Error | undefined;
  readonly done: string | undefined;
  /** Does it, and keeps what came of it: a sentence, or an error. Never throws. */
  readonly attempt: (work: () => Promise<string>) => Promise<void>;
}

export function useWork(): Work {
  const [{ error, done }, setOutcome] = useState<Partial<Pick<Work, 'error' | 'done'>>>({});
  const attempt = async (work: () => Promise<string>) => {
    setOutcome({});
    await work().then(
      (text) => setOutcome({ done: text }),
      (reason: Error) => setOutcome({ error: reason }),
    );
  };
  return { error, done, attempt };
}
