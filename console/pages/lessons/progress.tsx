import type { MyLesson } from '../../api/types.ts';

/** A circle that closes with what is solved. Its length is 100. */
export function Ring({ part, of }: { readonly part: number; readonly of: number }) {
  return (
    <svg
      class={part === of ? 'ring full' : 'ring'}
      viewBox="0 0 40 40"
      role="img"
      aria-label={`${part} of ${of} solved`}
    >
      <circle cx="20" cy="20" r="15.9" />
      <circle cx="20" cy="20" r="15.9" stroke-dasharray={`${(100 * part) / Math.max(1, of)} 100`} />
      <text x="20" y="20">
        {part}
      </text>
    </svg>
  );
}

export function Bar({ part, of, label }: { readonly part: number; readonly of: number; readonly label: string }) {
  return (
    <div class="bar" role="progressbar" aria-label={label} aria-valuenow={part} aria-valuemin={0} aria-valuemax={of}>
      <span style={{ width: `${(100 * part) / Math.max(1, of)}%` }} />
    </div>
  );
}

const marks = { open: '○', started: '◐', solved: '✓' } as const;
export const states = { open: 'Open', started: 'Begun', solved: 'Solved' } as const;

/** How far one is, as a sign and in a word. */
export function Mark({ state }: Pick<MyLesson, 'state'>) {
  return (
    <span class={`mark ${state}`} role="img" aria-label={states[state]} title={states[state]}>
      {marks[state]}
    </span>
  );
}
