import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Field } from './parts.tsx';

/** Milliseconds for which a question about a number stays open while nobody does anything in it: the number may change. */
const openFor = 15_000;

interface ConfirmProps {
  /** What the button says that opens the question. */
  readonly label: string;
  /** What the button says that does it: `Yes: renew`. */
  readonly yes: string;
  /** What the one says that does not. */
  readonly no?: string;
  /** What happens. */
  readonly children: ComponentChildren;
  readonly onConfirm: () => unknown;
  /** To be typed first, with what it is. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly disabled?: boolean;
  /** Whether the button that opens it looks like any other, small. */
  readonly plain?: boolean;
}

/**
 * A button whose work can't be taken back. It opens a question in its place, which says what happens, and does it when it
 * is told once more. The question closes by Escape and when something else is done.
 */
export function Confirm({ label, yes, no = 'Cancel', children, onConfirm, typed, disabled, plain }: ConfirmProps) {
  const [asking, setAsking] = useState(false);
  const opener = useRef<HTMLDivElement>(null);
  const closed = useRef(false);
  // Who closed it by a key goes on from where they were.
  useLayoutEffect(() => {
    if (asking || !closed.current) return;
    closed.current = false;
    opener.current?.querySelector('button')?.focus();
  }, [asking]);
  if (!asking)
    return (
      <div ref={opener}>
        <Button
          {...(plain ? { small: true } : { kind: 'danger' as const })}
          disabled={disabled ?? false}
          onPress={() => setAsking(true)}
        >
          {label}
        </Button>
      </div>
    );
  const close = (byHand: boolean) => {
    closed.current = byHand;
    setAsking(false);
  };
  return (
    <Question label={label} yes={yes} no={no} onConfirm={onConfirm} onClose={close} {...(typed && { typed })}>
      {children}
    </Question>
  );
}

interface QuestionProps extends Omit<ConfirmProps, 'disabled' | 'plain'> {
  readonly onClose: (byHand: boolean) => void;
}

function Question({ label, yes, no, children, onConfirm, typed, onClose }: QuestionProps) {
  const id = useId();
  const [text, setText] = useState('');
  const box = useRef<HTMLDialogElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => box.current?.focus(), []);
  // Not at once: the click that opened the question is still on its way.
  useEffect(() => {
    const onElsewhere = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) latest.current(false);
    };
    addEventListener('click', onElsewhere);
    addEventListener('change', onElsewhere);
    return () => {
      removeEventListener('click', onElsewhere);
      removeEventListener('change', onElsewhere);
    };
  }, []);
  const ends = typed !== undefined;
  useLayoutEffect(() => {
    if (!ends) return;
    const timer = setTimeout(() => latest.current(false), openFor);
    return () => clearTimeout(timer);
  }, [ends, text]);
  const confirm = async () => {
    await onConfirm();
    onClose(true);
  };
  return (
    <dialog
      open
      class="notice warn confirm"
      aria-labelledby={id}
      tabIndex={-1}
      ref={box}
      onKeyDown={({ key }) => key === 'Escape' && onClose(true)}
    >
      <h3 id={id}>{label}?</h3>
      {children}
      {typed && <Field label={typed.label} value={text} onInput={setText} />}
      <p class="row">
        <Button kind="danger" disabled={typed !== undefined && text.trim() !== typed.text} onPress={confirm}>
          {yes}
        </Button>
        <Button onPress={() => onClose(true)}>{no}</Button>
      </p>
    </dialog>
  );
}
