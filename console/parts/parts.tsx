import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Problem, Refused } from '../api/call.ts';
import { isSumOf } from '../api/problem.ts';
import { visible } from '../model/line.ts';
import { dateText, timeText } from '../model/when.ts';
import { connection } from '../state/learner.ts';
import type { Loaded } from '../state/load.ts';
import { Foreign } from './contained.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  /** While its promise is pending the button can't be pressed again. */
  readonly onPress: () => unknown;
  readonly kind?: 'primary' | 'danger';
  readonly small?: boolean;
  readonly disabled?: boolean;
  /** Shown when the pointer rests on it. */
  readonly title?: string | undefined;
  /** What a screen reader says, where the text is not enough. */
  readonly label?: string;
  /** Of one that stays down: whether it is. */
  readonly pressed?: boolean;
  /** Of one that opens something: whether it is open. */
  readonly expanded?: boolean;
}

export function Button({ children, onPress, kind, small, disabled, title, label, pressed, expanded }: ButtonProps) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      await onPress();
    } finally {
      setBusy(false);
    }
  };
  const classes = ['button', kind, small && 'small'].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      class={classes}
      disabled={disabled || busy}
      title={title}
      aria-busy={busy}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      onClick={press}
    >
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly about?: ComponentChildren;
  /** More than one: a text area. */
  readonly lines?: number;
  readonly type?: 'text' | 'number' | 'search' | 'password' | 'url' | 'date';
  readonly placeholder?: string;
  readonly mono?: boolean;
  /** Whether it takes the focus when it comes. */
  readonly focused?: boolean;
  /** Of a number. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A labelled field. Browsers are told not to correct what is typed. */
export function Field({ label, value, onInput, about, lines = 1, type = 'text', ...more }: FieldProps) {
  const { placeholder, mono, focused, min, max } = more;
  const id = useId();
  useLayoutEffect(() => void (focused && document.getElementById(id)?.focus()), []);
  const common = {
    id,
    value,
    placeholder,
    class: mono ? 'mono' : undefined,
    'aria-describedby': about ? `${id}-about` : undefined,
    spellcheck: false,
    autocomplete: 'off',
    autocapitalize: 'off',
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  } as const;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {lines > 1 ? (
        <textarea rows={lines} {...common} />
      ) : (
        <input type={type as 'text'} min={min} max={max} step={type === 'number' ? 'any' : undefined} {...common} />
      )}
      {about && (
        <span class="muted small" id={`${id}-about`}>
          {about}
        </span>
      )}
    </div>
  );
}

interface FileFieldProps {
  readonly label: string;
  /** Of none if it is taken back. */
  readonly onFile: (file: File | undefined) => unknown;
  /** The types that are offered: `image/*,application/pdf`. */
  readonly accept?: string;
  /** Whether it goes on to show the name. If not, the same file can be chosen again. */
  readonly stays?: boolean;
}

/** Takes a file that is chosen. */
export function FileField({ label, onFile, accept, stays }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={async ({ currentTarget }) => {
          await onFile(currentTarget.files?.[0]);
          if (!stays) currentTarget.value = '';
        }}
      />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <span class="select icon icon-down">
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}

export type Mood = 'good' | 'note' | 'warn' | 'bad';

export function Notice({ mood, children }: { readonly mood?: Mood; readonly children: ComponentChildren }) {
  return <div class={`notice ${mood ?? ''}`}>{children}</div>;
}

export function Badge({ mood, children }: { readonly mood?: Mood; readonly children: ComponentChildren }) {
  return <span class={`badge ${mood ?? ''}`}>{children}</span>;
}

/** The status of an answer, in the colour of its class. 0 is a webhook that did not answer, 499 a call that was cut. */
export function Status({ status }: { readonly status: number }) {
  const mood = status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'note' : 'good';
  return <span class={`badge mono ${mood}`}>{status === 0 ? 'no answer' : status}</span>;
}

