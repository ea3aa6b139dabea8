/** The schema of a drill's parameter, as far as a form needs it. */
export interface ParameterSchema {
  readonly type: 'integer' | 'number' | 'string';
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly default?: number | string;
}

export interface ParameterField extends ParameterSchema {
  readonly name: string;
}

/** The fields of a drill's form, from the JSON Schema that `GET /drills` has. */
export function parameterFields(schema: { readonly properties?: unknown }): readonly ParameterField[] {
  const properties = (schema.properties ?? {}) as Record<string, ParameterSchema>;
  return Object.entries(properties).map(([name, property]) => ({ name, ...property }));
}

/** What each parameter is called, by its name in the interface. */
const labels: Readonly<Record<string, string>> = {
  fromMs: 'Shortest delay (ms)',
  toMs: 'Longest delay (ms)',
  when: 'When it happens',
  share: 'Share of calls (0 to 1)',
  seed: 'Seed (the same number repeats the same picks)',
};

export function labelOf({ name }: { readonly name: string }): string {
  return labels[name] ?? name;
}

/** `0 to 30000`; empty where there are no bounds. */
export function rangeOf({ minimum, maximum }: ParameterSchema): string {
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`;
}

/** What stands in the empty field of a number: its bounds and default. */
export function boundsOf(schema: ParameterSchema): string {
  const { default: usual } = schema;
  const bounds = rangeOf(schema);
  return usual === undefined ? bounds : `${usual}${bounds && ` (${bounds})`}`;
}

/** What to send of a form. What is empty is left out; what is no number goes as it is, and the service says so. */
export function parametersOf(
  fields: readonly ParameterField[],
  values: Readonly<Record<string, string>>,
): Record<string, number | string> {
  const given = fields.flatMap(({ name, type }): [string, number | string][] => {
    const text = values[name]?.trim() ?? '';
    if (text === '') return [];
    const number = Number(text);
    return [[name, type === 'string' || Number.isNaN(number) ? text : number]];
  });
  return Object.fromEntries(given);
}

/** `when: middle, share: 0.5`. */
export function parametersText(parameters: Record<string, unknown>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}
