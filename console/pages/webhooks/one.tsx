import { useState } from 'preact/hooks';
import type { Delivery, Subscription, SubscriptionSecret } from '../../api/types.ts';
import { whenFrom } from '../../model/duration.ts';
import { exampleEvent } from '../../model/own-data.ts';
import { BodyForm, type Sent } from '../../parts/body-form.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Foreign } from '../../parts/contained.tsx';
import { Counted, Made, Member, Members, State } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Button, Code, CopyButton, Notice, Show, Time } from '../../parts/parts.tsx';
import { me } from '../../state/learner.ts';
import { useNewestFirst } from '../../state/newest-first.ts';
import { clientNow, useClientNow } from '../../state/now.ts';
import { changedBelow, type MadeCall, makeCall, useChanges, useResource } from '../../state/owned.ts';
import { go } from '../../state/route.ts';
import { Deliveries } from './deliveries.tsx';
import { Inbox } from './inbox.tsx';
import { Calls, replaceSecret, subscriptionsPath } from './list.tsx';
import { Relay } from './relay.tsx';
import { mayHaveLost } from './retained-deliveries.ts';
import { type Waiting, whyWaiting } from './waiting.ts';

export function OneSubscription({ id }: { readonly id: string }) {
  return (
    <Page title="Subscription" actions={<a href="#/webhooks">All subscriptions</a>}>
      <NeedsClient>
        <LoadedSubscription id={id} />
      </NeedsClient>
    </Page>
  );
}

function LoadedSubscription({ id }: { readonly id: string }) {
  const path = `${subscriptionsPath}/${encodeURIComponent(id)}`;
  const subscription = useResource<Subscription>(path);
  const deliveries = useNewestFirst<Delivery>(`${path}/deliveries`);
  const again = () => {
    subscription.again();
    deliveries.again();
  };
  useChanges(
    (exchange) => exchange.delivery?.subscriptionId === id || changedBelow(subscriptionsPath)(exchange),
    again,
  );
  /** `number`: of the delivery beside which the button was. */
  const [made, setMade] = useState<{ readonly call: MadeCall; readonly number?: number | undefined }>();
  const [own, setOwn] = useState(false);
  const send = async (
    method: string,
    below = '',
    { number, ...sent }: { readonly number?: number } & Partial<Sent> = {},
  ) => {
    const call = await makeCall(method, path + below, sent);
    setMade({ call, number });
    if (call.answer && below === '/secret') replaceSecret(id, JSON.parse(call.answer.text).secret);
    if (call.answer && method === 'DELETE') go('/webhooks');
    else again();
  };
  return (
    <>
      <Show loaded={subscription}>
        {({ value }) => (
          <>
            <p class="row">
              <State state={value.status} />
              <span>
                <Calls via={value.via} url={value.url} />
              </span>
            </p>
            <div class="row actions">
              {value.status === 'disabled' ? (
                <Button kind="primary" onPress={() => send('POST', '/enable')}>
                  Enable it
                </Button>
              ) : (
                <>
                  <Button kind="primary" onPress={() => send('POST', '/test')}>
                    Send a test event
                  </Button>
                  <Button onPress={() => setOwn(!own)} expanded={own}>
                    Send an event of your own
                  </Button>
                </>
              )}
              <Confirm plain label="New secret" yes="Get a new secret" onConfirm={() => send('POST', '/secret')}>
                <p>
                  For 24 hours of your clock each call is signed with the secret of today as well. One that was before
                  it signs no more.
                </p>
              </Confirm>
              <Button onPress={again}>Refresh</Button>
              <a href="#/traffic?kind=delivery">Deliveries in Traffic</a>
            </div>
            <Standing subscription={value} />
            {own && (
              <BodyForm
                label="Send an event of your own"
                submit="Send it"
                example={exampleEvent(clientNow())}
                about={
                  <>
                    <code>payload</code> is the event, as the topic has them, of version 1.0 or 1.1. It is delivered as
                    it stands, signed.
                  </>
                }
                onSend={(sent) => send('POST', '/test', sent)}
                onClose={() => setOwn(false)}
              />
            )}
            {made && made.number === undefined && (
              <Made made={made.call}>
                <Outcome made={made.call} deliveries={deliveries.value?.items ?? []} status={value.status} />
              </Made>
            )}
            {value.via === 'relay' && <Relay isOfOne />}
            {value.via === 'inbox' && (
              <Inbox
                subscriptionId={id}
                isSent={made !== undefined && isTest(made.call) && made.call.answer !== undefined}
              />
            )}
            <h2>Deliveries</h2>
            <Show loaded={deliveries}>
              {(list) => (
                <>
                  <Deliveries
                    deliveries={list.items}
                    status={value.status}
                    createdAt={value.createdAt}
                    onRedeliver={(number) => send('POST', `/deliveries/${number}/redeliver`, { number })}
                    below={(number) =>
                      made?.number === number && (
                        <Made made={made.call}>
                          <p>The delivery is sent again.</p>
                        </Made>
                      )
                    }
                  />
                  <Pager list={list} onPage={deliveries.onPage} newestFirst />
                </>
              )}
            </Show>
            <h2>Details</h2>
            <Facts subscription={value} />
            <Confirm
              label="Delete the subscription"
              yes="Delete the subscription"
              no="Keep it"
              onConfirm={() => send('DELETE')}
            >
              <p>
                Now <Calls via={value.via} url={value.url} />. What is still to be delivered is cancelled, and the list
                of deliveries goes with it.
              </p>
            </Confirm>
          </>
        )}
      </Show>
      <Counted />
    </>
  );
}

