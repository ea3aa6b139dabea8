import { useEffect, useState } from 'preact/hooks';
import type { Page as PageOf, PolicyImport, PolicyImportRow } from '../../api/types.ts';
import { Form } from '../../parts/form.tsx';
import { Made, Member, Members, State, Table } from '../../parts/owned.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Button, Choice, Failure, Field, FileField, Show, Time } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { type MadeCall, makeCall, readResource, useResource } from '../../state/owned.ts';

const path = '/insurer/v1/policy-imports';

/** Rows that are asked for at once, and rows that are shown on a page. */
const pageSize = 500;
const shownRows = 20;

/** Five rows, of which the last is refused: its vehicle is that of the first. */
function exampleRows(): string {
  const number = () => String(1000 + Math.floor(Math.random() * 8999));
  const rows = ['AB', 'CD', 'EF', 'GH'].map((letters) => ({ regNumber: `${letters}-${number()}` }));
  return [...rows, { ...rows[0], holder: 'Ada Example' }].map((row) => JSON.stringify(row)).join('\n');
}

/** Imports policies, one a line, and shows what becomes of them. `onDone` is called when an import is completed. */
export function Imports({ onDone, onClose }: { readonly onDone: () => void; readonly onClose: () => void }) {
  const [lines, setLines] = useState('');
  const [made, setMade] = useState<MadeCall>();
  const [shown, setShown] = useState<string>();
  const list = useResource<PageOf<PolicyImport>>(path);

  const send = async () => {
    const call = await makeCall('POST', path, { body: lines, headers: { 'Content-Type': 'application/x-ndjson' } });
    setMade(call);
    if (call.answer) setShown((JSON.parse(call.answer.text) as PolicyImport).id);
    list.again();
  };
  return (
    <section class="card" aria-label="Import policies">
      <Form
        submit="Import them"
        onSubmit={send}
        beside={
          <>
            <Button onPress={() => setLines(exampleRows())}>Fill in five rows</Button>
            <Button onPress={onClose}>Close</Button>
          </>
        }
      >
        <Field
          label="Policies, one a line"
          lines={6}
          mono
          focused
          placeholder={'{"regNumber": "AB-1234"}\n{"regNumber": "CD-5678", "holder": "Ada Example"}'}
          value={lines}
          onInput={setLines}
          about={
            <>
              NDJSON: on each line an object as <code>POST /insurer/v1/policies</code> takes it, at most 1,000.
            </>
          }
        />
        <FileField label="Or take them from a file" onFile={(file) => file?.text().then(setLines)} />
      </Form>
      <Made made={made}>
        <p>
          Accepted with 202. The work is done later: <code>Location</code> has the address of the import, and{' '}
          <code>Retry-After</code> says when to ask.
        </p>
      </Made>
      {shown && (
        <Job
          key={shown}
          id={shown}
          onDone={() => {
            onDone();
            list.again();
          }}
        />
      )}
      <Show loaded={list}>{({ value }) => <Listed imports={value.items} onShow={setShown} />}</Show>
    </section>
  );
}

/** An import, asked for as often as `Retry-After` says. */
function Job({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const job = useResource<PolicyImport>(`${path}/${encodeURIComponent(id)}`);
  const { value, retryAfter } = job.value ?? {};
  const isCompleted = value?.status === 'completed';
  useEffect(() => {
    if (retryAfter === undefined) return;
    const timer = setTimeout(job.again, retryAfter * 1000);
    return () => clearTimeout(timer);
  }, [job.value]);
  useEffect(() => {
    if (isCompleted) onDone();
  }, [isCompleted]);
  return (
    <Show loaded={job}>
      {({ value: { status, total, done, created, refused } }) => (
        <>
          <Members>
            <Member name="id">
              <code>{id}</code>
            </Member>
            <Member name="status">
              <State state={status} />
            </Member>
            <Member name="done">
              {done} of {total}
            </Member>
            <Member name="created">{created}</Member>
            <Member name="refused">{refused}</Member>
          </Members>
          {isCompleted && <Rows id={id} total={total} refused={refused} />}
        </>
      )}
    </Show>
  );
}

async function readRows(id: string, total: number): Promise<readonly PolicyImportRow[]> {
  const rows: PolicyImportRow[] = [];
  for (let page = 1; (page - 1) * pageSize < total; page += 1) {
    const { value } = await readResource<PageOf<PolicyImportRow>>(
      `${path}/${encodeURIComponent(id)}/rows?page=${page}&pageSize=${pageSize}`,
    );
    rows.push(...value.items);
  }
  return rows;
}

/** What became of the rows; the refused ones first, as they are what is left to do. */
function Rows({ id, total, refused }: Pick<PolicyImport, 'id' | 'total' | 'refused'>) {
  const loaded = useLoad(() => readRows(id, total), [id]);
  const [status, setStatus] = useState(refused > 0 ? 'refused' : 'created');
  const [page, setPage] = useState(1);
  const show = (to: string) => {
    setStatus(to);
    setPage(1);
  };
  if (loaded.error) return <Failure error={loaded.error} onAgain={loaded.again} />;
  return (
    <Show loaded={loaded}>
      {(all) => {
        const rows = all.filter((row) => row.status === status);
        const totalItems = rows.length;
        const totalPages = Math.ceil(totalItems / shownRows);
        return (
          <>
            <Choice
              label="Rows"
              value={status}
              options={['refused', 'created'].map((each) => [each, each])}
              onChange={show}
            />
            {totalItems === 0 ? (
              <p class="notice">No row was {status}.</p>
            ) : (
              <RowTable label={`Rows ${status}`} rows={rows.slice((page - 1) * shownRows, page * shownRows)} />
            )}
            <Pager list={{ page, pageSize: shownRows, totalItems, totalPages }} onPage={setPage} />
          </>
        );
      }}
    </Show>
  );
}

function RowTable({ label, rows }: { readonly label: string; readonly rows: readonly PolicyImportRow[] }) {
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">What became of it</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ line, policyId, problem }) => (
          <tr key={line}>
            <th scope="row">{line}</th>
            <td class="wraps">
              {policyId && (
                <a class="mono" href={`#/policies/${encodeURIComponent(policyId)}`}>
                  {policyId}
                </a>
              )}
              {problem && (
                <>
                  {problem.detail} <a href={problem.type}>What this problem means</a>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

interface ListedProps {
  readonly imports: readonly PolicyImport[];
  readonly onShow: (id: string) => void;
}

/** Those that are kept, latest first. */
function Listed({ imports, onShow }: ListedProps) {
  if (imports.length === 0) return null;
  return (
    <Table label="Your imports">
      <thead>
        <tr>
          <th scope="col">Accepted</th>
          <th scope="col">Status</th>
          <th scope="col" class="wide-only">
            Rows
          </th>
          <th scope="col" class="wide-only">
            Refused
          </th>
          <th scope="col">
            <span class="unseen">Show it</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {imports.toReversed().map(({ id, createdAt, status, total, refused }) => (
          <tr key={id}>
            <td class="nowrap">
              <Time at={createdAt} withDate />
            </td>
            <td>
              <State state={status} />
            </td>
            <td class="wide-only">{total}</td>
            <td class="wide-only">{refused}</td>
            <td>
              <Button small onPress={() => onShow(id)} label={`Show the import of ${total} rows`}>
                Show
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
