import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './parts.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** The text of the button that does it. */
  readonly confirm: string;
  /** That of the other one. */
  readonly keep?: string;
  readonly onConfirm: () => unknown;
  /** Without having done it, also by Escape. */
  readonly onClose: () => void;
}

/** Asks before something is done that can't be undone. It is shown for as long as it is there. */
export function Confirm({ title, children, confirm, keep = 'Cancel', onConfirm, onClose }: ConfirmProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      <div class="row">
        <Button kind="danger" onPress={onConfirm}>
          {confirm}
        </Button>
        <Button onPress={onClose}>{keep}</Button>
      </div>
    </dialog>
  );
}
