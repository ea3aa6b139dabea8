import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { credentials } from '../../api/session.ts';
import type { Page as PageOf, Subscription, SubscriptionWithSecret } from '../../api/types.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Counted, Made, State, Table } from '../../parts/owned.tsx';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Button, Choice, Code, Field, Show, Status, Time } from '../../parts/parts.tsx';
import { clientNow } from '../../state/now.ts';
import { changedBelow, type MadeCall, makeCall, useChanges, useResource } from '../../state/owned.ts';
import { Receive } from './receive.tsx';
import { Relay } from './relay.tsx';
import { mayHaveLost } from './retained-deliveries.ts';

export const subscriptionsPath = '/claims/v1/subscriptions';

/** That of the receiver in the repository, if it is not told another port. */
const usualUrl = 'http://127.0.0.1:9000/claims';

/** The last subscription that was made here: its secret is kept until it is put away, or the page is loaded again. */
const created = signal<{ readonly of: string | undefined; readonly subscription: SubscriptionWithSecret } | undefined>(
  undefined,
);

/** Keeps the new secret of a subscription, if the page Webhooks still shows the one before. */
export function replaceSecret(id: string, secret: string): void {
  const { of, subscription } = created.peek() ?? {};
  if (subscription?.id === id) created.value = { of, subscription: { ...subscription, secret } };
}

export function SubscriptionList() {
  return (
    <Page
      title="Webhooks"
      about="A subscription has each event of your claims posted to an address of yours, signed, and sent again until you answer 2xx."
    >
      <NeedsClient>
        <Subscriptions />
      </NeedsClient>
    </Page>
  );
}

function Subscriptions() {
  const list = useResource<PageOf<Subscription>>(`${subscriptionsPath}?pageSize=100`);
  useChanges((exchange) => exchange.kind === 'delivery' || changedBelow(subscriptionsPath)(exchange), list.again);
  const [subscribes, setSubscribes] = useState<Via>();
  const fresh = created.value?.of === credentials.value?.clientId ? created.value?.subscription : undefined;
  // An inbox needs no receiver. The list has the newest last, but not yet what was just made here.
  const called = list.value?.value.items.filter(({ url }) => url !== null) ?? [];
  const newest = fresh?.url && !called.some(({ id }) => id === fresh.id) ? fresh : called.at(-1);
  return (
    <>
      <div class="row actions">
        <Button
          kind="primary"
          onPress={() => setSubscribes(subscribes ? undefined : 'direct')}
          expanded={subscribes !== undefined}
        >
          New subscription
        </Button>
        <Button onPress={list.again}>Refresh</Button>
        <a href="#/traffic?kind=delivery">Deliveries in Traffic</a>
      </div>
      {fresh && <Secret key={fresh.id} subscription={fresh} />}
      {subscribes && (
        <Subscribe key={subscribes} first={subscribes} onMade={list.again} onClose={() => setSubscribes(undefined)} />
      )}
      <Show loaded={list}>
        {({ value }) =>
          value.totalItems === 0 ? (
            <div class="notice">
              <p>
                <strong>You have no subscriptions yet.</strong> Begin with the inbox: it needs no receiver, and shows
                each call with its signature. If you have a receiver, make a subscription with its address.
              </p>
              <Button onPress={() => setSubscribes('inbox')}>Begin without a receiver</Button>
            </div>
          ) : (
            <Rows subscriptions={value.items} />
          )
        }
      </Show>
      {list.value?.value.items.some(({ via }) => via === 'relay') && <Relay />}
      {(list.value || list.error) && (
        <>
          <Receive
            open={list.value?.value.totalItems === 0 || fresh !== undefined}
            secret={newest?.id === fresh?.id ? fresh?.secret : undefined}
            url={newest?.url ?? usualUrl}
          />
          <Counted />
        </>
      )}
    </>
  );
}

type Via = Subscription['via'];

/** How calls go out, as a learner sees it. */
const ways: readonly (readonly [Via, string, string])[] = [
  ['direct', 'To this address', 'L-Plate calls your receiver itself, from where it runs.'],
  [
    'relay',
    'Through a relay, a program on my computer',
    'Your receiver is where L-Plate can’t reach it, such as on your own computer. The relay calls it there: once you have subscribed, this page tells how to start it.',
  ],
  [
    'inbox',
    'Into the inbox',
    'You need no receiver: nobody is called, and each call lies on the page of the subscription, signed.',
  ],
];

interface SubscribeProps {
  /** The way that is chosen first. */
  readonly first: Via;
  readonly onMade: () => void;
  readonly onClose: () => void;
}

