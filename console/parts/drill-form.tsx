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
  type SentParameter,
  sharedBy,
  shareText,
} from '../model/drill-form.ts';
import { useLoad } from '../state/load.ts';
import { loadRoutes } from '../state/routes.ts';
import { Button, Choice, Field, Show } from './parts.tsx';

export interface DrillDraft {
  readonly name: string;
  readonly parameters: Record<string, SentParameter>;
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

/** The parameters that say which calls, one by one. */
const inOrder: readonly string[] = ['sequence', 'sequenceThen', 'calls'];

/** What a drill can be told, with how long it lasts. What hardly anybody needs is folded. */
export function DrillForm({ kind, onStart, start, startLabel, beside }: DrillFormProps) {
  const { name, description } = kind;
  const [values, setValues] = useState<Record<string, string>>({});
  const [minutes, setMinutes] = useState('5');
  const [unfolded, setUnfolded] = useState(false);
  const fields = parameterFields(kind.parameters);
  const set = (field: string) => (value: string) => setValues({ ...values, [field]: value });
  // Without a sequence nothing comes after it.
  const meant = values.sequence?.trim() ? values : { ...values, sequenceThen: '' };
  const draft = {
    ...{ name, parameters: parametersOf(fields, meant) },
    ...(minutes.trim() !== '' && { minutes: Number(minutes) }),
  };
  const shown = (field: ParameterField) => (
    <Parameter key={field.name} drill={name} field={field} value={values[field.name] ?? ''} onInput={set(field.name)} />
  );
  const ordered = fields.filter((field) => inOrder.includes(field.name));
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
        {fields.filter((field) => ![...inOrder, 'share', 'seed'].includes(field.name)).map(shown)}
      </div>
      {ordered.length > 0 && (
        <details onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
          <summary>Faults in a row, for some calls alone</summary>
          {unfolded && ordered.map(shown)}
        </details>
      )}
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
          value={value || usual || (field.enum[0] as string)}
          options={field.enum.map((option) => [option, choiceText(drill, option)] as const)}
          onChange={onInput}
        />
        <p class="small muted">{field.description}</p>
      </div>
    );
  if (field.type === 'array') return <Listed label={label} field={field} value={value} onInput={onInput} />;
  const about = field.name === 'share' ? shareText(value, sharedBy(drill)) : aboutOf(field);
  return <Field label={label} value={value} placeholder={usual} about={about} onInput={onInput} />;
}

interface ListedProps extends Omit<ParameterProps, 'drill'> {
  readonly label: string;
}

/** A list, typed or put together from what there is to choose. */
function Listed({ label, field, value, onInput }: ListedProps) {
  const words = field.items?.enum;
  const add = (separator: string) => (each: string) => onInput([value.trim(), each].filter(Boolean).join(separator));
  return (
    <div>
      <Field label={label} value={value} about={field.description} lines={words ? 1 : 3} onInput={onInput} />
      <div class="row">
        {words?.map((word) => (
          <Button key={word} small label={`Add ${word}`} onPress={() => add(' ')(word)}>
            + {word}
          </Button>
        ))}
        {!words && <AddCall onAdd={add('\n')} />}
      </div>
    </div>
  );
}

function AddCall({ onAdd }: { readonly onAdd: (call: string) => void }) {
  const routes = useLoad(loadRoutes, []);
  return (
    <Show loaded={routes}>
      {(all) => {
        const calls = all
          .filter(({ path }) => !path.startsWith('/range/'))
          .map(({ method, path }) => `${method} ${path}`);
        return (
          <Choice
            label="Add a call"
            value=""
            options={[['', 'Choose one'] as const, ...calls.map((call) => [call, call] as const)]}
            onChange={(call) => call && onAdd(call)}
          />
        );
      }}
    </Show>
  );
}
