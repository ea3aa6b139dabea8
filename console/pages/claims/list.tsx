import { useState } from 'preact/hooks';
import type { Claim, Page as PageOf, Policy } from '../../api/types.ts';
import { newestOf } from '../../model/claim-path.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Counted, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Button, Show, Time } from '../../parts/parts.tsx';
import { me } from '../../state/learner.ts';
import { useNewestFirst } from '../../state/newest-first.ts';
import { changedBelow, useChanges, useResource } from '../../state/owned.ts';
import { route } from '../../state/route.ts';
import { topicLog, useTopic } from '../../state/topic.ts';
import { Register } from './register.tsx';

const path = '/claims/v1/claims';

/** As many as one page can have. */
const policiesPath = '/insurer/v1/policies?pageSize=500';

export function ClaimList() {
  return (
    <Page
      title="Claims"
      about={
        <>
          The claims on your policies, newest first. The claims desk moves each of them by itself; this page hears of it
          by the <a href="#/events">events</a>.
        </>
      }
    >
      <NeedsClient>
        <Claims />
      </NeedsClient>
    </Page>
  );
}

function Claims() {
  useTopic();
  const policy = route.value.query.get('policy') ?? '';
  const [registers, setRegisters] = useState(policy !== '');
  const list = useNewestFirst<Claim>(path, me.peek()?.owns.claims);
  useChanges(changedBelow(path), list.again);
  const policies = useResource<PageOf<Policy>>(policiesPath);
  useChanges(changedBelow('/insurer/v1/policies'), policies.again);
  const plates = new Map(policies.value?.value.items.map(({ id, regNumber }) => [id, regNumber]));
  return (
    <>
      <div class="row actions">
        <Button kind="primary" onPress={() => setRegisters(!registers)} expanded={registers}>
          Register a claim
        </Button>
        <Button onPress={list.again}>Refresh</Button>
      </div>
      {registers && (
        <Register policy={policy} policies={policies} onMade={list.again} onClose={() => setRegisters(false)} />
      )}
      <Show loaded={list}>
        {(value) =>
          value.totalItems === 0 ? (
            <div class="notice">
              <p>
                <strong>You have no claims yet.</strong> Register one, here or by a call of yours, and watch where it
                goes. It needs a <a href="#/policies">policy</a>.
              </p>
            </div>
          ) : (
            <>
              <Rows claims={value.items} plates={plates} />
              <Pager list={value} onPage={list.onPage} newestFirst />
            </>
          )
        }
      </Show>
      <Counted />
    </>
  );
}

interface RowsProps {
  readonly claims: readonly Claim[];
  /** The registration numbers of policies, by their ids. */
  readonly plates: ReadonlyMap<string, string>;
}

function Rows({ claims, plates }: RowsProps) {
  const events = topicLog.value.arrivals.map(({ event }) => event);
  return (
    <Table label="Claims">
      <thead>
        <tr>
          <th scope="col">Claim</th>
          <th scope="col">Status</th>
          <th scope="col">Changed</th>
          <th scope="col" class="wide-only">
            Vehicle
          </th>
        </tr>
      </thead>
      <tbody>
        {claims
          .map((claim) => newestOf(claim, events))
          .map(({ claimId, status, updatedAt, policyNumber }) => (
            <tr key={claimId}>
              <th scope="row" class="nowrap">
                <a href={`#/claims/${encodeURIComponent(claimId)}`}>{claimId}</a>
                <span class="narrow-below muted">
                  <Foreign text={plates.get(policyNumber) ?? ''} />
                </span>
              </th>
              <td>
                <State state={status} />
              </td>
              <td>
                <Time at={updatedAt} withDate />
              </td>
              <td class="wide-only">
                <a href={`#/policies/${encodeURIComponent(policyNumber)}`} title={policyNumber}>
                  {plates.has(policyNumber) ? (
                    <Foreign text={plates.get(policyNumber) as string} />
                  ) : (
                    <code>{policyNumber}</code>
                  )}
                </a>
              </td>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}
