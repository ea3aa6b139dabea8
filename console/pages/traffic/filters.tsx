import { useId } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { problemsIn, type TrafficFilter } from '../../model/traffic-filter.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { Button, Choice, Field } from '../../parts/parts.tsx';

interface FiltersProps {
  readonly all: readonly ExchangeSummary[];
  readonly filter: TrafficFilter;
  readonly onChange: (filter: TrafficFilter) => void;
}

type Options = readonly (readonly [value: string, text: string])[];

const statuses: Options = [
  ['', 'Any'],
  ['2xx', '2xx: done'],
  ['3xx', '3xx: not changed'],
  ['4xx', '4xx: refused'],
  ['5xx', '5xx: failed'],
  ['none', 'No answer'],
];

const kinds: Options = [
  ['', 'Any'],
  ['call', 'Calls'],
  ['stream', 'Streams'],
  ['delivery', 'Webhook deliveries'],
];

const systems: Options = [
  ['', 'All'],
  ['insurer', 'Insurer'],
  ['claims', 'Claims'],
  ['vehicle-registry', 'Vehicle registry'],
  ['webhook', 'Your webhooks'],
];

export function Filters({ all, filter, onChange }: FiltersProps) {
  const set = (part: Partial<TrafficFilter>) => onChange({ ...filter, ...part });
  const { text, status, kind, system, problem, path, remarks, drill, console } = filter;
  const problems: Options = [['', 'Any'], ...problemsIn(all, problem).map((name) => [name, visible(name)] as const)];
  return (
    <search class="traffic-filters">
      <div class="filter-fields">
        <Field
          label="Search"
          type="search"
          value={text}
          placeholder="Method, URL, problem, remark"
          onInput={(value) => set({ text: value })}
        />
        <Choice
          label="Status"
          value={status}
          options={within(statuses, status)}
          onChange={(to) => set({ status: to })}
        />
        <Choice
          label="System"
          value={system}
          options={within(systems, system)}
          onChange={(to) => set({ system: to })}
        />
        <Choice label="Kind" value={kind} options={within(kinds, kind)} onChange={(to) => set({ kind: to })} />
        <Choice label="Problem" value={problem} options={problems} onChange={(to) => set({ problem: to })} />
      </div>
      <div class="row">
        <Check label="With remarks" checked={remarks} onChange={(to) => set({ remarks: to })} />
        <Check label="Hit by a drill" checked={drill} onChange={(to) => set({ drill: to })} />
        <Check label="Calls of this console" checked={console} onChange={(to) => set({ console: to })} />
        {path !== '' && (
          <span class="row anywhere small">
            <span>
              Path begins with{' '}
              <code>
                <Foreign text={path} />
              </code>
            </span>
            <Button small onPress={() => set({ path: '' })}>
              Any path
            </Button>
          </span>
        )}
      </div>
    </search>
  );
}

/** An address may ask for a status that is not in the list, such as 409. */
function within(options: Options, chosen: string): Options {
  return options.some(([value]) => value === chosen) ? options : [...options, [chosen, visible(chosen)]];
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps) {
  const id = useId();
  return (
    <span class="traffic-check">
      <input type="checkbox" id={id} checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
    </span>
  );
}
