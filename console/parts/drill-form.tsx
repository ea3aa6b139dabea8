import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DrillKind } from '../api/types.ts';
import {
  aboutOf,
  choiceText,
  labelOf,
  type ParameterField,
  parameterFields,
  parametersOf,
  sharedBy,
  shareText,
} from '../model/drill-form.ts';
import { Button, Choice, Field } from './parts.tsx';

export interface DrillDraft {
  readonly name: string;
  readonly parameters: Record<string, number | string>;
  readonly minutes?: number;
}

interface DrillFormProps {
  readonly kind: DrillKind;
  readonly onStart: (draft: DrillDraft) => Promise<unknown>;
  /** What the button says that starts it. */
  readonly start: ComponentChildren;
  /** The same for a screen reader, where several forms stand on a page. */
  readonly startLabel?: string;
  /** Beside the button. */
  readonly beside?: ComponentChildren;
}

/** What a drill can be told, with how long it lasts. What hardly anybody needs is folded. */
export function DrillForm({ kind, onStart, start, startLabel, beside }: DrillFormProps) {
  const { name, description } = kind;
  const [values, setValues] = useState<Record<string, string>>({});
  const [minutes, setMinutes] = useState('5');
  const fields = parameterFields(kind.parameters);
  const set = (field: string) => (value: string) => setValues({ ...values, [field]: value });
  const draft = {
    ...{ name, parameters: parametersOf(fields, values) },
    ...(minutes.trim() !== '' && { minutes: Number(minutes) }),
  };
  const shown = (field: ParameterField) => (
    <Parameter key={field.name} drill={name} field={field} value={values[field.name] ?? ''} onInput={set(field.name)} />
  );
  const seeds = fields.filter((field) => field.name === 'seed');
  return (
    <>
      <p>{description}</p>
      <div class="tiles parameters">
        <Field
          label="Minutes"
          value={minutes}
          onInput={setMinutes}
          about="How long it lasts. Then it ends by itself."
        />
        {fields.filter((field) => field.name === 'share').map(shown)}
        {fields.filter((field) => field.name !== 'share' && field.name !== 'seed').map(shown)}
      </div>
      {seeds.length > 0 && (
        <details>
          <summary>Details</summary>
          {seeds.map(shown)}
        </details>
      )}
      <div class="row">
        <Button kind="primary" onPress={() => onStart(draft)} {...(startLabel && { label: startLabel })}>
          {start}
        </Button>
        {beside}
      </div>
    </>
  );
}

interface ParameterProps {
  readonly drill: string;
  readonly field: ParameterField;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function Parameter({ drill, field, value, onInput }: ParameterProps) {
  const label = labelOf(drill, field);
  const usual = field.default === undefined ? '' : String(field.default);
  if (field.enum)
    return (
      <div>
        <Choice
          label={label}
          value={value || usual}
          options={field.enum.map((option) => [option, choiceText(drill, option)] as const)}
          onChange={onInput}
        />
        <p class="small muted">{field.description}</p>
      </div>
    );
  const about = field.name === 'share' ? shareText(value, sharedBy(drill)) : aboutOf(field);
  return <Field label={label} value={value} placeholder={usual} about={about} onInput={onInput} />;
}
