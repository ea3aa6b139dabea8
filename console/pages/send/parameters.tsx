import { useId } from 'preact/hooks';
import { type Route, valueIn, withValue } from '../../model/routes.ts';
import { knownIds } from './own-id.ts';

interface ParametersProps {
  readonly route: Route;
  readonly address: string;
  readonly onAddress: (address: string) => void;
}

/** A field for each parameter of path and query. The address is what they show, and what they change. */
export function Parameters({ route, address, onAddress }: ParametersProps) {
  const id = useId();
  const shown = route.parameters.filter((each) => each.in !== 'header');
  if (shown.length === 0) return null;
  return (
    <table class="send-rows">
      <caption class="label">Parameters</caption>
      <tbody>
        {shown.map((parameter) => {
          const { name, required, about, type, values } = parameter;
          const known = parameter.in === 'path' && values.length === 0 ? knownIds(route, name) : values;
          return (
            <tr key={`${parameter.in} ${name}`}>
              <th scope="row" title={about}>
                <code class="syntax-name">{name}</code>
                {required && (
                  <span class="required" title="required">
                    *<span class="unseen"> required</span>
                  </span>
                )}
              </th>
              <td>
                <input
                  type="text"
                  class="mono"
                  aria-label={name}
                  placeholder={parameter.example ?? type}
                  list={known.length > 0 ? `${id}-${name}` : undefined}
                  spellcheck={false}
                  autocomplete="off"
                  value={valueIn(route, parameter, address)}
                  onInput={(event) => onAddress(withValue(route, parameter, address, event.currentTarget.value))}
                />
                {known.length > 0 && (
                  <datalist id={`${id}-${name}`}>
                    {known.map((value) => (
                      <option key={value} value={value} />
                    ))}
                  </datalist>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
