import { useEffect, useState } from 'preact/hooks';
import type { Erasure } from '../../api/types.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Words } from '../../parts/contained.tsx';
import { Counted, Made, Member, Members, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Field, Show, Time } from '../../parts/parts.tsx';
import { type MadeCall, makeCall, useResource } from '../../state/owned.ts';
import { replace, route } from '../../state/route.ts';

const path = '/insurer/v1/erasures';

export default function Erasures() {
  const [, id] = route.value.rest;
  return (
    <Page
      title="Erasures"
      about={
        <>
          Takes the name of a holder out of all that is kept of you. <a href="#/guides/privacy">Data and privacy</a>{' '}
          tells what it reaches.
        </>
      }
      actions={<a href="#/policies">All policies</a>}
    >
      <NeedsClient>
        <Erase />
        {id && <Job key={id} id={id} />}
        <Counted />
      </NeedsClient>
    </Page>
  );
}

/** The address has the id of what was asked for, as the interface does not list erasures. */
function Erase() {
  const [holder, setHolder] = useState('');
  const [made, setMade] = useState<MadeCall>();
  const erase = async () => {
    const call = await makeCall('POST', path, { json: { holder } });
    setMade(call);
    if (!call.answer) return;
    setHolder('');
    replace(`/policies/erasures/${(JSON.parse(call.answer.text) as Erasure).id}`);
  };
  return (
    <section class="card" aria-label="Erase a holder">
      <Field label="Holder" value={holder} onInput={setHolder} placeholder="Ada Example" about="The whole name." />
      <Confirm label="Erase the name" yes="Erase it" no="Keep it" onConfirm={erase}>
        <p>The name goes out of policies, the log of calls, deliveries and kept answers. There is no way back.</p>
      </Confirm>
      <Made made={made}>
        <p>
          Accepted with 202. The work is done later. Keep the id: erasures are not listed. The call below has the name
          until you leave this page.
        </p>
      </Made>
    </section>
  );
}

/** An erasure, asked for as often as `Retry-After` says. */
function Job({ id }: { readonly id: string }) {
  const job = useResource<Erasure>(`${path}/${encodeURIComponent(id)}`);
  const { retryAfter } = job.value ?? {};
  useEffect(() => {
    if (retryAfter === undefined) return;
    const timer = setTimeout(job.again, retryAfter * 1000);
    return () => clearTimeout(timer);
  }, [job.value]);
  return (
    <Show loaded={job}>
      {({ value: { status, createdAt, completedAt, touched, kept } }) => (
        <>
          <h2>The erasure</h2>
          <Members>
            <Member name="id">
              <code>{id}</code>
            </Member>
            <Member name="status">
              <State state={status} />
            </Member>
            <Member name="createdAt">
              <Time at={createdAt} withDate />
            </Member>
            <Member name="completedAt">
              {completedAt === null ? <code>null</code> : <Time at={completedAt} withDate />}
            </Member>
          </Members>
          {touched.length > 0 && (
            <Table label="What had the name">
              <thead>
                <tr>
                  <th scope="col">What was looked at</th>
                  <th scope="col">Had the name</th>
                </tr>
              </thead>
              <tbody>
                {touched.map(({ what, count }) => (
                  <tr key={what}>
                    <th scope="row">{what}</th>
                    <td>{count}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
          {kept.length > 0 && (
            <Table label="What has the name still">
              <thead>
                <tr>
                  <th scope="col">What has it still</th>
                  <th scope="col">How many</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {kept.map(({ what, count, why }) => (
                  <tr key={what}>
                    <th scope="row">{what}</th>
                    <td>{count}</td>
                    <td class="wraps">
                      <Words text={why} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
          {completedAt !== null && kept.length === 0 && <p class="notice">The name is nowhere any more.</p>}
        </>
      )}
    </Show>
  );
}
