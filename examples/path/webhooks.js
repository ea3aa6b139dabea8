import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { newPlate } from './learner.js';

/*
 * Lessons “Webhooks”. The receiver runs here, so L-Plate must be able to call this machine. It does if both run on the same
 * one and L-Plate has its default settings; docs/events.md, “Which addresses are called”, says what to set otherwise.
 */
export async function webhooks(me) {
  const receiver = await openReceiver();
  try {
    await learn(me, receiver);
  } finally {
    receiver.close();
  }
}

async function learn(me, receiver) {
  const { base, sendTest, shows } = await subscribe(me, receiver);

  // lesson: webhook-called
  // The receiver takes a test event.
  const first = await sendTest();
  await receiver.answered(first, 204);

  // lesson: webhook-redelivered
  // To ask for an event again, by the number of its delivery. Some events come twice by themselves, so this one may be
  // under way still.
  await shows(({ status }) => status === 'delivered');
  await me.call('POST', `${base}/deliveries/1/redeliver`);
  await receiver.answered(first, 204);

  // lesson: webhook-verified
  // A receiver that verifies takes the real event, and refuses the forged one that follows it.
  for (const how of ['wrong-secret', 'changed-body']) {
    await me.startDrill('forged-webhooks', { how });
    await receiver.answered(await sendTest(), 204);
    await receiver.answered(undefined, 401);
  }

  // lesson: webhook-old
  // The signature of this one is right, but it was made too long ago.
  await me.startDrill('forged-webhooks', { how: 'old-timestamp' });
  await receiver.answered(await sendTest(), 204);
  await receiver.answered(undefined, 401);
  await me.endDrill('forged-webhooks');

  // lesson: webhook-two-signatures
  // A new secret: calls are signed with both, so the receiver takes them with the old one until it has the new one.
  const { json: renewed } = await me.call('POST', `${base}/secret`);
  await receiver.answered(await sendTest(), 204);
  receiver.secret = renewed.secret;
  await receiver.answered(await sendTest(), 204);

  // lesson: webhook-retried
  // What fails is tried again after 5 seconds. Once that is planned, the clock can be moved in place of waiting.
  receiver.work = () => 503;
  const failing = await sendTest();
  await receiver.answered(failing, 503);
  receiver.work = () => 204;
  await shows(({ responseStatus }) => responseStatus === 503);
  await me.advance('PT5S');
  await receiver.answered(failing, 204);

  // lesson: webhook-in-time
  // Too slow: it works before it answers. Then in time.
  receiver.work = () => pause(5500, 204);
  await receiver.answered(await sendTest(), 204);
  receiver.work = () => 204;
  await receiver.answered(await sendTest(), 204);
  // end
  await me.call('DELETE', base);

  // lesson: webhook-repeats
  // What comes again is taken, but counts once. A new subscription begins to count anew.
  const another = await subscribe(me, receiver);
  await me.startDrill('repeat-webhooks');
  for (let count = 1; count <= 3; count += 1) {
    const event = await another.sendTest();
    await receiver.answered(event, 204);
    await receiver.answered(event, 204);
  }
  await me.endDrill('repeat-webhooks');
  await me.answer('webhook-repeats', receiver.processed.size);

  // lesson: webhook-traced
  // The trace of my call goes on to the webhooks of its claim, and the log is searched by it.
  const [traceId, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const { json: policy } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  await me.call('POST', '/claims/v1/claims', {
    json: { policyNumber: policy.id, paceSeconds: 1 },
    headers: { traceparent: `00-${traceId}-${parentId}-01` },
  });
  let found;
  while (!found) {
    await pause(500);
    const { json } = await me.call('GET', `/range/v1/me/exchanges?traceId=${traceId}&kind=delivery&status=2xx`);
    found = json.items[0];
  }
  const { json: delivery } = await me.call('GET', `/range/v1/me/exchanges/${found.id}`);
  const { value } = delivery.request.headers.find(({ name }) => name === 'traceparent');
  await me.answer('webhook-traced', value.split('-')[2]);
  // end
  await me.call('DELETE', another.base);
}

// lesson: webhook-called
/** From now on events are posted to the receiver, which begins to count anew. */
async function subscribe(me, receiver) {
  const { json } = await me.call('POST', '/claims/v1/subscriptions', { json: { url: receiver.url } });
  // It is shown only now, and signs each call.
  receiver.secret = json.secret;
  receiver.processed.clear();
  const base = `/claims/v1/subscriptions/${json.id}`;
  return {
    base,
    /** Resolves with the id of the event. */
    async sendTest() {
      const { json } = await me.call('POST', `${base}/test`);
      return json.eventId;
    },
    /** Resolves when the subscription shows such a delivery as its last. */
    async shows(fits) {
      for (;;) {
        const { json } = await me.call('GET', base);
        if (json.lastDelivery && fits(json.lastDelivery)) return;
        await pause(100);
      }
    },
  };
}
// end

/** A receiver that refuses what is not signed, and otherwise answers with the status that `work` gives. */
async function openReceiver() {
  /** Calls that were answered and not waited for yet. */
  const calls = [];
  let tell = () => {};
  const receiver = {
    url: '',
    secret: '',
    work: () => 204,
    /** The ids of the events that it has processed. */
    processed: new Set(),

    /** Resolves when a call of this event, or of any, was answered so. */
    async answered(event, status) {
      for (;;) {
        const at = calls.findIndex((call) => call.status === status && (event ?? call.id) === call.id);
        if (at >= 0) return calls.splice(0, at + 1);
        await new Promise((resolve) => (tell = resolve));
      }
    },

    close() {
      server.close();
      server.closeAllConnections();
    },
  };

  // lesson: webhook-called, webhook-repeats
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const id = request.headers['webhook-id'];
    const isNew = !receiver.processed.has(id);
    let status = 401;
    // What was processed comes again at times. It is taken, and no work any more.
    if (isGenuine(request.headers, body, receiver.secret)) status = isNew ? await receiver.work() : 204;
    if (status === 204) receiver.processed.add(id);
    response.writeHead(status).end();
    calls.push({ id, status });
    tell();
  });
  // end
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.url = `http://127.0.0.1:${server.address().port}/claims`;
  return receiver;
}

// lesson: webhook-verified, webhook-old
/** Whether a call was signed with the secret, in the last five minutes, as the specification of Standard Webhooks says. */
function isGenuine(headers, body, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age < 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
// end
