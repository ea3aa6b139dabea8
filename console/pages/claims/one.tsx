import type { Claim, Policy } from '../../api/types.ts';
import { claimPath, newestOf, type Station } from '../../model/claim-path.ts';
import { span, whenFrom } from '../../model/duration.ts';
import { visible } from '../../model/line.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Counted, Member, Members, State } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, CopyButton, LoadingPart, Show, Time } from '../../parts/parts.tsx';
import { useClientNow } from '../../state/now.ts';
import { useResource } from '../../state/owned.ts';
import { topicLog, topicStream, useTopic } from '../../state/topic.ts';
import { Documents } from './documents.tsx';
import { useRequest } from './request.ts';

export function OneClaim({ id }: { readonly id: string }) {
  return (
    <Page title="Claim" id={visible(id).slice(0, 80)} actions={<a href="#/claims">All claims</a>}>
      <NeedsClient>
        <LoadedClaim id={id} />
      </NeedsClient>
    </Page>
  );
}

function LoadedClaim({ id }: { readonly id: string }) {
  useTopic();
  const claim = useResource<Claim>(`/claims/v1/claims/${encodeURIComponent(id)}`);
  return (
    <>
      <p class="row actions">
        <Button onPress={claim.again}>Refresh</Button>
        <a class="button" href={`#/events?claim=${encodeURIComponent(id)}`}>
          Its events
        </a>
      </p>
      <Show loaded={claim}>
        {({ value }) => (
          <>
            <ShownClaim claim={value} />
            <Documents claimId={id} />
          </>
        )}
      </Show>
      <Counted />
    </>
  );
}

function ShownClaim({ claim: read }: { readonly claim: Claim }) {
  const { arrivals } = topicLog.value;
  const claim = newestOf(
    read,
    arrivals.map(({ event }) => event),
  );
  const policy = useResource<Policy>(`/insurer/v1/policies/${encodeURIComponent(claim.policyNumber)}`);
  const open = claim.status !== 'CLOSED';
  const request = useRequest(claim.claimId, claim.status === 'REGISTERED' || claim.status === 'UNDER_REVIEW');
  const { stations, paceSeconds } = claimPath(read, arrivals, request);
  const now = useClientNow(open);
  return (
    <div class="one">
      <Members>
        <Member name="claimId">
          <span class="row">
            <code>{claim.claimId}</code> <CopyButton text={claim.claimId} />
          </span>
        </Member>
        <Member name="policyNumber">
          <a href={`#/policies/${encodeURIComponent(claim.policyNumber)}`}>
            <code>{claim.policyNumber}</code>
          </a>
          {policy.value && (
            <>
              {' '}
              <span class="together">
                of vehicle <Foreign text={policy.value.value.regNumber} />
              </span>
            </>
          )}
        </Member>
        <Member name="status">
          <State state={claim.status} />
        </Member>
        <Member name="statusReason">{claim.statusReason ?? <code>null</code>}</Member>
        <Member name="registeredAt">
          <Time at={claim.registeredAt} withDate />
        </Member>
        <Member name="updatedAt">
          <Time at={claim.updatedAt} withDate />
        </Member>
      </Members>
      <section aria-label="Its path">
        {topicStream.value === 'connecting' ? (
          <LoadingPart />
        ) : (
          <>
            <ol class="plain timeline">
              {stations.map((station) => (
                <Stop key={station.state + station.statuses.join()} station={station} now={now} />
              ))}
            </ol>
            <p class="muted small">{paceText(paceSeconds)}</p>
          </>
        )}
      </section>
    </div>
  );
}

function paceText(paceSeconds: number | undefined): string {
  if (paceSeconds === undefined) {
    return 'The interface does not show the pace of a claim, and the request that registered it is not in your log any more. The first change will tell it.';
  }
  return `Its pace: ${span(paceSeconds * 1000)} between two changes, the paceSeconds of the request that registered it. Registering is not a change of status, so no event reports it.`;
}

function Stop({ station, now }: { readonly station: Station; readonly now: number }) {
  const { statuses, state, at, reason, arrivals } = station;
  return (
    <li class={state} aria-current={state === 'here' ? 'step' : undefined}>
      <span class="row">
        {statuses.map((status, index) => (
          <span key={status} class="row">
            {index > 0 && 'or'} <State state={status} />
          </span>
        ))}
      </span>
      <div class={state === 'later' ? 'muted' : undefined}>
        {state === 'next' && (
          <>
            <strong>next</strong>,{' '}
          </>
        )}
        {at === undefined ? (
          'nobody knows when'
        ) : (
          <>
            {state === 'later' && 'expected '}
            <Time at={at} withDate />
            {state === 'next' && `, ${whenFrom(Date.parse(at), now)}`}
          </>
        )}
      </div>
      {reason !== null && <p>{reason}</p>}
      {arrivals.length > 0 && (
        <p class="muted small">
          {arrivals.length > 1 ? `Its event came ${arrivals.length} times, as ` : 'Its event came as '}
          {arrivals.map(({ number, cursor }, index) => (
            <span key={number}>
              {index > 0 && ', '}
              <a href={`#/events?at=${number}`}>{cursor}</a>
            </span>
          ))}
          .
        </p>
      )}
    </li>
  );
}
