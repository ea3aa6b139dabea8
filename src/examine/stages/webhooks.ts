import type { StageCalls, Step } from '../stage.ts';
import { moving, register, untilEvents } from './claim-steps.ts';
import { insure, narrowToken, withNarrow } from './policy-steps.ts';

const path = '/claims/v1/subscriptions';

/** A subscription, whose secret is kept. Those of other hooks have names of their own. */
const subscribe = (as: string, url = '{hook1}', name = 'sub'): Step => ({
  as,
  method: 'POST',
  path,
  json: { url },
  keep: { [name]: '/id', [`${name}.secret`]: '/secret' },
});

const read = (as: string): Step => ({ as, method: 'GET', path: `${path}/{sub}`, hides: ['sub.secret'] });
const list = (as: string, query = ''): Step => ({ as, method: 'GET', path: `${path}${query}` });
const remove = (as: string): Step => ({ as, method: 'DELETE', path: `${path}/{sub}` });

/** How far a delivery is by then depends on how fast the service is. */
const started: Pick<Step, 'free'> = { free: ['/status', '/attempts', '/attemptCounts', '/nextAttemptAt'] };

const test = (as: string, json?: unknown): Step => ({
  ...{ as, method: 'POST', path: `${path}/{sub}/test`, ...started },
  ...(json !== undefined && { json }),
});

const renew = (as: string, secret: string): Step => ({
  ...{ as, method: 'POST', path: `${path}/{sub}/secret` },
  keep: { [secret]: '/secret' },
});

/** What a hook got: so many calls, signed with these secrets. */
const called = (count: number, secrets: readonly string[] = ['sub.secret'], hook = '{hook1}'): Step => ({
  method: 'POST',
  path: hook,
  wait: { for: 'deliveries', count, secrets },
});

/** What the hook got of a test. Of its event the descriptions tell the claim alone. */
const tested = (count = 1, secrets?: readonly string[], hook?: string): Step => ({
  ...called(count, secrets, hook),
  free: ['/occurredAt', '/data/policyNumber', '/data/previousStatus', '/data/newStatus', '/data/statusReason'],
});

const deliveries = (as: string): Step => ({ as, method: 'GET', path: `${path}/{sub}/deliveries` });

/** A claim whose first event is looked at while there is no second one. */
const slow = moving('ann', '{one}', { paceSeconds: 2 });

const subscribed = [subscribe('ann'), insure('ann', 'one')];

