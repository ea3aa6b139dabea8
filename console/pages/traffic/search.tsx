import type { Ref } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { parse, partsOf, suggestionsFor, type Term, type TrafficFilter } from '../../model/traffic-filter.ts';
import { Foreign } from '../../parts/contained.tsx';

interface SearchProps {
  /** What values are suggested of. */
  readonly all: readonly ExchangeSummary[];
  readonly filter: TrafficFilter;
  readonly onChange: (filter: TrafficFilter) => void;
  readonly field: Ref<HTMLInputElement>;
}

/** Milliseconds. */
const pressTakes = 200;

const isChip = ({ name, fault }: Term) => name !== undefined && fault === undefined;
const typedOf = (terms: readonly Term[]) => terms.map(({ typed }) => typed).join(' ');

/** What a text ends with that is still being typed: a name with its value, or a text between quotes. Words filter at once. */
function unfinished(text: string): string {
  const last = partsOf(text).at(-1) ?? '';
  const isOpen = text.endsWith(last) && (/[:"]/.test(last) || last === '-');
  return isOpen && !/^-?"(?:[^"\\]|\\.)*"$/s.test(last) ? last : '';
}

/** One field for all filters. Those with a name become chips when they are finished. */
export function Search({ all, filter, onChange, field }: SearchProps) {
  const id = useId();
  const chips = filter.filter(isChip);
  const others = filter.filter((term) => !isChip(term));
  /** While one types, and which search the address got by that: another one comes from elsewhere, and ends it. */
  const [typing, setTyping] = useState<{ readonly text: string; readonly of: string }>();
  const [at, setAt] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const isTyping = typing?.of === typedOf(filter);
  const shown = isTyping ? typing.text : typedOf(others);
  const part = /\s$/.test(shown) ? '' : (partsOf(shown).at(-1) ?? '');
  const suggestions = isOpen ? suggestionsFor(part, all) : [];

  /** What is typed filters as it is; but what is still being typed waits until it is finished. */
  const apply = (text: string, waiting = '') => {
    const terms = parse(text.slice(0, text.length - waiting.length));
    const words = terms.filter((term) => !isChip(term));
    const added = terms.filter((term) => isChip(term) && chips.every((chip) => chip.typed !== term.typed));
    const next = [...chips, ...added, ...words];
    const left = terms.length === words.length ? text : [typedOf(words), waiting].filter(Boolean).join(' ');
    setTyping({ text: left, of: typedOf(next) });
    setAt(-1);
    onChange(next);
  };
  const type = (text: string) => {
    apply(text, unfinished(text));
    // Else all names would lie over what was found.
    setOpen(/\S$/.test(text));
  };
  const finish = () => {
    if (isTyping) apply(shown);
    setTyping(undefined);
    setOpen(false);
  };
  const choose = (chosen: string) => {
    const text = shown.slice(0, shown.length - part.length) + chosen;
    if (chosen.endsWith(':')) return type(text);
    apply(text);
    setOpen(false);
  };
  const latest = useRef(finish);
  latest.current = finish;
  const keys: Record<string, () => void> = {
    ArrowDown: () => (isOpen ? setAt((at + 1) % Math.max(1, suggestions.length)) : setOpen(true)),
    ArrowUp: () => setAt(at <= 0 ? suggestions.length - 1 : at - 1),
    Enter: () => (suggestions[at] ? choose(suggestions[at].typed) : finish()),
    Escape: () => (isOpen && suggestions.length > 0 ? setOpen(false) : (document.activeElement as HTMLElement).blur()),
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    const last = chips.at(-1);
    if (event.key === 'Backspace' && event.currentTarget.value === '' && last) {
      const next = [...chips.slice(0, -1), ...others];
      setTyping({ text: last.typed, of: typedOf(next) });
      onChange(next);
    } else if (!keys[event.key]) return;
    else keys[event.key]?.();
    event.preventDefault();
  };
  const faults = others.filter(({ fault }) => fault !== undefined);
  return (
    <search class="traffic-search">
      <div class="search-field">
        {chips.map((chip) => (
          <button
            type="button"
            key={chip.typed}
            class="badge"
            aria-label={`Remove ${visible(chip.typed)}`}
            onClick={() => onChange(filter.filter((each) => each !== chip))}
          >
            <Foreign text={chip.typed} most={60} /> <span aria-hidden="true">×</span>
          </button>
        ))}
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Search"
          aria-autocomplete="list"
          aria-expanded={suggestions.length > 0}
          aria-controls={suggestions.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={suggestions[at] && `${id}-${at}`}
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? `${id}-faults` : undefined}
          placeholder={chips.length === 0 ? 'status:4xx path:/policies -kind:webhook text' : undefined}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={shown}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onFocus={() => setOpen(true)}
          // Not while the pointer is down: what it is on would move away.
          onBlur={({ currentTarget }) =>
            setTimeout(() => document.activeElement !== currentTarget && latest.current(), pressTakes)
          }
          onKeyDown={onKeyDown}
        />
      </div>
      {suggestions.length > 0 && (
        <div class="offers" role="listbox" id={`${id}-list`} aria-label="Suggestions">
          {suggestions.map(({ typed: text, about }, number) => (
            // biome-ignore lint/a11y: the field has the focus and the keys
            <div
              key={text}
              role="option"
              id={`${id}-${number}`}
              aria-selected={number === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(text)}
            >
              <code>
                <Foreign text={text} most={80} />
              </code>{' '}
              <span class="muted">{about}</span>
            </div>
          ))}
        </div>
      )}
      <div id={`${id}-faults`} role="status">
        {faults.map(({ typed: text, fault }) => (
          <p key={text} class="oddity">
            <Foreign text={fault ?? ''} most={300} />
          </p>
        ))}
      </div>
    </search>
  );
}
