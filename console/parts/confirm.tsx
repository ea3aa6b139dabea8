import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './parts.tsx';

interface ConfirmProps {
  /** Of the button that asks, and of the one that does it. */
  readonly action: string;
  /** What it would do. */
  readonly children: ComponentChildren;
  readonly keep: string;
  readonly onConfirm: () => unknown;
}

/** A button for what can't be taken back: it asks first, in place. */
export function Confirm({ action, children, keep, onConfirm }: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  const question = useRef<HTMLFieldSetElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked) question.current?.focus();
  }, [asked]);
  const close = () => {
    setAsked(false);
    // The button that asked is there again.
    requestAnimationFrame(() => place.current?.querySelector('button')?.focus());
  };
  return (
    <div ref={place}>
      {asked ? (
        <fieldset class="notice warn" aria-label={action} tabIndex={-1} ref={question}>
          <p>{children}</p>
          <div class="row">
            <Button
              kind="danger"
              onPress={async () => {
                await onConfirm();
                setAsked(false);
              }}
            >
              {action}
            </Button>
            <Button onPress={close}>{keep}</Button>
          </div>
        </fieldset>
      ) : (
        <Button kind="danger" onPress={() => setAsked(true)}>
          {action}
        </Button>
      )}
    </div>
  );
}
