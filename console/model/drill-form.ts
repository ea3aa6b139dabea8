/** The schema of a drill's parameter, as far as a form needs it. */
export interface ParameterSchema {
  readonly type: 'integer' | 'number' | 'string' | 'array';
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  /** Of those of an array. */
  readonly items?: { readonly enum?: readonly string[] };
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

/** What each parameter is called, by its name in the interface; where drills mean several things by it, also by theirs. */
const labels: Readonly<Record<string, string>> = {
  fromMs: 'Shortest delay (ms)',
  toMs: 'Longest delay (ms)',
  when: 'When it happens',
  share: 'Share of calls',
  'repeat-webhooks share': 'Share of deliveries',
  'forged-webhooks share': 'Share of deliveries',
  'denied share': 'Share of decisions',
  'forged-callback share': 'Share of decisions',
  seed: 'Seed',
  sequence: 'Sequence',
  sequenceThen: 'After the sequence',
  calls: 'Calls that it concerns',
  retryAfter: 'Seconds in Retry-After',
  'short-tokens seconds': 'Seconds for which a token is valid',
  'cut-streams seconds': 'Seconds for which a stream lasts',
  'duplicate-events times': 'Times each event comes',
  'repeat-webhooks times': 'Times each delivery is sent',
  order: 'When the repeats come',
  how: 'What is wrong with the forged call',
  limit: 'Calls in any 60 seconds',
  'short-file share': 'Share of files',
  'late-statement seconds': 'Seconds until a statement is made',
  what: 'What is wrong in the trailer',
  groupSeconds: 'Seconds before each 20 rows',
  'slow-sign-in seconds': 'Seconds for which the decision takes',
  afterMinutes: 'Minutes until the consent is withdrawn',
  days: 'Days for which a consent holds',
  publishedFor: 'Seconds for which the key is published before its use',
};

export function labelOf(drill: string, { name }: Pick<ParameterField, 'name'>): string {
  return labels[`${drill} ${name}`] ?? labels[name] ?? name;
}

/** What a value to choose means. */
const choices: Readonly<Record<string, string>> = {
  before: 'before the work is done',
  'cut-connections before': 'before the work, which is not done',
  'html-from-a-proxy before': 'before the work, which is not done',
  after: 'after the work was done',
  middle: 'in the middle of the answer, the work is done',
  'at-once': 'right after the delivery',
  pass: 'nothing happens to them',
  hit: 'all are hit',
  late: 'late, after the next delivery',
  'wrong-secret': 'it was signed with another secret',
  'changed-body': 'its body was changed after it was signed',
  'old-timestamp': 'its time is ten minutes ago',
  count: 'one row too many',
  premiums: 'their sum is too high',
  commissions: 'their sum is too high',
};

export function choiceText(drill: string, value: string): string {
  const text = choices[`${drill} ${value}`] ?? choices[value];
  if (text === undefined) return value;
  return text.startsWith(value) ? text : `${value}: ${text}`;
}

/** What the field is for, with its bounds and what an empty one stands for. */
export function aboutOf(schema: ParameterSchema): string {
  const bounds = rangeOf(schema);
  const usual = schema.default === undefined ? '' : `${schema.default} if left empty`;
  const limits = [bounds, usual].filter(Boolean).join('; ');
  return [schema.description, limits && `${limits}.`].filter(Boolean).join(' ');
}

/** A share in words: `All calls.` What is no share is left to the service, which says why it refuses it. */
export function shareText(text: string, what: string): string {
  const share = text.trim() === '' ? 1 : Number(text);
  if (share === 1) return `1: all ${what}.`;
  if (share === 0) return `0: no ${what}.`;
  return share > 0 && share < 1
    ? `About ${Math.round(share * 1000) / 10} % of the ${what}, picked by chance.`
    : `0 is none, 0.5 half, 1 all ${what}.`;
}

/** What a share is one of. */
export function sharedBy(drill: string): string {
  if (drill === 'denied' || drill === 'forged-callback') return 'decisions';
  if (drill === 'short-file') return 'files';
  return drill.endsWith('-webhooks') ? 'deliveries' : 'calls';
}

/** `0 to 30000`; empty where there are no bounds. */
export function rangeOf({ minimum, maximum }: ParameterSchema): string {
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`;
}

export type SentParameter = number | string | readonly string[];

/** What to send of a form. What is empty is left out; what is no number goes as it is, and the service says so. */
export function parametersOf(
  fields: readonly ParameterField[],
  values: Readonly<Record<string, string>>,
): Record<string, SentParameter> {
  const given = fields.flatMap(({ name, type, items }): [string, SentParameter][] => {
    const text = values[name]?.trim() ?? '';
    if (text === '') return [];
    if (type === 'array') {
      const words = text.split(items?.enum ? /[\s,]/ : /[\n,]/).map((word) => word.trim());
      return [[name, words.filter(Boolean)]];
    }
    const number = Number(text);
    return [[name, type === 'string' || Number.isNaN(number) ? text : number]];
  });
  return Object.fromEntries(given);
}

/** `when: middle, share: 0.5`; a share of all in words. */
export function parametersText(parameters: Record<string, unknown>, drill = ''): string {
  return Object.entries(parameters)
    .map(([name, value]) => {
      if (name === 'share' && value === 1) return `all ${sharedBy(drill)}`;
      return `${name}: ${Array.isArray(value) ? value.join(' ') : value}`;
    })
    .join(', ');
}

/** What is left of a drill's sequence, as a sentence; empty for a drill that has none. */
export function leftText(left: readonly string[] | undefined): string {
  if (left === undefined) return '';
  return left.length === 0 ? 'Its sequence is over.' : `Left of its sequence: ${left.join(' ')}.`;
}
