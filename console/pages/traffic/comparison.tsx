import { useMemo } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { read } from '../../api/call.ts';
import type { Exchange } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { ExchangeLink } from '../../parts/exchange-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, Show, Time } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { go } from '../../state/route.ts';
import { comparisonOf, exchangePath } from './addresses.ts';
import { type Compared, compare } from './compare.ts';
import { type Folded, folded } from './diff.ts';

interface ComparisonProps {
  /** Of the list. */
  readonly search: string;
  /** Ids. */
  readonly before: string;
  readonly after: string;
}

/** Two exchanges, line by line. */
export function Comparison({ search, before, after }: ComparisonProps) {
  const load = (id: string) => read<Exchange>(exchangePath(id));
  const loaded = useLoad(() => Promise.all([load(before), load(after)]), [before, after]);
  return (
    <Page
      title="Two calls compared"
      actions={
        <Button small onPress={() => go(comparisonOf(search, after, before))}>
          Swap the two
        </Button>
      }
    >
      <Show loaded={loaded}>{([left, right]) => <Differences before={left} after={right} />}</Show>
    </Page>
  );
}

interface DifferencesProps {
  readonly before: Exchange;
  readonly after: Exchange;
}

function Differences({ before, after }: DifferencesProps) {
  const parts = useMemo(() => compare(before, after), [before, after]);
  return (
    <>
      <ul class="plain">
        <Named exchange={before} sign="−" word="Only in the first" />
        <Named exchange={after} sign="+" word="Only in the second" />
      </ul>
      {parts.map((part) => (
        <Part key={part.title} part={part} />
      ))}
    </>
  );
}

interface NamedProps {
  readonly exchange: Exchange;
  readonly sign: string;
  readonly word: string;
}

function Named({ exchange, sign, word }: NamedProps) {
  return (
    <li class="row">
      <span class={`diff-sign ${sign === '+' ? 'good' : 'bad'}`} title={word}>
        {sign}
      </span>
      <ExchangeLink id={exchange.id} known={exchange} />
      <span class="muted small">
        <Time at={exchange.startedAt} withDate />
      </span>
    </li>
  );
}

function Part({ part: { title, changes, isSame } }: { readonly part: Compared }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {isSame ? (
        <p class="muted">{changes.length === 0 ? 'Both have none.' : 'The same in both.'}</p>
      ) : (
        // biome-ignore lint/a11y: a region that scrolls must be reached by the keyboard, and a section can't be a pre
        <pre class="body-text wrapped diff" tabIndex={0} role="region" aria-label={`${title}, line by line`}>
          {joined(folded(changes)).map((line, at) => (
            <DiffLine key={at} line={line} />
          ))}
        </pre>
      )}
    </section>
  );
}

/** Lines of one kind that follow each other as one, so that a long text is cheap. */
function joined(lines: readonly Folded[]): Folded[] {
  const result: Folded[] = [];
  for (const line of lines) {
    const last = result.at(-1);
    if (last && line.kind !== 'folded' && last.kind === line.kind)
      result[result.length - 1] = { kind: last.kind, text: `${last.text}\n${line.text}` };
    else result.push(line);
  }
  return result;
}

const signs = { same: '  ', gone: '− ', new: '+ ' };
const moods = { same: '', gone: 'bad', new: 'good' };
const words = { same: '', gone: 'Only in the first: ', new: 'Only in the second: ' };

function DiffLine({ line }: { readonly line: Folded }) {
  if (line.kind === 'folded') {
    return <span class="diff-line folded">{counted(line.lines, 'more line')}</span>;
  }
  const text = line.text.split('\n').map((each) => `${signs[line.kind]}${visible(each)}`);
  return (
    <span class={`diff-line ${moods[line.kind]}`}>
      {words[line.kind] && <span class="unseen">{words[line.kind]}</span>}
      {text.join('\n')}
    </span>
  );
}