/** An instant in the reader's time; the ISO form is shown when the pointer rests on it. */
export function Time({ at, withDate }: { readonly at: string; readonly withDate?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={at}>
      {withDate && (
        <>
          <span class="together">{dateText(date)},</span>{' '}
        </>
      )}
      {timeText(date)}
    </time>
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP from another machine there is no clipboard for scripts, but this old way.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function CopyButton({
  text,
  label = 'Copy',
  about,
  then,
  notYet,
  large,
}: {
  readonly text: string | (() => string | Promise<string>);
  readonly label?: string;
  /** What is copied, for a screen reader, where several stand on a page. */
  readonly about?: string;
  /** What is still to be done with what was copied. */
  readonly then?: string;
  /** Why it can't be copied yet. */
  readonly notYet?: string | undefined;
  /** Beside large ones. */
  readonly large?: boolean;
}) {
  const [told, setTold] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const got = typeof text === 'string' ? text : await Promise.resolve(text()).catch(() => undefined);
    const done = got !== undefined && (await copyText(got));
    setTold(done ? ['Copied', then].filter(Boolean).join('. ') : 'Could not copy');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTold(undefined), then ? 6000 : 2000);
  };
  return (
    <Button small={!large} onPress={copy} disabled={notYet !== undefined} title={notYet}>
      <span aria-live="polite">{told ?? label}</span>
      {about && <span class="unseen"> {about}</span>}
    </Button>
  );
}

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** A page with many has groups: too many regions are no help to find one's way. */
  readonly role?: 'region' | 'group';
  /** Why it can't be copied yet. */
  readonly notYet?: string | undefined;
  /** What is copied, where a part of the text is hidden. */
  readonly copied?: string;
}

/** Text to copy, as it is. One line, such as an address, wraps; several keep their form. */
export function Code({ text, label, role = 'region', notYet, copied = text }: CodeProps) {
  return (
    <div class="code box">
      {/* It scrolls, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y: a region that scrolls, and a section can't be a pre */}
      <pre class={text.includes('\n') ? undefined : 'wrapped'} tabIndex={0} role={role} aria-label={label}>
        {text}
      </pre>
      <span class="copy">
        <CopyButton text={copied} notYet={notYet} />
      </span>
    </div>
  );
}

/** Why something failed, in the words of the service, with what it says about each field. */
export function Failure({ error, onAgain }: { readonly error: Error; readonly onAgain?: () => void }) {
  const problem = error instanceof Refused ? error.problem : undefined;
  const repeats = isSumOf(error.message, problem?.errors);
  return (
    <div class="notice bad" role="alert">
      <p>
        <bdi>
          <strong>{problem?.title ?? 'That did not work'}</strong>
          {!repeats && <br />}
          {!repeats && visible(error.message)}
        </bdi>
      </p>
      <FieldErrors errors={problem?.errors} />
      <p class="row">
        {onAgain && (
          <Button small onPress={onAgain}>
            Try again
          </Button>
        )}
        {problem && <a href={new URL(problem.type, location.origin).pathname}>What this problem means</a>}
      </p>
    </div>
  );
}

/** What is wrong with each field. The empty pointer is the body as a whole. */
export function FieldErrors({ errors = [] }: { readonly errors: Problem['errors'] | undefined }) {
  if (errors.length === 0) return null;
  return (
    <ul>
      {errors.map(({ detail, pointer, parameter, header }) => (
        <li key={`${pointer}${parameter}${header}${detail}`}>
          <code>
            <Foreign text={(pointer === '' ? 'body' : pointer) ?? parameter ?? header ?? ''} />
          </code>{' '}
          <Foreign text={detail} />
        </li>
      ))}
    </ul>
  );
}

/** What was loaded, or what there is to say instead of it. */
export function Show<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T> & { readonly again: () => void };
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, error, again } = loaded;
  return (
    <>
      {error && <Failure error={error} onAgain={again} />}
      {value !== undefined ? children(value) : !error && <LoadingPart />}
    </>
  );
}

/** In the place of a part that is not there yet. What stands below it waits for it, so that nothing moves. */
export function LoadingPart() {
  return (
    <p class="loading">
      <Loading />
    </p>
  );
}

/** In the place of a few words that are not there yet. */
export function Loading() {
  return (
    <span class="muted">
      {connection.value === 'offline' ? 'It is shown when the service answers again.' : 'Loading …'}
    </span>
  );
}
