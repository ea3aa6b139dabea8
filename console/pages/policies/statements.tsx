import { useEffect, useRef, useState } from 'preact/hooks';
import type { Statement } from '../../api/types.ts';
import { download } from '../../parts/download.ts';
import { Form } from '../../parts/form.tsx';
import { Counted, Made, Member, Members, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Button, Choice, Failure, Field, Notice, Show, Time } from '../../parts/parts.tsx';
import { type FetchedFile, fetchFile, fetchRest, isWhole } from '../../state/file.ts';
import { clientNow } from '../../state/now.ts';
import { type MadeCall, makeCall, useChanges, useResource } from '../../state/owned.ts';
import { replace, route } from '../../state/route.ts';
import { differences, type FileRow, type FileTotals, parseStatement } from './statement-file.ts';

const path = '/insurer/v1/statements';
const shownRows = 20;

const formats = [
  ['csv', 'CSV: commas, UTF-8'],
  ['csv-1252', 'CSV: semicolons, decimal commas, windows-1252'],
  ['ndjson', 'NDJSON: an object a line'],
] as const satisfies readonly (readonly [Statement['format'], string])[];

const currencies = ['EUR', 'JPY', 'KWD'] as const satisfies readonly Statement['currency'][];

export default function Statements() {
  const [, id] = route.value.rest;
  return (
    <Page
      title="Statements"
      about={
        <>
          What the policies of a month cost, and your commission, as a file.{' '}
          <a href="#/guides/money">Money and files</a> tells how each amount comes about.
        </>
      }
      actions={<a href="#/policies">All policies</a>}
    >
      <NeedsClient>
        <Make />
        {id && <Job key={id} id={id} />}
        <Counted />
      </NeedsClient>
    </Page>
  );
}

/** The address has the id of what was made, as the interface does not list statements. */
function Make() {
  const [month, setMonth] = useState(() => new Date(clientNow()).toISOString().slice(0, 7));
  const [format, setFormat] = useState<Statement['format']>('csv');
  const [currency, setCurrency] = useState<Statement['currency']>('EUR');
  const [made, setMade] = useState<MadeCall>();
  const send = async () => {
    const call = await makeCall('POST', path, { json: { month, format, currency } });
    setMade(call);
    if (call.answer) replace(`/policies/statements/${(JSON.parse(call.answer.text) as Statement).id}`);
  };
  return (
    <section class="card" aria-label="Make a statement">
      <Form submit="Make it" onSubmit={send}>
        <div class="columns">
          <Field
            label="Month"
            value={month}
            onInput={setMonth}
            placeholder="2026-03"
            mono
            about="YYYY-MM: this month, by your clock, or one before it."
          />
          <Choice label="Format" value={format} options={formats} onChange={setFormat} />
          <Choice
            label="Currency"
            value={currency}
            options={currencies.map((each) => [each, each])}
            onChange={setCurrency}
          />
        </div>
      </Form>
      <Made made={made}>
        <p>
          Accepted with 202. The file is made later: <code>Location</code> has the address of the statement, and{' '}
          <code>Retry-After</code> says when to ask. Keep the id: statements are not listed.
        </p>
      </Made>
    </section>
  );
}

/** A statement, asked for as often as `Retry-After` says. */
function Job({ id }: { readonly id: string }) {
  const address = `${path}/${encodeURIComponent(id)}`;
  const job = useResource<Statement>(address);
  const { retryAfter } = job.value ?? {};
  useEffect(() => {
    if (retryAfter === undefined) return;
    const timer = setTimeout(job.again, retryAfter * 1000);
    return () => clearTimeout(timer);
  }, [job.value]);
  // A move of the clock passes what a drill makes late.
  useChanges(() => false, job.again);
  return (
    <Show loaded={job}>
      {({ value }) => (
        <>
          <h2>Statement of {value.month}</h2>
          <Members>
            <Member name="id">
              <code>{id}</code>
            </Member>
            <Member name="status">
              <State state={value.status} />{' '}
              {retryAfter !== undefined && (
                <span class="muted small">Retry-After: {retryAfter}. It is asked for again in as many seconds.</span>
              )}
            </Member>
            <Member name="format">{value.format}</Member>
            <Member name="currency">{value.currency}</Member>
            <Member name="createdAt">
              <Time at={value.createdAt} withDate />
            </Member>
            <Member name="completedAt">
              {value.completedAt === null ? <code>null</code> : <Time at={value.completedAt} withDate />}
            </Member>
          </Members>
          {value.status === 'completed' && <Content statement={value} path={`${address}/content`} />}
        </>
      )}
    </Show>
  );
}

/** Its file: fetched when it is asked for, as a program does it. */
function Content({ statement, path }: { readonly statement: Statement; readonly path: string }) {
  const [file, setFile] = useState<FetchedFile>();
  const [error, setError] = useState<Error>();
  const get = (from: () => Promise<FetchedFile>) => () =>
    from().then(
      (got) => {
        setError(undefined);
        setFile(got);
      },
      (reason: Error) => setError(reason),
    );
  const told = useRef<HTMLDivElement>(null);
  const rest = async () => {
    if (file) await get(() => fetchRest(path, file))();
    // The button is gone then.
    told.current?.focus();
  };
  const { month, currency, format } = statement;
  const name = `statement-${month}-${currency}.${format === 'ndjson' ? 'ndjson' : 'csv'}`;
  return (
    <section aria-label="Its file">
      <h2>Its file</h2>
      <p class="row actions">
        <Button kind="primary" onPress={get(() => fetchFile(path))}>
          {file ? 'Get the file again' : 'Get the file'}
        </Button>
        {file && (
          <Button onPress={() => download(name, new Blob([Uint8Array.from(file.bytes)], { type: file.type }))}>
            Save what came
          </Button>
        )}
      </p>
      {error && <Failure error={error} />}
      {file && (
        <>
          <div role="status" ref={told} tabIndex={-1}>
            <Wholeness file={file} onRest={rest} />
          </div>
          <Read file={file} statement={statement} />
        </>
      )}
    </section>
  );
}

