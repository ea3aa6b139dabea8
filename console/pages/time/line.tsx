import { words } from '../../model/duration.ts';
import type { Happening } from './jump.ts';
import { nearestStep, placeOf, scale, steps } from './time-line.ts';

interface LineProps {
  /** How far ahead is chosen, in seconds; undefined for a length that can't be told. */
  readonly seconds: number | undefined;
  /** What will happen, as far as it was looked at, and how far ahead each is. */
  readonly happenings: readonly (Happening & { readonly inSeconds: number })[];
  /** Gets a duration as the interface takes it. */
  readonly onChange: (duration: string) => void;
}

/** A line from now into the future. Its thumb is the clock; what the move passes is filled. */
export function Line({ seconds, happenings, onChange }: LineProps) {
  const chosen = seconds === undefined ? 0 : placeOf(seconds);
  const place = (share: number) => ({ '--place': share.toFixed(4) });
  return (
    <div class="time-line" style={place(chosen)}>
      <ol class="plain marks" aria-hidden="true">
        {happenings.map(({ kind, id, what, inSeconds }) => (
          <li
            key={`${kind} ${id} ${what}`}
            class={seconds !== undefined && inSeconds <= seconds ? 'passed' : ''}
            style={place(placeOf(inSeconds))}
            title={`In ${words(inSeconds)}: ${what}`}
          />
        ))}
      </ol>
      <input
        type="range"
        aria-label="How far ahead"
        aria-valuetext={seconds === undefined ? 'a length that can’t be told' : words(seconds)}
        min={0}
        max={steps.length - 1}
        value={seconds === undefined ? 0 : nearestStep(seconds)}
        onInput={({ currentTarget }) => onChange(steps[currentTarget.valueAsNumber]?.duration ?? '')}
      />
      <ol class="plain scale" aria-hidden="true">
        {scale.map(({ words: name, place: share }) => (
          <li key={name} style={place(share)}>
            {name}
          </li>
        ))}
      </ol>
    </div>
  );
}