const event = {
  eventId: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  ...{ eventType: 'ClaimStatusChanged', eventVersion: '1.0', occurredAt: '2026-03-02T10:15:40.000Z' },
  source: 'claims-core',
  data: {
    ...{ claimId: 'CLM-2026-000042', policyNumber: 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f' },
    ...{ previousStatus: 'UNDER_REVIEW', newStatus: 'REJECTED', statusReason: 'Für Zoë: “<zu spät>” 🚗' },
  },
};

export const webhooks: StageCalls = {
  reads: 'POST /claims/v1/subscriptions',
  together: true,
  isCalledBack: true,
  cases: [
    // What waits longest comes first.
    {
      title: 'A call that was answered 503 is made again after five seconds.',
      steps: [subscribe('ann', '{hook1}/503'), test('ann'), tested(2, ['sub.secret'], '{hook1}/503')],
    },
    { title: 'A test event is posted at once.', steps: [subscribe('ann'), test('ann'), tested()] },
    { title: 'An event is posted to the URL, signed.', steps: [...subscribed, moving('ann', '{one}'), called(1)] },
    {
      title: 'The events of a claim are posted in order.',
      steps: [...subscribed, moving('ann', '{one}', { outcome: 'REJECTED' }), called(3)],
    },
    {
      title: 'The events of each claim are posted.',
      steps: [...subscribed, slow, slow, called(2)],
    },
    {
      title: 'What is posted is what the topic tells.',
      steps: [...subscribed, moving('ann', '{one}'), called(1), untilEvents('ann', 1, '?limit=1')],
    },
    {
      title: 'Events from before the subscription are not posted.',
      steps: [insure('ann', 'one'), slow, untilEvents('ann', 1), subscribe('ann'), test('ann'), tested()],
    },
    {
      title: 'Events of other clients are not posted.',
      steps: [...subscribed, insure('ben', 'two', '{plate2}'), moving('ben', '{two}'), slow, called(1)],
    },
    {
      title: 'A registration is not posted.',
      steps: [...subscribed, register('ann', '{one}'), test('ann'), tested()],
    },
    {
      title: 'After it was deleted, nothing is posted to its URL.',
      steps: [
        ...[subscribe('ann'), remove('ann'), insure('ann', 'one'), moving('ann', '{one}')],
        ...[untilEvents('ann', 2), called(0)],
      ],
    },
    {
      title: 'Each subscription has a secret of its own.',
      steps: [
        ...subscribed,
        subscribe('ann', '{hook2}', 'other'),
        moving('ann', '{one}'),
        called(1),
        called(1, ['other.secret'], '{hook2}'),
      ],
    },
    {
      title: 'A redirect is not followed.',
      steps: [
        subscribe('ann', '{hook1}/302'),
        test('ann'),
        tested(1, ['sub.secret'], '{hook1}/302'),
        called(0, ['sub.secret'], '{hook2}'),
      ],
    },
    {
      title: 'A call that is answered by a redirect was refused.',
      steps: [
        subscribe('ann', '{hook1}/302'),
        test('ann'),
        { ...deliveries('ann'), wait: { for: 'value', place: '/items/0/attemptCounts/refused', is: '1' } },
      ],
    },
    {
      title: 'An event of one’s own is posted as it is, signed over its bytes.',
      steps: [subscribe('ann'), test('ann', { payload: event }), called(1)],
    },
    {
      title: 'The list of deliveries says what became of them.',
      steps: [
        subscribe('ann'),
        test('ann'),
        tested(),
        { ...deliveries('ann'), wait: { for: 'value', place: '/items/0/status', is: 'delivered' } },
      ],
    },
    {
      title: 'A delivery is made again when it is asked for.',
      steps: [
        subscribe('ann'),
        test('ann'),
        { ...deliveries('ann'), wait: { for: 'value', place: '/items/0/status', is: 'delivered' } },
        { as: 'ann', method: 'POST', path: `${path}/{sub}/deliveries/1/redeliver`, ...started },
        { ...deliveries('ann'), wait: { for: 'value', place: '/items/0/attemptCounts/taken', is: '2' } },
      ],
    },
    {
      title: 'A receiver that answers 410 is not called any more: its subscription is disabled.',
      steps: [
        subscribe('ann', '{hook1}/410'),
        test('ann'),
        { ...read('ann'), free: ['/lastDelivery'], wait: { for: 'value', place: '/status', is: 'disabled' } },
        test('ann'),
      ],
    },
    {
      title: 'For a day after it was replaced, a secret signs beside the new one.',
      steps: [subscribe('ann'), renew('ann', 'new'), test('ann'), tested(1, ['new', 'sub.secret'])],
    },
    {
      title: 'Two secrets sign at the most.',
      steps: [subscribe('ann'), renew('ann', 'new'), renew('ann', 'newest'), test('ann'), tested(1, ['newest', 'new'])],
    },
    { title: 'A subscription has its id, its URL and its secret.', steps: [subscribe('ann')] },
    { title: 'It can be read, without its secret.', steps: [subscribe('ann'), read('ann')] },
    {
      title: 'The list has them, the oldest first, without secrets.',
      steps: [
        subscribe('ann'),
        subscribe('ann', '{hook2}', 'other'),
        { ...list('ann'), hides: ['sub.secret', 'other.secret'] },
        list('ann', '?page=2&pageSize=1'),
      ],
    },
    { title: 'A URL can have several.', steps: [subscribe('ann'), subscribe('ann', '{hook1}', 'other'), list('ann')] },
    {
      title: 'Another client finds none of it.',
      steps: [subscribe('ann'), read('ben'), list('ben'), remove('ben'), test('ben')],
    },
    {
      title: 'Another client deletes nothing.',
      steps: [subscribe('ann'), remove('ben'), read('ann')],
    },
    {
      title: 'Another client gets no secret of it.',
      steps: [subscribe('ann'), renew('ben', 'new'), deliveries('ben')],
    },
    {
      title: 'One that was deleted is not found any more.',
      steps: [subscribe('ann'), remove('ann'), read('ann'), remove('ann'), list('ann')],
    },
    {
      title: 'A body that breaks a rule is refused.',
      steps: [{}, { url: '' }, { url: 'claims' }, { url: 7 }, { url: '{hook1}', via: 'mail' }].map((json) => ({
        ...{ as: 'ann', method: 'POST', path, json },
      })),
    },
    {
      title: 'A URL that is no address of a receiver is refused.',
      steps: [
        ...['ftp://127.0.0.1/', 'http://ann:secret@127.0.0.1:9/', 'http://10.1.2.3/', 'http://169.254.169.254/'],
        'http://192.168.1.1/',
      ].map((url) => ({ as: 'ann', method: 'POST', path, json: { url } })),
    },
    {
      title: 'It needs both scopes of claims.',
      steps: [...narrowToken('claims:read'), { method: 'POST', path, headers: withNarrow, json: { url: '{hook1}' } }],
    },
    { title: 'It needs a token.', steps: [{ method: 'POST', path, json: { url: '{hook1}' } }] },
    {
      title: 'A subscription is not changed by PUT.',
      steps: [subscribe('ann'), { as: 'ann', method: 'PUT', path: `${path}/{sub}`, json: { url: '{hook2}' } }],
    },
  ],
};
