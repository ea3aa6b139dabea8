import type { StageCalls, Step } from '../stage.ts';
import { batch, moving, register, topic, untilEvents, untilStatus } from './claim-steps.ts';
import { insure, narrowToken, withNarrow } from './policy-steps.ts';

const accept = { Accept: 'text/event-stream' };

/** A stream, until so many events came. `last` is the id of its last event. */
const stream = (as: string, count: number, query = '', headers: Step['headers'] = {}): Step => ({
  as,
  method: 'GET',
  path: `${topic}${query}`,
  headers: { ...accept, ...headers },
  wait: { for: 'stream', count },
  ...(count > 0 && { keep: { last: 'stream:id' } }),
});

/** Not read to an end that it may not have. */
const opened = { for: 'stream', count: 0 } as const;

const moved = [insure('ann', 'one'), moving('ann', '{one}')];

export const eventStream: StageCalls = {
  reads: 'GET /claims/v1/topics/claims.status-changed',
  together: true,
  cases: [
    { title: 'A stream tells an event as it happens, with its cursor as the id.', steps: [...moved, stream('ann', 1)] },
    { title: 'A stream goes on with the next event.', steps: [...moved, stream('ann', 2)] },
    {
      title: 'A stream begins with the events that there are.',
      steps: [...moved, untilEvents('ann', 1, '?limit=1'), stream('ann', 1)],
    },
    {
      title: 'Last-Event-ID resumes after that event.',
      steps: [...moved, stream('ann', 1), stream('ann', 1, '', { 'Last-Event-ID': '{last}' })],
    },
    {
      title: 'Last-Event-ID overrides after.',
      steps: [
        ...[...moved, stream('ann', 1), untilEvents('ann', 2)],
        stream('ann', 1, '?after=latest', { 'Last-Event-ID': '{last}' }),
      ],
    },
    {
      title: 'The id of an event is a cursor for after.',
      steps: [...moved, stream('ann', 1), stream('ann', 1, '?after={last}')],
    },
    {
      title: 'The id of an event is a cursor of batches, too.',
      steps: [...moved, stream('ann', 1), untilEvents('ann', 1, '?after={last}')],
    },
    {
      title: 'The cursor of a batch is one of streams, too.',
      steps: [...moved, untilEvents('ann', 1, '?limit=1'), stream('ann', 1, '?after={next}')],
    },
    {
      title: 'after=latest tells none of the events that there are.',
      steps: [
        insure('ann', 'one'),
        moving('ann', '{one}', { paceSeconds: 2 }),
        untilStatus('ann', 'UNDER_REVIEW'),
        stream('ann', 0, '?after=latest'),
      ],
    },
    {
      title: 'A stream ignores limit and wait.',
      steps: [...moved, stream('ann', 2, '?limit=1&wait=1')],
    },
    {
      title: 'A stream tells nothing of the claims of others.',
      steps: [...moved, insure('ben', 'two', '{plate2}'), moving('ben', '{two}', { paceSeconds: 2 }), stream('ben', 1)],
    },
    {
      title: 'A stream of a client without events tells none.',
      steps: [...moved, untilEvents('ann', 1, '?limit=1'), stream('ben', 0)],
    },
    {
      title: 'A registration is no event.',
      steps: [insure('ann', 'one'), register('ann', '{one}'), stream('ann', 0)],
    },
    {
      title: 'Without events a stream is open.',
      steps: [stream('ann', 0)],
    },
    {
      title: 'Without the Accept of a stream it is a batch.',
      steps: [{ ...batch('ann'), headers: { Accept: '*/*' } }],
    },
    {
      title: 'A Last-Event-ID that is no cursor is refused.',
      steps: [stream('ann', 0, '', { 'Last-Event-ID': 'first' })],
    },
    { title: 'An after that is no cursor is refused.', steps: [stream('ann', 0, '?after=first')] },
    { title: 'It needs a token.', steps: [{ method: 'GET', path: topic, headers: accept, wait: opened }] },
    {
      title: 'It needs the scope claims:read.',
      steps: [
        ...narrowToken('policies:read'),
        { method: 'GET', path: topic, headers: { ...accept, ...withNarrow }, wait: opened },
      ],
    },
  ],
};
