import type { Exchange } from '../../api/types.ts';
import type { Header } from '../../model/body-view.ts';
import { queryOf } from '../../model/url.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Beside } from './note-text.tsx';
import type { Notes } from './notes.ts';

/** The request line, and under it each parameter of the query. */
export function RequestLine({ exchange, notes }: { readonly exchange: Exchange; readonly notes: Notes['query'] }) {
  const { method, url, request } = exchange;
  const query = [...queryOf(url)].map(([name, value]) => ({ name, value }));
  return (
    <>
      <p class="request-line mono">
        <strong>{method}</strong> <Foreign text={url} /> <span class="muted">HTTP/{request.httpVersion}</span>
      </p>
      {query.length > 0 && <Pairs label="Query" pairs={query} notes={notes} placeOf={(name) => name} />}
    </>
  );
}

/** Reasons of the statuses that the service or a webhook may answer. */
const reasons: Readonly<Record<number, string>> = {
  ...{ 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 301: 'Moved Permanently', 302: 'Found' },
  ...{ 303: 'See Other', 304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect' },
  ...{ 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed' },
  ...{ 406: 'Not Acceptable', 408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required' },
  ...{ 412: 'Precondition Failed', 413: 'Content Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type' },
  ...{ 417: 'Expectation Failed', 422: 'Unprocessable Content', 428: 'Precondition Required' },
  ...{ 429: 'Too Many Requests', 431: 'Request Header Fields Too Large', 500: 'Internal Server Error' },
  ...{ 501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' },
};

/** The first line of the answer; nothing where there was none. */
export function StatusLine({ exchange: { status, end, request } }: { readonly exchange: Exchange }) {
  if (status === 0 || (status === 499 && end === 'cut')) return null;
  return (
    <p class="request-line mono">
      <span class="muted">HTTP/{request.httpVersion}</span> <strong>{status}</strong> {reasons[status]}
    </p>
  );
}

interface HeaderTableProps {
  readonly label: string;
  readonly headers: readonly Header[];
  /** By the name in lower case. */
  readonly notes: Notes['requestHeaders'];
}

export function HeaderTable({ label, headers, notes }: HeaderTableProps) {
  const isOfBrowser = ({ name }: Header) => /^access-control-/i.test(name) && !notes.has(name.toLowerCase());
  const [forBrowsers, others] = [headers.filter(isOfBrowser), headers.filter((each) => !isOfBrowser(each))];
  if (headers.length === 0) return <p class="muted small">No headers.</p>;
  return (
    <>
      <Pairs label={label} pairs={others} notes={notes} placeOf={(name) => name.toLowerCase()} />
      {forBrowsers.length > 0 && (
        <details class="small">
          <summary>
            {forBrowsers.length} more for browsers: <code>access-control-…</code>
          </summary>
          <Pairs label={`${label}, for browsers`} pairs={forBrowsers} notes={undefined} placeOf={(name) => name} />
        </details>
      )}
    </>
  );
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
                <span class="syntax-name">
                  <Foreign text={name} />
                </span>
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
