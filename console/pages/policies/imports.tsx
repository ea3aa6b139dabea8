import { useEffect, useState } from 'preact/hooks';
import type { Page as PageOf, PolicyImport, PolicyImportRow } from '../../api/types.ts';
import { Form } from '../../parts/form.tsx';
import { Made, Member, Members, State, Table } from '../../parts/owned.tsx';
import { Button, Failure, Field, Show, Time } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { type MadeCall, makeCall, readResource, useResource } from '../../state/owned.ts';

const path = '/insurer/v1/policy-imports';

/** Rows that are asked for at once, and refused ones that are shown. */
const pageSize = 500;
const maxShown = 100;

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
          value={lines}
          onInput={setLines}
          about={
            <>
              NDJSON: on each line an object as <code>POST /insurer/v1/policies</code> takes it, at most 1,000.
            </>
          }
        />
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
          {isCompleted && refused > 0 && <RefusedRows id={id} refused={refused} total={total} />}
        </>
      )}
    </Show>
  );
}

async function readRefused(id: string, total: number): Promise<PolicyImportRow[]> {
  const found: PolicyImportRow[] = [];
  for (let page = 1; (page - 1) * pageSize < total && found.length < maxShown; page += 1) {
    const { value } = await readResource<PageOf<PolicyImportRow>>(
      `${path}/${encodeURIComponent(id)}/rows?page=${page}&pageSize=${pageSize}`,
    );
    found.push(...value.items.filter(({ status }) => status === 'refused'));
  }
  return found.slice(0, maxShown);
}

interface RefusedRowsProps {
  readonly id: string;
  readonly refused: number;
  readonly total: number;
}

function RefusedRows({ id, refused, total }: RefusedRowsProps) {
  const rows = useLoad(() => readRefused(id, total), [id]);
  if (rows.error) return <Failure error={rows.error} onAgain={rows.again} />;
  return (
    <Show loaded={rows}>
      {(found) => (
        <>
          <Table label="Refused rows">
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Why it was refused</th>
              </tr>
            </thead>
            <tbody>
              {found.map(({ line, problem }) => (
                <tr key={line}>
                  <th scope="row">{line}</th>
                  <td class="wraps">
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
          {refused > found.length && (
            <p class="muted small">
              The first {found.length} of {refused}. <code>GET {`${path}/${id}/rows`}</code> has all.
            </p>
          )}
        </>
      )}
    </Show>
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
          <th scope="col">Refused</th>
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
            <td>{refused}</td>
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