/** Whether all of it came, by its length and by its digest. */
function Wholeness({ file, onRest }: { readonly file: FetchedFile; readonly onRest: () => Promise<void> }) {
  const { bytes, size, digest } = file;
  const facts = (
    <Members>
      <Member name="bytes">
        {bytes.length} of {size}
      </Member>
      <Member name="Repr-Digest">
        <code>{digest}</code>
      </Member>
    </Members>
  );
  if (isWhole(file))
    return (
      <>
        <Notice mood="good">All of it came: its length and its SHA-256 are those that the service told.</Notice>
        {facts}
      </>
    );
  return (
    <>
      <Notice mood="bad">
        <p>
          <strong>{bytes.length < size ? 'The file ended early.' : 'It is another file.'}</strong>{' '}
          {bytes.length < size
            ? 'The connection was closed before as many bytes came as Content-Length says, and the SHA-256 of what came is not that of Repr-Digest. Book nothing of it.'
            : 'Its SHA-256 is not that of Repr-Digest. Get it again.'}
        </p>
        {bytes.length < size && (
          <p>
            <Button small onPress={onRest}>
              Get the rest
            </Button>{' '}
            <span class="small">
              With <code>Range: bytes={bytes.length}-</code>, and <code>If-Range</code> so that it is of the same file.
            </span>
          </p>
        )}
      </Notice>
      {facts}
    </>
  );
}

function Read({ file, statement }: { readonly file: FetchedFile; readonly statement: Statement }) {
  const charset = /charset=([\w-]+)/.exec(file.type)?.[1] ?? 'utf-8';
  const { rows, sums, trailer } = parseStatement(new TextDecoder(charset).decode(file.bytes), statement.format);
  const { count, premiums, commissions } = statement;
  const told =
    count === undefined || !premiums || !commissions
      ? undefined
      : { count, premiums: premiums.amount, commissions: commissions.amount };
  const wrong = trailer ? differences(sums, trailer) : [];
  const lacking = told ? differences(sums, told) : [];
  return (
    <>
      <h3>Totals in {statement.currency}</h3>
      <Table label="Totals">
        <thead>
          <tr>
            <th scope="col">Told by</th>
            <th scope="col">Count</th>
            <th scope="col">Premiums</th>
            <th scope="col">Commissions</th>
          </tr>
        </thead>
        <tbody>
          <TotalsRow name="Rows" totals={sums} />
          <TotalsRow name="Trailer" totals={trailer} />
          <TotalsRow name="Statement" totals={told} />
        </tbody>
      </Table>
      <div role="status">
        {wrong.length > 0 && (
          <Notice mood="bad">
            <strong>The trailer differs from the rows:</strong> {wrong.join(', ')}. Book nothing of it.
          </Notice>
        )}
        {lacking.length > 0 && (
          <Notice mood="bad">
            <strong>The rows differ from the statement:</strong> {lacking.join(', ')}.
          </Notice>
        )}
        {trailer && wrong.length + lacking.length === 0 && (
          <Notice mood="good">The rows, the trailer and the statement tell the same.</Notice>
        )}
        {!trailer && <Notice mood="bad">There is no trailer.</Notice>}
      </div>
      <h3>Rows</h3>
      <Rows rows={rows} />
    </>
  );
}

function TotalsRow({ name, totals }: { readonly name: string; readonly totals: FileTotals | undefined }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{totals?.count ?? 'none'}</td>
      <td>{totals?.premiums ?? 'none'}</td>
      <td>{totals?.commissions ?? 'none'}</td>
    </tr>
  );
}

function Rows({ rows }: { readonly rows: readonly FileRow[] }) {
  const [page, setPage] = useState(1);
  const totalPages = Math.ceil(rows.length / shownRows);
  if (rows.length === 0) return <p class="notice">There are none.</p>;
  return (
    <>
      <Table label="Rows of the file">
        <thead>
          <tr>
            <th scope="col">Vehicle</th>
            <th scope="col">Premium</th>
            <th scope="col">Commission</th>
            <th scope="col" class="wide-only">
              Cover
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice((page - 1) * shownRows, page * shownRows).map((row) => (
            <tr key={row.policyNumber}>
              <th scope="row" class="plate-number">
                <a href={`#/policies/${encodeURIComponent(row.policyNumber)}`}>{row.regNumber}</a>
              </th>
              <td>{row.premium}</td>
              <td>{row.commission}</td>
              <td class="wide-only nowrap">
                {row.start} to {row.end}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <Pager list={{ page, pageSize: shownRows, totalItems: rows.length, totalPages }} onPage={setPage} />
    </>
  );
}