const isTest = ({ url }: MadeCall) => url.endsWith('/test');

interface OutcomeProps extends Pick<Waiting, 'deliveries' | 'status'> {
  readonly made: MadeCall;
}

/** What came of the call: for a test event, what became of its delivery by now. */
function Outcome({ made, deliveries, status }: OutcomeProps) {
  const now = useClientNow();
  if (made.url.endsWith('/secret')) return <Renewed renewed={JSON.parse(made.answer?.text ?? '{}')} />;
  if (!isTest(made)) return <p>The subscription is active. What is open is delivered at once.</p>;
  const sent: Delivery = JSON.parse(made.answer?.text ?? '{}');
  const delivery = deliveries.find(({ number }) => number === sent.number) ?? sent;
  const last = delivery.attempts.at(-1);
  return (
    <p role="status">
      Delivery {delivery.number}: <State state={delivery.status} />{' '}
      {last ? (
        <>
          {last.error === null ? `It was answered ${last.responseStatus}` : `There was no answer: ${last.error}`}.
          {last.responseBody !== null && (
            <>
              {' '}
              It said <code class="receiver-said wrapped">{last.responseBody}</code>
            </>
          )}
        </>
      ) : (
        (whyWaiting(delivery, { deliveries, status, drills: me.value?.drills ?? [], now }) ??
        `It is on its way. Its claim is ${delivery.claimId}${delivery.claimId.endsWith('-000000') ? ', which no claim has' : ''}.`)
      )}
    </p>
  );
}

function Renewed({ renewed: { secret, previousValidUntil } }: { readonly renewed: SubscriptionSecret }) {
  return (
    <>
      <p>
        <strong>Keep this secret now: it is shown only once.</strong> Calls are signed with the one before as well until{' '}
        <Time at={previousValidUntil} withDate />.
      </p>
      <Code text={secret} label="Secret" />
    </>
  );
}

const delays = {
  'pending-deliveries':
    'Too many deliveries to it are open. New events wait until your receiver takes those: see below why it does not.',
  'stored-bytes':
    'This client has as many bytes of events and deliveries stored as it may. Delete a subscription that you don’t need, or wait: they are removed after seven days.',
} as const;

/** What is wrong with a subscription, and what to do. */
function Standing({ subscription }: { readonly subscription: Subscription }) {
  const { status, disabledAt, disabledReason, delayed, missedEvents } = subscription;
  return (
    <>
      {status === 'disabled' && (
        <Notice mood="bad">
          <p>
            <strong>
              Disabled since <Time at={disabledAt ?? ''} withDate />.
            </strong>{' '}
            {disabledReason}
          </p>
          <p>
            Nothing is lost: what is open stays open, and new events stay in the log for seven days. Start your
            receiver, then enable the subscription.
          </p>
        </Notice>
      )}
      {delayed !== null && (
        <Notice mood="warn">
          <strong>Delayed.</strong> {delays[delayed]}
        </Notice>
      )}
      {missedEvents > 0 && (
        <Notice mood="warn">
          <strong>{missedEvents} events were missed:</strong> they could not be delivered within their seven days. Read
          the list of claims again.
        </Notice>
      )}
    </>
  );
}

function Facts({ subscription }: { readonly subscription: Subscription }) {
  const { id, via, url, answers, status, createdAt, lastDelivery, missedEvents } = subscription;
  const next = lastDelivery?.nextAttemptAt ?? null;
  const now = useClientNow(next !== null);
  return (
    <Members>
      <Member name="id">
        <span class="row">
          <code>{id}</code> <CopyButton text={id} />
        </span>
      </Member>
      <Member name="via">{via}</Member>
      {url !== null && (
        <Member name="url">
          <Foreign text={url} />
        </Member>
      )}
      {answers && <Member name="answers">{answers.length > 0 ? `${answers.join(', ')}, then 204` : '204'}</Member>}
      <Member name="status">
        <State state={status} />
      </Member>
      <Member name="createdAt">
        <Time at={createdAt} withDate />
      </Member>
      <Member name="missedEvents">{missedEvents}</Member>
      <Member name="lastDelivery">
        {lastDelivery ? (
          <>
            Number {lastDelivery.number}, tried at <Time at={lastDelivery.attemptedAt} withDate />:{' '}
            {lastDelivery.failure ?? 'taken.'}
            {next !== null && (
              <>
                {' '}
                It is tried again at <Time at={next} withDate />, {whenFrom(Date.parse(next), now)}.
              </>
            )}
          </>
        ) : (
          <span class="muted">
            {mayHaveLost({ createdAt }, now)
              ? 'None in the last seven days; older ones were removed.'
              : 'None was tried yet.'}{' '}
            Send a test event.
          </span>
        )}
      </Member>
      <Member name="secret">
        <span class="muted">It was shown once, when it was made.</span>
      </Member>
    </Members>
  );
}
