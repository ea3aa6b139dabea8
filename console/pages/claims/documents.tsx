import { useState } from 'preact/hooks';
import type { ClaimDocument, Page as PageOf } from '../../api/types.ts';
import { Foreign } from '../../parts/contained.tsx';
import { download } from '../../parts/download.ts';
import { Form } from '../../parts/form.tsx';
import { Made, Table } from '../../parts/owned.tsx';
import { Button, Failure, FileField, Show, Time } from '../../parts/parts.tsx';
import { fetchFile, isWhole } from '../../state/file.ts';
import { changedBelow, type MadeCall, makeCall, useChanges, useResource } from '../../state/owned.ts';

/** The documents of a claim, and a form to add one. What is wrong with a file the service says. */
export function Documents({ claimId }: { readonly claimId: string }) {
  const path = `/claims/v1/claims/${encodeURIComponent(claimId)}/documents`;
  const list = useResource<PageOf<ClaimDocument>>(path);
  useChanges(changedBelow('/claims/v1/claims/{claimId}/documents'), list.again);
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState(0);
  const [made, setMade] = useState<MadeCall>();
  const send = async () => {
    const body = new FormData();
    if (file) body.set('file', file);
    const call = await makeCall('POST', path, { body });
    setMade(call);
    if (!call.answer) return;
    setFile(undefined);
    setSent(sent + 1);
    list.again();
  };
  return (
    <>
      <h2>Its documents</h2>
      <Show loaded={list}>{({ value }) => <Listed documents={value.items} path={path} />}</Show>
      <section class="card" aria-label="Add a document">
        <Form submit="Send it" onSubmit={send}>
          <FileField
            label="A photograph or a PDF, at most 1 MiB"
            accept="image/jpeg,image/png,image/webp,application/pdf"
            onFile={setFile}
            key={sent}
            stays
          />
        </Form>
        <Made made={made}>
          <p>Added. It can’t be changed or deleted: it goes with its claim.</p>
        </Made>
      </section>
    </>
  );
}

interface ListedProps {
  readonly documents: readonly ClaimDocument[];
  readonly path: string;
}

function Listed({ documents, path }: ListedProps) {
  const [error, setError] = useState<Error>();
  const save = async ({ id, name, mediaType }: ClaimDocument) => {
    setError(undefined);
    try {
      const file = await fetchFile(`${path}/${encodeURIComponent(id)}`);
      if (!isWhole(file)) throw new Error('The file ended early, or is another one: its digest is wrong. Try again.');
      download(name, new Blob([Uint8Array.from(file.bytes)], { type: mediaType }));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  if (documents.length === 0) return <p class="muted">There are none.</p>;
  return (
    <>
      <Table label="Documents of the claim">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">
              <span class="unseen">Save it</span>
            </th>
            <th scope="col">Type</th>
            <th scope="col">Bytes</th>
            <th scope="col">Digest</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <tr key={document.id}>
              <th scope="row" class="wraps">
                <Foreign text={document.name} />
              </th>
              <td>
                <Button small onPress={() => save(document)} label={`Download ${document.name}`}>
                  Download
                </Button>
              </td>
              <td class="nowrap">{document.mediaType}</td>
              <td>{document.size}</td>
              <td class="wraps">
                <code>{document.digest}</code>
              </td>
              <td class="nowrap">
                <Time at={document.createdAt} withDate />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {error && <Failure error={error} />}
    </>
  );
}
