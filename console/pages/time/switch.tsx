import type { Drill, DrillKind } from '../../api/types.ts';
import { leftText, parametersText } from '../../model/drill-form.ts';
import { countdown } from '../../model/duration.ts';
import { type DrillDraft, DrillForm } from '../../parts/drill-form.tsx';
import { Badge, Button } from '../../parts/parts.tsx';
import { howToSee } from './drill-choice.ts';

/** A drill that is on, and the seconds that are left of it now. */
export interface Running {
  readonly drill: Drill;
  readonly left: number;
}

interface SwitchProps {
  readonly kind: DrillKind;
  readonly running: Running | undefined;
  readonly onStart: (draft: DrillDraft) => Promise<void>;
  readonly onEnd: () => Promise<void>;
}

/** One drill: what it does, its parameters, on and off. */
export function Switch({ kind, running, onStart, onEnd }: SwitchProps) {
  const { name, summary } = kind;
  const own = running?.drill.appliesTo === 'client';
  return (
    <details class="switch">
      <summary>
        <strong>{summary}</strong> <code>{name}</code> {running && <Left seconds={running.left} />}
      </summary>
      <p>
        <strong>How to see it.</strong> {howToSee[name]}
      </p>
      {running && (
        <p class="small">
          On with: {parametersText(running.drill.parameters, name) || 'no parameters'}. {leftText(running.drill.left)}
        </p>
      )}
      <DrillForm
        kind={kind}
        onStart={onStart}
        start={own ? 'Start anew with these' : 'Switch on'}
        startLabel={`${own ? 'Start anew with these:' : 'Switch on'} ${name}`}
        beside={
          <>
            {own && (
              <Button onPress={onEnd} label={`Switch off ${name}`}>
                Switch off
              </Button>
            )}
            {running && !own && (
              <span class="small">
                Your trainer switched it on for everybody, so it can’t be switched off here. One of your own takes its
                place for you.
              </span>
            )}
          </>
        }
      />
    </details>
  );
}

/** The time that is left. A screen reader is not told of each second. */
export function Left({ seconds }: { readonly seconds: number }) {
  return (
    <Badge mood="warn">
      <span role="timer" aria-live="off">
        {countdown(seconds)} left
      </span>
    </Badge>
  );
}
