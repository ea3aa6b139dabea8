import { useId, useState } from 'preact/hooks';
import { methods } from '../../model/draft.ts';
import { offered, type Route } from '../../model/routes.ts';
import { FieldText } from './sent-texts.tsx';

interface AddressProps {
  readonly method: string;
  readonly address: string;
  readonly routes: readonly Route[];
  readonly onMethod: (method: string) => void;
  readonly onAddress: (address: string) => void;
  /** One of the routes was chosen. */
  readonly onRoute: (route: Route) => void;
  readonly onSend: () => void;
  /** What a browser can’t send of it. */
  readonly fault: string | undefined;
  readonly children: preact.ComponentChildren;
}

/** Method and address. While one types, the routes that fit are offered: a combobox after the pattern of WAI-ARIA. */
export function Address({
  method,
  address,
  routes,
  onMethod,
  onAddress,
  onRoute,
  onSend,
  fault,
  children,
}: AddressProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = isOpen ? offered(routes, address) : [];
  const at = Math.min(active, found.length - 1);
  const choose = (route: Route) => {
    setOpen(false);
    onRoute(route);
  };
  const move = (by: number) => {
    setOpen(true);
    setActive(found.length === 0 ? 0 : (at + by + found.length) % found.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const chosen = found[at];
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else if (event.key === 'Enter') onSend();
    else return;
    event.preventDefault();
  };
  return (
    <div class="send-line">
      <span class="select icon icon-down">
        <select
          class="mono"
          aria-label="Method"
          value={method}
          onChange={(event) => onMethod(event.currentTarget.value)}
        >
          {[...new Set([...methods, method])].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </span>
      <div class="send-address">
        <input
          type="text"
          class="mono"
          role="combobox"
          aria-label="Address"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-routes`}
          aria-activedescendant={found[at] && `${id}-${at}`}
          aria-autocomplete="list"
          aria-describedby={fault && `${id}-fault`}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={address}
          onInput={(event) => {
            setOpen(true);
            setActive(-1);
            onAddress(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setOpen(false)}
        />
        <div
          class="offers routes"
          role="listbox"
          id={`${id}-routes`}
          aria-label="Calls that there are"
          hidden={found.length === 0}
        >
          {found.map((route, number) => (
            // biome-ignore lint/a11y: the field has the keys
            <div
              key={`${route.method} ${route.path}`}
              id={`${id}-${number}`}
              role="option"
              aria-selected={number === at}
              // Before the field loses the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(route);
              }}
            >
              <strong class="mono">{route.method}</strong> <code>{route.path}</code>
              <span class="muted small">{route.summary}</span>
            </div>
          ))}
        </div>
      </div>
      {children}
      <FieldText id={`${id}-fault`} text={fault} />
    </div>
  );
}
