import type { Exchange } from '../../api/types.ts';
import type { Header } from '../../model/body-view.ts';
import { type Notes, queryOf } from '../../model/notes.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { Beside } from './note-text.tsx';

/** The request line, and under it each parameter of the query. */
export function RequestLine({ exchange, notes }: { readonly exchange: Exchange; readonly notes: Notes['query'] }) {
  const { method, url, request } = exchange;
  const query = queryOf(url);
  return (
    <>
      <p class="request-line mono">
        <strong>{method}</strong> <Foreign text={url} /> <span class="muted">HTTP/{request.httpVersion}</span>
      </p>
      {query.length > 0 && <Pairs label="Query" pairs={query} notes={notes} placeOf={(name) => name} />}
    </>
  );
}

interface HeaderTableProps {
  readonly label: string;
  readonly headers: readonly Header[];
  /** By the name in lower case. */
  readonly notes: Notes['requestHeaders'];
}

export function HeaderTable({ label, headers, notes }: HeaderTableProps) {
  if (headers.length === 0) return <p class="muted small">No headers.</p>;
  return <Pairs label={label} pairs={headers} notes={notes} placeOf={(name) => name.toLowerCase()} />;
}

interface PairsProps {
  readonly label: string;
  readonly pairs: readonly Header[];
  readonly notes: Notes['body'] | undefined;
  /** The place of a name in `notes`. */
  readonly placeOf: (name: string) => string;
}

/** Names and values, and beside each what is said of it: the first time that its name is there. */
export function Pairs({ label, pairs, notes, placeOf }: PairsProps) {
  const told = new Set<string>();
  return (
    <table class="pairs">
      <caption>{label}</caption>
      <tbody>
        {pairs.map(({ name, value }, at) => {
          const place = placeOf(name);
          const here = told.has(place) ? [] : (notes?.get(place) ?? []);
          told.add(place);
          return (
            <tr key={at} class={here.length > 0 ? 'noted' : ''}>
              <th scope="row">
                <Foreign text={name} />
              </th>
              <td>
                <Foreign text={value} />
                <Beside notes={here} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