function Subscribe({ first, onMade, onClose }: SubscribeProps) {
  const [via, setVia] = useState(first);
  const [url, setUrl] = useState(usualUrl);
  const [answers, setAnswers] = useState('');
  const [made, setMade] = useState<MadeCall>();
  const subscribe = async () => {
    const call = await makeCall('POST', subscriptionsPath, { json: draft(via, url, answers) });
    setMade(call);
    if (!call.answer) return;
    created.value = { of: credentials.peek()?.clientId, subscription: JSON.parse(call.answer.text) };
    onMade();
  };
  return (
    <section class="card" aria-label="New subscription">
      <Form submit="Subscribe" onSubmit={subscribe} beside={<Button onPress={onClose}>Close</Button>}>
        <Choice
          label="How its calls go out"
          value={via}
          options={ways.map(([name, text]) => [name, text])}
          onChange={setVia}
        />
        <p class="muted small">{ways.find(([name]) => name === via)?.[2]}</p>
        {via === 'inbox' ? (
          <Field
            label="Statuses that the inbox answers (optional)"
            value={answers}
            onInput={setAnswers}
            placeholder="such as 503 503 204"
            about="If you want to see how L-Plate tries again: one for each call, at most 20; then 204."
          />
        ) : (
          <Field
            label="Address of your receiver"
            type="text"
            value={url}
            onInput={setUrl}
            mono
            about="http or https. Each event is posted to it, from now on."
          />
        )}
      </Form>
      <Made made={made}>
        <p>
          The subscription is there.{' '}
          {created.value ? 'Its secret is above.' : 'Open it in the list below, and send a test event.'}
        </p>
      </Made>
    </section>
  );
}

function draft(via: Via, url: string, answers: string): object {
  const statuses = answers.match(/[^\s,]+/g)?.map(Number);
  if (via === 'inbox') return { via, ...(statuses && { answers: statuses }) };
  return { url, ...(via === 'relay' && { via }) };
}

function Secret({ subscription: { id, via, url, secret } }: { readonly subscription: SubscriptionWithSecret }) {
  const section = useRef<HTMLElement>(null);
  // It comes above the button that made it.
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section class="notice warn" aria-label="The secret of the new subscription" ref={section}>
      <p>
        <strong>Keep this secret now: it is shown only once.</strong> Your receiver checks the signatures with it. If
        you lose it, get a new one on the page of the subscription.
        {url !== null && ' Until you press “I have kept it”, the command of the receiver, below, has it filled in.'}
      </p>
      <p class="small">
        Of <code>{id}</code>: <Calls via={via} url={url} />
      </p>
      <Code text={secret} label="Secret" />
      <p class="row">
        <Button
          onPress={() => {
            created.value = undefined;
          }}
        >
          I have kept it
        </Button>
        <span>
          {url === null ? 'Next' : 'Once your receiver runs'},{' '}
          <a href={`#/webhooks/${encodeURIComponent(id)}`}>open the subscription</a> and send a test event.
        </span>
      </p>
    </section>
  );
}

/** Where the calls of a subscription go, within a sentence. */
export function Calls({ via, url }: Pick<Subscription, 'via' | 'url'>) {
  if (url === null) return <>its calls lie in the inbox</>;
  return (
    <>
      {via === 'relay' ? 'your relay calls ' : 'it calls '}
      <Foreign text={url} />
    </>
  );
}

function Rows({ subscriptions }: { readonly subscriptions: readonly Subscription[] }) {
  return (
    <Table label="Subscriptions">
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col" class="wide-only">
            Status
          </th>
          <th scope="col">Last delivery</th>
          <th scope="col" class="wide-only">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {subscriptions.map(({ id, via, url, status, delayed, lastDelivery, createdAt }) => (
          <tr key={id}>
            <th scope="row" class="wraps">
              <a href={`#/webhooks/${encodeURIComponent(id)}`}>{url === null ? 'Inbox' : <Foreign text={url} />}</a>
              {via === 'relay' && ' by relay'}
              <span class="narrow-below">
                <Standing status={status} delayed={delayed} />
              </span>
            </th>
            <td class="wide-only">
              <Standing status={status} delayed={delayed} />
            </td>
            <td>
              {lastDelivery ? (
                <span class="row">
                  <Status status={lastDelivery.responseStatus ?? 0} />
                  <Time at={lastDelivery.attemptedAt} withDate />
                </span>
              ) : (
                <span class="muted">{mayHaveLost({ createdAt }, clientNow()) ? 'none in seven days' : 'none yet'}</span>
              )}
            </td>
            <td class="wide-only">
              <Time at={createdAt} withDate />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Standing({ status, delayed }: Pick<Subscription, 'status' | 'delayed'>) {
  return (
    <>
      <State state={status} /> {delayed !== null && <span class="badge warn">delayed</span>}
    </>
  );
}
