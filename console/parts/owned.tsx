import type { ComponentChildren } from 'preact';
import { callsLeft } from '../api/calls-left.ts';
import type { MadeCall } from '../state/owned.ts';
import { Code, Failure, type Mood, Notice, Status } from './parts.tsx';

/* What the pages of the things that a client owns are put together from. */

/** The call that a button made: what it was answered, and the same for a shell. */
export function Made({
  made,
  children,
}: {
  readonly made: MadeCall | undefined;
  readonly children?: ComponentChildren;
}) {
  if (!made) return null;
  return (
    <section class="card made" aria-label="The call that was made">
      <div class="row ends">
        <span class="row">
          <code>
            {made.method} {new URL(made.url).pathname}
          </code>
          <span role="status">
            <span class="unseen">was answered </span>
            <Status status={made.status} />
          </span>
        </span>
        {made.exchange && <a href={`#/traffic/${encodeURIComponent(made.exchange)}`}>Open in Traffic</a>}
      </div>
      {made.error && made.status > 0 && <Failure error={made.error} />}
      {made.status === 0 && (
        <Notice mood="warn">
          There was no answer. Nobody here knows whether the call was done: look before you repeat it.
        </Notice>
      )}
      {made.answer && children}
      <Code text={made.curl} label="The call as a curl command" />
      <p class="muted small">
        The button made this call, no more. For lessons it does not count; send the curl command yourself if it is to.{' '}
        <code>$TOKEN</code> is your token: <a href="#/">Start</a> shows how to get one.
      </p>
    </section>
  );
}

/** What a page says of the limit that its calls count against. */
export function Counted() {
  if (!callsLeft.value) return null;
  const { left, limit } = callsLeft.value;
  return (
    <p class="muted small apart">
      Each call of this page counts against the limit of {limit} calls a minute for your address, as those of your
      program do. After the last one, {left} were left.
    </p>
  );
}

const moods: Readonly<Record<string, Mood>> = {
  active: 'good',
  updated: 'note',
  cancelled: 'bad',
  UNDER_REVIEW: 'note',
  APPROVED: 'good',
  REJECTED: 'bad',
  disabled: 'bad',
  pending: 'note',
  delivered: 'good',
  failed: 'bad',
  accepted: 'note',
  running: 'note',
  completed: 'good',
};

/** The state of something, in its colour. */
export function State({ state }: { readonly state: string }) {
  return <span class={`badge ${moods[state] ?? ''}`}>{state}</span>;
}

/** The members of something, with their names as in the interface. */
export function Members({ children }: { readonly children: ComponentChildren }) {
  return <dl class="members rows">{children}</dl>;
}

export function Member({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="mono">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A table that scrolls where there is no room. */
export function Table({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="list">{children}</table>
    </section>
  );
}
