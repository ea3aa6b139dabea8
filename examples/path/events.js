import { newPlate } from './learner.js';
import { readStream, registerClaim, topic } from './reads.js';

/** Lessons “Events”. */
export async function events(me) {
  const { json } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  const policy = json.id;

  // lesson: long-poll
  // A long poll: the claim changes in two seconds, and the answer comes then.
  const { next: start } = (await me.call('GET', `${topic}?after=latest`)).json;
  await registerClaim(me, policy, { paceSeconds: 2 });
  await me.call('GET', `${topic}?after=${start}&wait=20`);

  // lesson: events-resumed
  // A stream, and on after its last event when it has ended. Meanwhile the claim gets on.
  await me.advance('PT2S');
  const first = await readStream(me, { lastEventId: start, count: 2 });
  await me.advance('PT2S');
  const second = await readStream(me, { lastEventId: first.lastId, count: 1 });

  // lesson: event-twice
  // Each event three times: those with the same eventId are one.
  await me.startDrill('duplicate-events');
  const { json: tripled } = await me.call('GET', `${topic}?after=${start}`);
  await me.endDrill('duplicate-events');
  await me.answer('event-twice', new Set(tripled.events.map(({ eventId }) => eventId)).size);

  // lesson: events-in-order
  // Two claims at once. In order per claim, and each event only once.
  const pair = [await registerClaim(me, policy), await registerClaim(me, policy, { outcome: 'REJECTED' })];
  await me.advance('PT4M');
  const states = new Map();
  let { lastId: cursor } = second;
  while (pair.some((claimId) => states.get(claimId)?.at(-1) !== 'CLOSED')) {
    const { json: read } = await me.call('GET', `${topic}?after=${cursor}&wait=20`);
    cursor = read.next;
    for (const { data } of withoutRepeats(read.events)) {
      const before = states.get(data.claimId) ?? [data.previousStatus];
      states.set(data.claimId, [...before, data.newStatus]);
    }
  }
  await me.answer('events-in-order', Object.fromEntries(pair.map((claimId) => [claimId, states.get(claimId)])));

  // lesson: newer-events
  // A member that I don't know is no mistake: I take what I know, and go on after it.
  await me.startDrill('newer-events');
  const newer = (await me.call('GET', `${topic}?after=${start}&limit=2`)).json;
  for (const { eventId, data } of newer.events) console.log(`${eventId}: ${data.claimId} is ${data.newStatus}`);
  await me.call('GET', `${topic}?after=${newer.next}`);
  await me.endDrill('newer-events');

  // lesson: events-resync
  // Eight days later the events are gone, and the token has expired.
  await me.advance('P8D');
  me.token = await me.newToken();
  const late = await me.call('GET', `${topic}?after=${start}`);
  if (late.status !== 410) throw new Error(`${late.status} in place of 410`);
  // First the new cursor, then the list to its last page: a change in between comes as an event.
  const { next } = (await me.call('GET', `${topic}?after=latest`)).json;
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const list = await me.call('GET', `/claims/v1/claims?page=${page}&pageSize=100`);
    pages = list.json.totalPages;
  }
  await me.call('GET', `${topic}?after=${next}`);
  // end
}

// lesson: events-in-order
/** A consumer keeps the eventIds that it has processed. */
const processed = new Set();

function withoutRepeats(batch) {
  return batch.filter(({ eventId }) => !processed.has(eventId) && processed.add(eventId));
}
