import { root } from './learner.js';

export const topic = '/claims/v1/topics/claims.status-changed';

// lesson: claim-registered
/** A claim on a new policy. It changes every `paceSeconds`, three times in all. */
export async function registerClaim(me, policyNumber, wish = {}) {
  const { json } = await me.call('POST', '/claims/v1/claims', { json: { policyNumber, paceSeconds: 60, ...wish } });
  return json.claimId;
}
// end

// lesson: event-stream
/**
 * Reads the topic as a stream until it has brought so many events, or was cut. Each event has the `id` to go on from;
 * without any, `lastId` is the one that was given.
 */
export async function readStream(me, { lastEventId, count = Number.POSITIVE_INFINITY }) {
  const hangUp = new AbortController();
  const response = await fetch(root + topic, {
    headers: {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${me.token}`,
      ...(lastEventId && { 'Last-Event-ID': lastEventId }),
    },
    signal: hangUp.signal,
  });
  const events = [];
  let lastId = lastEventId;
  let text = '';
  try {
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      // An empty line ends a message. What comes behind the last one is not whole yet.
      const messages = text.split('\n\n');
      text = messages.pop();
      for (const message of messages) {
        const [, id] = /^id: (.*)$/m.exec(message) ?? [];
        const [, data] = /^data: (.*)$/m.exec(message) ?? [];
        lastId = id ?? lastId;
        if (data) events.push(JSON.parse(data));
      }
      if (events.length >= count) break;
    }
  } catch {
    // The stream was cut. What came before counts.
  }
  hangUp.abort();
  return { events, lastId };
}

// end

/** Reads batches after a cursor until an event fits. Returns their events, and where to go on. */
export async function readUntil(me, after, fits) {
  const events = [];
  let next = after;
  while (!events.some(({ data }) => fits(data))) {
    // It waits for events, so this is no busy loop.
    const { json } = await me.call('GET', `${topic}?after=${next}&wait=20`);
    events.push(...json.events);
    next = json.next;
  }
  return { events, next };
}
