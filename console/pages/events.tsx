import { Fragment } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { claimStages } from '../../src/claims/claim.ts';
import { isInForce } from '../../src/insurer/policy-status.ts';
import { counted } from '../../src/text/counted.ts';
import { read } from '../api/call.ts';
import { credentials } from '../api/session.ts';
import type { Page as PageOf, Policy } from '../api/types.ts';
import { visible } from '../model/line.ts';
import { freshPlate } from '../model/plate.ts';
import { type Arrival, maxKept, topicPath } from '../model/topic-log.ts';
import { Foreign } from '../parts/contained.tsx';
import { Made, State } from '../parts/owned.tsx';
import { focusTitle, NeedsClient, Page } from '../parts/page.tsx';
import { Button, Choice, LoadingPart } from '../parts/parts.tsx';
import { type MadeCall, makeCall } from '../state/owned.ts';
import { replace, route } from '../state/route.ts';
import { repeats, topicLog, topicStream, useTopic, whyEmpty } from '../state/topic.ts';
import { Event } from './events/event.tsx';
import { StreamState } from './events/stream-state.tsx';

const shownAtOnce = 50;

export default function Events() {
  return (
    <Page
      title="Events"
      about={
        <>
          The topic <code>claims.status-changed</code>, live: this page has a stream open, as a program of yours would.
          Some events come twice, on purpose. Process each <code>eventId</code> once.
        </>
      }
    >
      <NeedsClient>
        <Stream />
      </NeedsClient>
    </Page>
  );
}

function Stream() {
  useTopic();
  const { query } = route.value;
  const [claim, order, at] = [query.get('claim') ?? '', query.get('order') ?? 'newest', Number(query.get('at'))];
  const [most, setMost] = useState(shownAtOnce);
  const { arrivals, came, duplicates } = topicLog.value;

  const byNumber = new Map(arrivals.map((arrival) => [arrival.number, arrival]));
  const of = arrivals.filter(({ event }) => claim === '' || event.data.claimId === claim);
  const ordered = order === 'oldest' ? of : of.toReversed();
  // One that is linked to is shown, however far down it is.
  const needed = at > 0 ? ordered.findIndex(({ number }) => number === at) + 1 : 0;
  const shown = ordered.slice(0, Math.max(most, needed));

  /** What is chosen stays, but for what changes. */
  const link = useCallback(
    (change: Record<string, string>) => {
      const wanted = Object.entries({ claim, order, ...change });
      const kept = wanted.filter(([name, value]) => value !== '' && !(name === 'order' && value === 'newest'));
      return `#/events?${new URLSearchParams(kept)}`;
    },
    [claim, order],
  );
  const choose = (change: Record<string, string>) => replace(link(change).slice(1));
  return (
    <>
      <StreamState />
      <div class="row filters">
        <Choice
          label="Claim"
          value={claim}
          options={claimOptions(arrivals, claim)}
          onChange={(to) => choose({ claim: to })}
        />
        <Choice
          label="Order"
          value={order}
          options={[
            ['newest', 'Newest first'],
            ['oldest', 'Oldest first'],
          ]}
          onChange={(to) => choose({ order: to })}
        />
        <p class="muted small">
          {counted(came, 'event')} came
          {duplicates > 0 && `, ${duplicates} of them ${duplicates === 1 ? 'a duplicate' : 'duplicates'}`}.
          {came > arrivals.length && ` The last ${maxKept} are kept here.`}
          {came > 0 && ' The number after a claim counts its changes: #2 is the second.'}
        </p>
      </div>
      {shown.length === 0 ? (
        <Empty claim={claim} />
      ) : (
        <ol class="plain timeline events" aria-label="Events">
          {shown.map((arrival) => (
            <Event
              key={arrival.number}
              arrival={arrival}
              first={arrival.first === undefined ? undefined : byNumber.get(arrival.first)}
              again={repeats.value.get(arrival.number)}
              isTarget={arrival.number === at}
              link={link}
            />
          ))}
        </ol>
      )}
      {shown.length < ordered.length && (
        <Button onPress={() => setMost(shown.length + shownAtOnce)}>Show {shownAtOnce} more</Button>
      )}
      {topicStream.value !== 'connecting' && (
        <p class="muted small apart">
          The stream is one call, <code>GET {topicPath}?after=earliest</code> with{' '}
          <code>Accept: text/event-stream</code>. However long it lasts, it counts once against the limit of your
          address.
        </p>
      )}
    </>
  );
}

function claimOptions(arrivals: readonly Arrival[], chosen: string): (readonly [string, string])[] {
  const ids = new Set([...arrivals.map(({ event }) => event.data.claimId), ...(chosen ? [chosen] : [])]);
  return [['', 'All claims'], ...[...ids].sort().map((id) => [id, visible(id)] as const)];
}

function Empty({ claim }: { readonly claim: string }) {
  if (topicStream.value !== 'live') return <LoadingPart />;
  return (
    <div class="notice">
      {claim ? (
        <p>
          <strong>
            There is no event of <Foreign text={claim} most={80} />.
          </strong>{' '}
          The first one reports its first change, when the time of its pace has passed after it was registered. Events
          are removed after seven days: how it stands now is on{' '}
          <a href={`#/claims/${encodeURIComponent(claim)}`}>its own page</a>.
        </p>
      ) : (
        <FirstClaim />
      )}
    </div>
  );
}

/** The life of a claim, of which each step is an event, and a way to see one. */
function FirstClaim() {
  const [made, setMade] = useState<MadeCall>();
  const make = async () => {
    const call = await claimAtOnce();
    setMade(call);
    if (call.answer) focusTitle();
  };
  return (
    <>
      <p>{whyEmpty.value} This is the life of a claim. Each step after the first is an event:</p>
      <ol class="plain timeline" aria-label="The life of a claim">
        {claimStages.map((statuses) => (
          <li key={statuses[0]} class="later">
            <span class="row">
              {statuses.map((status, at) => (
                <Fragment key={status}>
                  {at > 0 && 'or'} <State state={status} />
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <Button kind="primary" onPress={make}>
        Make a claim, and watch
      </Button>
      <Made made={made}>
        <p>Its events come here, one a second.</p>
      </Made>
    </>
  );
}

/** Registers a claim that changes each second, on a policy that is in force; without one a vehicle is insured first. */
async function claimAtOnce(): Promise<MadeCall> {
  const { items } = await read<PageOf<Policy>>('/insurer/v1/policies?pageSize=500');
  let policy = items.find(isInForce);
  if (!policy) {
    const regNumber = freshPlate(credentials.peek()?.clientId ?? '');
    const insured = await makeCall('POST', '/insurer/v1/policies', { json: { regNumber } });
    if (!insured.answer) return insured;
    policy = JSON.parse(insured.answer.text) as Policy;
  }
  return makeCall('POST', '/claims/v1/claims', { json: { policyNumber: policy.id, paceSeconds: 1 } });
}
