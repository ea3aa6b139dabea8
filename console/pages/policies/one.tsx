import { useEffect, useState } from 'preact/hooks';
import { isInForce } from '../../../src/insurer/policy-status.ts';
import type { Claim, Page as PageOf, Policy } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { sendAddress } from '../../model/send-address.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Foreign } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Counted, Made, Member, Members, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, CopyButton, Field, Show, Time } from '../../parts/parts.tsx';
import { changedBelow, type MadeCall, makeCall, type Resource, useChanges, useResource } from '../../state/owned.ts';

export function OnePolicy({ id }: { readonly id: string }) {
  const [plate, setPlate] = useState<string>();
  return (
    <Page
      title={plate === undefined ? 'Policy' : `Policy of ${visible(plate)}`}
      actions={<a href="#/policies">All policies</a>}
    >
      <NeedsClient>
        <ShownPolicy id={id} onPlate={setPlate} />
      </NeedsClient>
    </Page>
  );
}

interface ShownPolicyProps {
  readonly id: string;
  /** Is called with the registration number once it is known. */
  readonly onPlate: (plate: string) => void;
}

function ShownPolicy({ id, onPlate }: ShownPolicyProps) {
  const path = `/insurer/v1/policies/${encodeURIComponent(id)}`;
  const policy = useResource<Policy>(path);
  const claims = useResource<PageOf<Claim>>(`/claims/v1/claims?policyNumber=${encodeURIComponent(id)}&pageSize=100`);
  const plate = policy.value?.value.regNumber;
  useEffect(() => {
    if (plate !== undefined) onPlate(plate);
  }, [plate]);
  const again = () => {
    policy.again();
    claims.again();
  };
  useChanges(changedBelow('/insurer/v1/policies'), policy.again);
  useChanges(changedBelow('/claims/v1/claims'), claims.again);
  const [made, setMade] = useState<MadeCall>();
  const send = async (...of: Parameters<typeof makeCall>) => {
    const call = await makeCall(...of);
    setMade(call);
    // Also after a refusal: the policy may have changed meanwhile.
    policy.again();
  };
  return (
    <>
      <p class="row actions">
        <Button onPress={again}>Refresh</Button>
        <a class="button" href={`#${sendAddress({ method: 'PUT', path })}`}>
          Write a call
        </a>
      </p>
      <Show loaded={policy}>
        {(resource) => (
          <div class="one">
            <Facts {...resource} />
            <div>
              <Changes {...resource} path={path} send={send} />
            </div>
          </div>
        )}
      </Show>
      <Made made={made}>
        <p>{made?.url.endsWith('/cancel') ? 'The policy is cancelled.' : 'The holder is changed.'}</p>
      </Made>
      {policy.value && (
        <>
          <h2>Its claims</h2>
          <Show loaded={claims}>{({ value }) => <Claims claims={value.items} policyId={id} />}</Show>
        </>
      )}
      <Counted />
    </>
  );
}

function Facts({ value, etag }: Resource<Policy>) {
  return (
    <Members>
      <Member name="id">
        <span class="row">
          <code>{value.id}</code> <CopyButton text={value.id} />
        </span>
      </Member>
      <Member name="status">
        <State state={value.status} />
      </Member>
      <Member name="regNumber">
        <strong>{value.regNumber}</strong>
      </Member>
      <Member name="holder">{value.holder === null ? <code>null</code> : <Foreign text={value.holder} />}</Member>
      <Member name="coverageOption">{value.coverageOption}</Member>
      <Member name="startDate">{value.startDate}</Member>
      <Member name="endDate">
        {value.endDate} <span class="muted small">The last day of cover.</span>
      </Member>
      <Member name="createdAt">
        <Time at={value.createdAt} withDate />
      </Member>
      <Member name="updatedAt">
        <Time at={value.updatedAt} withDate />
      </Member>
      <Member name="ETag">
        <code>{etag ?? 'none'}</code>{' '}
        <span class="muted small">A header of the answer. It changes with the policy.</span>
      </Member>
    </Members>
  );
}

interface ChangesProps extends Resource<Policy> {
  readonly path: string;
  readonly send: (...of: Parameters<typeof makeCall>) => Promise<void>;
}

/** What can be done with a policy that is in force. */
function Changes({ value, etag, path, send }: ChangesProps) {
  const [holder, setHolder] = useState(value.holder ?? '');
  if (!isInForce(value)) {
    return (
      <p class="notice">
        A policy that is {value.status} can’t be changed any more. The vehicle can be insured again, with a new policy.
      </p>
    );
  }
  const headers = etag === null ? undefined : { 'If-Match': etag };
  return (
    <>
      <section class="card" aria-label="Change the holder">
        <Form
          submit="Change the holder"
          onSubmit={() => send('PUT', path, { json: { holder }, ...(headers && { headers }) })}
        >
          <Field
            label="Holder"
            value={holder}
            onInput={setHolder}
            about={
              <>
                Sent with <code>If-Match</code> and the ETag shown here: if somebody changed the policy since you loaded
                it, the call is refused, and overwrites nothing.
              </>
            }
          />
        </Form>
      </section>
      <Confirm
        label="Cancel the policy"
        yes="Cancel the policy"
        no="Keep it"
        onConfirm={() => send('POST', `${path}/cancel`, headers && { headers })}
      >
        <p>
          The policy of <Foreign text={value.regNumber} /> ends. There is no way back. The vehicle can then be insured
          again.
        </p>
      </Confirm>
    </>
  );
}

function Claims({ claims, policyId }: { readonly claims: readonly Claim[]; readonly policyId: string }) {
  return (
    <>
      {claims.length === 0 ? (
        <p class="muted">There are none.</p>
      ) : (
        <Table label="Claims on this policy">
          <thead>
            <tr>
              <th scope="col">Claim</th>
              <th scope="col">Status</th>
              <th scope="col">Registered</th>
            </tr>
          </thead>
          <tbody>
            {claims.map(({ claimId, status, registeredAt }) => (
              <tr key={claimId}>
                <th scope="row" class="nowrap">
                  <a href={`#/claims/${encodeURIComponent(claimId)}`}>{claimId}</a>
                </th>
                <td>
                  <State state={status} />
                </td>
                <td>
                  <Time at={registeredAt} withDate />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <p>
        <a class="button" href={`#/claims?policy=${encodeURIComponent(policyId)}`}>
          Register a claim on it
        </a>
      </p>
    </>
  );
}
