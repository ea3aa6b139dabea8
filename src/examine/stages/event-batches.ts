import type { StageCalls, Step } from '../stage.ts';
import { batch, moving, register, topic, untilEvents, untilStatus } from './claim-steps.ts';
import { cancel, insure, narrowToken, withNarrow } from './policy-steps.ts';

const moved = [insure('ann', 'one'), moving('ann', '{one}')];
/** A claim whose first event is looked at while there is no second one. */
const slow = moving('ann', '{one}', { paceSeconds: 2 });
/** One event, and the cursor after it. */
const first = untilEvents('ann', 1, '?limit=1');
/** Called before there is an event. */
const longPoll: Step = { ...batch('ann', '?wait=5'), wait: { for: 'answer' } };

export const eventBatches: StageCalls = {
  reads: 'GET /claims/v1/topics/claims.status-changed',
  together: true,
  cases: [
    { title: 'The first move of a claim is an event.', steps: [...moved, first] },
    { title: 'Reading removes nothing.', steps: [...moved, first, batch('ann', '?after=earliest&limit=1')] },
    {
      title: 'A cursor from before an event leads to it.',
      steps: [batch('ann'), ...moved, untilEvents('ann', 1, '?after={next}')],
    },
    {
      title: 'latest is a cursor from which new events follow.',
      steps: [batch('ann', '?after=latest'), ...moved, untilEvents('ann', 1, '?after={next}')],
    },
    {
      title: 'The cursor of a batch leads to the event after it.',
      steps: [...moved, first, untilEvents('ann', 1, '?after={next}')],
    },
    {
      title: 'The cursor of the last event leads to no event.',
      steps: [insure('ann', 'one'), slow, untilEvents('ann', 1, '?after=earliest'), batch('ann', '?after={next}')],
    },
    {
      title: 'The cursor of an empty batch stays where it was.',
      steps: [...moved, batch('ann'), batch('ann', '?after={next}'), untilEvents('ann', 1, '?after={next}')],
    },
    {
      title: 'latest is after all events.',
      steps: [insure('ann', 'one'), slow, untilStatus('ann', 'UNDER_REVIEW'), batch('ann', '?after=latest')],
    },
    {
      title: 'A batch has at most as many events as limit, and the next goes on.',
      steps: [
        ...[insure('ann', 'one'), slow, slow],
        untilEvents('ann', 2),
        { ...batch('ann'), wait: { for: 'batches', count: 2, limit: 1 } },
      ],
    },
    {
      title: 'Batches of two events have them all.',
      steps: [
        ...[insure('ann', 'one'), slow, slow, slow],
        untilEvents('ann', 3),
        { ...batch('ann'), wait: { for: 'batches', count: 3, limit: 2 } },
      ],
    },
    {
      title: 'With wait, the answer comes as soon as there is an event.',
      steps: [...moved, longPoll],
    },
    {
      title: 'With wait, events that are there are answered at once.',
      steps: [...moved, first, { ...batch('ann', '?wait=5&limit=1'), wait: { for: 'answer' } }],
    },
    {
      title: 'A wait that nothing comes in ends with an empty batch.',
      steps: [insure('ann', 'one'), register('ann', '{one}'), { ...batch('ann', '?wait=1'), wait: { for: 'answer' } }],
    },
    {
      title: 'Another client is told nothing of it.',
      steps: [...moved, first, batch('ben')],
    },
    {
      title: 'The wait of another client goes on.',
      steps: [
        ...moved,
        insure('ben', 'two', '{plate2}'),
        moving('ben', '{two}', { paceSeconds: 2 }),
        { ...batch('ben', '?wait=5'), wait: { for: 'answer' } },
      ],
    },
    {
      title: 'The events of claims on a cancelled policy are told.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), moving('ann', '{one}'), first],
    },
    { title: 'Without events a batch is empty.', steps: [batch('ann')] },
    {
      title: 'A registration is no event.',
      steps: [insure('ann', 'one'), register('ann', '{one}'), batch('ann')],
    },
    ...[
      ['A limit', ['limit=0', 'limit=501', 'limit=x']],
      ['A wait', ['wait=-1', 'wait=31', 'wait=1.5']],
      ['An after', ['after=oldest', 'after=']],
    ].map(([what, queries]) => ({
      title: `${what} that breaks the rule is refused.`,
      steps: (queries as string[]).map((query) => batch('ann', `?${query}`)),
    })),
    {
      title: 'The least and the most that limit and wait can be are taken.',
      steps: ['limit=1', 'limit=500', 'wait=0', 'after=earliest'].map((query) => batch('ann', `?${query}`)),
    },
    { title: 'It needs a token.', steps: [{ method: 'GET', path: topic }] },
    {
      title: 'It needs the scope claims:read.',
      steps: [...narrowToken('claims:write policies:read'), { method: 'GET', path: topic, headers: withNarrow }],
    },
    {
      title: 'A topic that is not there is not found.',
      steps: [{ as: 'ann', method: 'GET', path: '/claims/v1/topics/claims.opened' }],
    },
    { title: 'Nobody else publishes events.', steps: [{ as: 'ann', method: 'POST', path: topic, json: {} }] },
  ],
};
