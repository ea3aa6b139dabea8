import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Failure } from './parts.tsx';

interface FormProps {
  readonly children: ComponentChildren;
  /** The text of the button, which Enter presses too. */
  readonly submit: string;
  /** While its promise is pending the button can't be pressed again. What it throws is shown. */
  readonly onSubmit: () => Promise<unknown>;
  /** Beside the button. */
  readonly beside?: ComponentChildren;
  readonly primary?: boolean;
}

/** Fields, the button that sends them, and why that failed. */
export function Form({ children, submit, onSubmit, beside, primary = true }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (reason) {
      setError(reason as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send}>
      {children}
      <div class="row">
        <button type="submit" class={primary ? 'button primary' : 'button'} disabled={busy} aria-busy={busy}>
          {submit}
        </button>
        {beside}
      </div>
      {error && <Failure error={error} />}
    </form>
  );
}
