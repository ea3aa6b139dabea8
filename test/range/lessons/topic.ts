import { deepEqual, equal, match } from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { claimOn, EventStream, insure, pass, topicPath } from '../../support/topic.ts';
import { isGeneral, type Learner, stateOf } from './lesson.ts';

/* What learners do with claims and their events. */

/** How long a claim stays as it is. Tokens expire after an hour of them. */
const paceSeconds = 20;

/** A claim on a policy of its own. */
export async function newClaim({ lplate, token }: Learner, wish: Parameters<typeof claimOn>[3] = {}): Promise<string> {
  return claimOn(lplate, token, await insure(lplate, token), { paceSeconds, ...wish });
}

/** Lets claims move on by so many steps. */
export const move = ({ lplate }: Learner, steps: number) => pass(lplate, paceSeconds * steps);

export const batch = ({ call }: Learner, query = '', options = {}): Promise<Answer> =>
  call('GET', `${topicPath}${query}`, options);

/** Opens a stream, closes it when it has brought so many events, and waits until the log has its end. */
export async function streamed(
  learner: Learner,
  events: number,
  from: Parameters<typeof EventStream.open>[2] = {},
): Promise<{ lastEventId: string; response: Response }> {
  const stream = await EventStream.open(learner.lplate.url, learner.token, from);
  await stream.until(() => stream.received.length >= events);
  stream.close();
  await ended(learner, stream);
  return stream;
}

/** Waits until the end of a stream is told to the log. */
export async function ended({ lplate }: Learner, { response }: { response: Response }): Promise<void> {
  const id = response.headers.get('x-request-id') as string;
  await until(() => lplate.log.some((line) => line.includes(id)), 'the end of the stream');
}

/**
 * Has the events of a learner posted to a receiver that answers with these statuses, one after the other, and with the
 * last one from then on. The function that is returned waits until it has been called so often, and closes it.
 */
export async function receiveEvents(
  { call }: Learner,
  ...statuses: number[]
): Promise<(calls: number) => Promise<void>> {
  let received = 0;
  const receiver = createServer((_request, response) => {
    response.writeHead(statuses[received] ?? (statuses.at(-1) as number)).end();
    received += 1;
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  await call('POST', '/claims/v1/subscriptions', { json: { url: `http://127.0.0.1:${port}/` } });
  return async (calls) => {
    await until(() => received >= calls, `${calls} calls`);
    receiver.closeAllConnections();
    receiver.close();
  };
}

/** Resolves when the next request has arrived. */
export function nextArrival(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const see = () => {
    unsubscribe('http.server.request.start', see);
    resolve();
  };
  subscribe('http.server.request.start', see);
  return promise;
}

/** The lesson is not solved, and of the last exchange that nearly did so the learner was told this. */
export async function assertMissed(learner: Learner, lesson: string, sentence: RegExp): Promise<void> {
  const { solvedAt, lastMiss } = await stateOf(learner, lesson);
  equal(solvedAt, null);
  match(lastMiss ?? 'it was told nothing', sentence);
}

/** The lesson is not solved, and no exchange did so nearly. */
export async function assertUntold(learner: Learner, lesson: string): Promise<void> {
  const { solvedAt, lastMiss } = await stateOf(learner, lesson);
  deepEqual([solvedAt, isGeneral(lastMiss)], [null, true], lastMiss);
}
