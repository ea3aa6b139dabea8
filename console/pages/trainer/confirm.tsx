import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../parts/parts.tsx';

/** Milliseconds for which a question stays open while nobody does anything in it. */
const openFor = 15_000;

interface ConfirmProps {
  /** What the button says that opens the question. */
  readonly label: string;
  /** What the button says that does it: `Yes: renew`. */
  readonly yes: string;
  /** What happens. */
  readonly children: ComponentChildren;
  readonly onConfirm: () => Promise<unknown>;
  /** To be typed first, with what it is. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly disabled?: boolean;
}

/**
 * A button whose work can't be taken back: it says what happens, and does it when it is told once more. The question
 * closes when something else is done, and after a while: what it asks may not be so any more.
 */
export function Confirm({ label, yes, children, onConfirm, typed, disabled }: ConfirmProps) {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState('');
  const [touched, setTouched] = useState(0);
  const question = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!asking) return;
    question.current?.focus();
    const onElsewhere = ({ target }: Event) => {
      if (!question.current?.contains(target as Node)) setAsking(false);
    };
    addEventListener('click', onElsewhere);
    addEventListener('change', onElsewhere);
    return () => {
      removeEventListener('click', onElsewhere);
      removeEventListener('change', onElsewhere);
    };
  }, [asking]);
  useEffect(() => {
    if (!asking) return;
    const timer = setTimeout(() => setAsking(false), openFor);
    return () => clearTimeout(timer);
  }, [asking, touched]);
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
  const type = (value: string) => {
    setText(value);
    setTouched(touched + 1);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend, this has a question
    <div class="notice warn" role="group" aria-label={label} tabIndex={-1} ref={question}>
      {children}
      {typed && <Field label={typed.label} value={text} onInput={type} />}
      <p class="row">
        <Button kind="danger" disabled={typed !== undefined && text.trim() !== typed.text} onPress={confirm}>
          {yes}
        </Button>
        <Button onPress={() => setAsking(false)}>Cancel</Button>
      </p>
    </div>
  );
}
