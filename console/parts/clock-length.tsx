import type { ComponentChildren } from 'preact';
import { clockLengths } from '../model/clock-lengths.ts';
import { Button, Field } from './parts.tsx';

interface ClockLengthProps {
  readonly value: string;
  readonly onChange: (duration: string) => void;
  /** Beside the lengths to choose. */
  readonly children?: ComponentChildren;
}

/** By how much a clock is moved: one of some lengths, or any duration. */
export function ClockLength({ value, onChange, children }: ClockLengthProps) {
  return (
    <>
      <div class="row actions">
        {clockLengths.map(({ duration, words }) => (
          <Button key={duration} pressed={value === duration} onPress={() => onChange(duration)}>
            {words}
          </Button>
        ))}
        {children}
      </div>
      <Field
        label="Duration"
        mono
        value={value}
        onInput={onChange}
        about="ISO 8601 in whole numbers, as the interface takes it: PT61M, P8D, P1Y. At most two years at a time, and ten in all."
      />
    </>
  );
}
