import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface FormProps {
  readonly label: string;
  /** Of the button that sends it. */
  readonly action: string;
  /** While its promise is pending the form can't be sent again. */
  readonly onSend: () => Promise<unknown>;
  /** The fields. */
  readonly children: ComponentChildren;
  /** What is shown below the button. */
  readonly after?: ComponentChildren;
}

/** Fields and the button that sends them; so does Enter in a field. */
export function Form({ label, action, onSend, children, after }: FormProps) {
  const [busy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await onSend();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="card" aria-label={label} onSubmit={send} noValidate>
      {children}
      <p>
        <button type="submit" class="button primary" disabled={busy} aria-busy={busy}>
          {action}
        </button>
      </p>
      {after}
    </form>
  );
}
