import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../parts/parts.tsx';

interface ConfirmProps {
  /** What the button says that opens the question, and the one that does it. */
  readonly label: string;
  /** What happens. */
  readonly children: ComponentChildren;
  readonly onConfirm: () => Promise<unknown>;
  /** To be typed first, with what it is. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly disabled?: boolean;
}

/** A button whose work can't be taken back: it says what happens, and does it when it is told once more. */
export function Confirm({ label, children, onConfirm, typed, disabled }: ConfirmProps) {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const question = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asking) question.current?.focus();
  }, [asking]);
  if (!asking) {
    const ask = () => {
      setText('');
      setAsking(true);
    };
    return (
      <p>
        <Button kind="danger" disabled={disabled ?? false} onPress={ask}>
          {label}
        </Button>
      </p>
    );
  }
  const confirm = async () => {
    await onConfirm();
    setAsking(false);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend, this has a question
    <div class="notice warn" role="group" aria-label={label} tabIndex={-1} ref={question}>
      {children}
      {typed && <Field label={typed.label} value={text} onInput={setText} />}
      <p class="row">
        <Button kind="danger" disabled={typed !== undefined && text.trim() !== typed.text} onPress={confirm}>
          {`Yes: ${label.toLowerCase()}`}
        </Button>
        <Button onPress={() => setAsking(false)}>Cancel</Button>
      </p>
    </div>
  );
}
