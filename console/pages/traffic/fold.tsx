import type { ComponentChildren } from 'preact';

interface FoldProps {
  readonly title: string;
  /** Beside the title, also while it is closed. */
  readonly beside?: ComponentChildren;
  /** Whether it is open at first: where something is said of what is in it. */
  readonly open: boolean;
  readonly children: ComponentChildren;
}

/** A part of an exchange that one opens to read it. */
export function Fold({ title, beside, open, children }: FoldProps) {
  return (
    <details class="fold" open={open}>
      <summary>
        <strong>{title}</strong> {beside}
      </summary>
      <section aria-label={title}>{children}</section>
    </details>
  );
}
