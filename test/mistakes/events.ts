import { claimOn, insure, pass, topicPath } from '../support/topic.ts';
import type { Learner, Mistake } from './mistake.ts';

/* Events that don't come, and webhooks that don't arrive. */

const client = async ({ lplate }: Learner) => (await lplate.client()).token;

const noEvents = (title: string, query: string, ...says: Mistake['says']): Mistake => ({
  title,
  send: async (learner) => learner.call('GET', `${topicPath}${query}`, { token: await client(learner) }),
  status: 200,
  says,
});

/** What a subscription shows once its first event could not be delivered. */
const undelivered = (title: string, url: string, ...says: Mistake['says']): Mistake => ({
  title,
  send: async (learner) => {
    const { lplate, call } = learner;
    const token = await client(learner);
    const { json } = await call('POST', '/claims/v1/subscriptions', { token, json: { url } });
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    await pass(lplate, 2);
    let answer = await call('GET', `/claims/v1/subscriptions/${json.id}`, { token });
    for (let turn = 0; turn < 50 && !answer.json.lastDelivery; turn += 1) {
      await lplate.catchUp();
      answer = await call('GET', `/claims/v1/subscriptions/${json.id}`, { token });
    }
    return answer;
  },
  status: 200,
  says,
});

export const events: readonly Mistake[] = [
  noEvents(
    'events before there is a claim',
    '',
    'There are no events yet',
    'first event comes about 10 seconds after it was registered',
  ),
  noEvents(
    'latest, for what has been',
    '?after=latest',
    'latest is the position after the newest event',
    'earliest reads all',
  ),
  {
    title: 'events of claims of others',
    send: async (learner) => {
      const { lplate, call, token } = learner;
      await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      await pass(lplate, 2);
      return call('GET', topicPath, { token: await client(learner) });
    },
    status: 200,
    says: ['they report the status changes of the claims on your policies'],
  },
  {
    title: 'more events after the last one',
    send: async (learner) => {
      const token = await client(learner);
      const { json } = await learner.call('GET', topicPath, { token });
      return learner.call('GET', `${topicPath}?after=${json.next}`, { token });
    },
    status: 200,
    says: ['There are no events after this cursor yet. earliest reads all that are kept.'],
  },
  // Nobody listens at this port, and nobody may without being root.
  undelivered(
    'a webhook to a receiver that does not run',
    'http://127.0.0.1:9/hooks',
    'No response: refused the connection. Is the receiver running, at this port?',
  ),
];
