import { useState } from 'preact/hooks';
import type { DrillKind } from '../../api/types.ts';
import { type ParameterSchema, parameterFields, parametersOf, rangeOf } from '../../model/drill-form.ts';
import { howToSee } from '../../model/drills.ts';
import { Button, Choice, Field } from '../../parts/parts.tsx';
import { Left, type Running } from './drills.tsx';

interface SwitchProps {
  readonly kind: DrillKind;
  readonly running: Running | undefined;
  readonly onStart: (draft: object) => Promise<void>;
  readonly onEnd: () => Promise<void>;
}

/** One drill: what it does, its parameters, on and off. */
export function Switch({ kind, running, onStart, onEnd }: SwitchProps) {
  const { name, summary, description } = kind;
  const fields = parameterFields(kind.parameters);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [minutes, setMinutes] = useState('5');
  const own = running?.drill.appliesTo === 'client';
  const start = () =>
    onStart({
      name,
      parameters: parametersOf(fields, typed),
      ...(minutes.trim() !== '' && { minutes: Number(minutes) }),
    });
  return (
    <details class="switch">
      <summary>
        <strong>{summary}</strong> <code>{name}</code> {running && <Left seconds={running.left} />}
      </summary>
      <p>{description}</p>
      <p>
        <strong>How to see it.</strong> {howToSee[name]}
      </p>
      {running && (
        <p class="small">
          On with <code>{JSON.stringify(running.drill.parameters)}</code>
        </p>
      )}
      <div class="parameters">
        {fields.map((field) => (
          <ParameterField
            key={field.name}
            name={field.name}
            schema={field}
            value={typed[field.name]}
            onInput={(value) => setTyped({ ...typed, [field.name]: value })}
          />
        ))}
        <Field
          label="Minutes (0.05 to 10)"
          type="number"
          min={0.05}
          max={10}
          value={minutes}
          onInput={setMinutes}
          about="How long it lasts. Then it ends by itself."
        />
      </div>
      <div class="row">
        <Button kind="primary" onPress={start} label={`${own ? 'Start anew with these:' : 'Switch on'} ${name}`}>
          {own ? 'Start anew with these' : 'Switch on'}
        </Button>
        {own && (
          <Button onPress={onEnd} label={`Switch off ${name}`}>
            Switch off
          </Button>
        )}
        {running && !own && (
          <span class="small">
            Your trainer switched it on for everybody, so it can’t be switched off here. One of your own takes its place
            for you.
          </span>
        )}
      </div>
    </details>
  );
}

interface ParameterFieldProps {
  readonly name: string;
  readonly schema: ParameterSchema;
  readonly value: string | undefined;
  readonly onInput: (value: string) => void;
}

function ParameterField({ name, schema, value, onInput }: ParameterFieldProps) {
  const bounds = rangeOf(schema);
  const usual = schema.default === undefined ? '' : String(schema.default);
  if (schema.enum) {
    const options = schema.enum.map((option) => [option, option] as const);
    return (
      <div>
        <Choice label={name} value={value ?? usual} options={options} onChange={onInput} />
        <p class="small muted">{schema.description}</p>
      </div>
    );
  }
  return (
    <Field
      label={bounds ? `${name} (${bounds})` : name}
      type="number"
      min={schema.minimum}
      max={schema.maximum}
      placeholder={usual}
      value={value ?? ''}
      onInput={onInput}
      about={schema.description}
    />
  );
}
