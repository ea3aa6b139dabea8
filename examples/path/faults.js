import { setTimeout as pause } from 'node:timers/promises';
import { newPlate, root } from './learner.js';
import { readStream, readUntil, registerClaim } from './reads.js';

const list = '/claims/v1/claims';

/** Lessons “When things break”. */
export async function faults(me) {
  await unavailable(me);
  await lateAnswer(me);
  await htmlInPlaceOfJson(me);
  const policy = await cutCreate(me);
  await unreadableAnswer(me);
  await cutStream(me, policy);
}

// lesson: retry-unavailable
/** 503: at least as long as Retry-After says, and each time longer. */
async function unavailable(me) {
  await me.startDrill('unavailable', { retryAfter: 1 });
  let factor = 1;
  for (let tries = 1; ; tries += 1) {
    const { status, headers } = await me.call('GET', list);
    if (status !== 503) return;
    // The third try is the last one that fails.
    if (tries === 3) await me.endDrill('unavailable');
    await pause(1000 * Number(headers.get('retry-after')) * factor);
    factor *= 1.3;
  }
}

// lesson: late-answer
/** No answer within half a second: hang up, and ask again. */
async function lateAnswer(me) {
  await me.startDrill('delay', { fromMs: 20_000 });
  const headers = { Authorization: `Bearer ${me.token}` };
  const first = await fetch(root + list, { headers, signal: AbortSignal.timeout(500) }).catch(({ name }) => name);
  if (first !== 'TimeoutError') throw new Error(`${first} in place of a timeout`);
  await me.endDrill('delay');
  await me.call('GET', list);
}

// lesson: retry-html
/** The status and the Content-Type come before the body: `me.call` parses as JSON only what says that it is. */
async function htmlInPlaceOfJson(me) {
  await me.startDrill('html-from-a-proxy');
  const { status, json } = await me.call('GET', list);
  if (status !== 502 || json) throw new Error('this was no page of a proxy');
  await me.endDrill('html-from-a-proxy');
  await pause(1000);
  await me.call('GET', list);
}

// lesson: retry-cut
/** Was the policy created? With the same Idempotency-Key it is safe to ask for it again. Returns its id. */
async function cutCreate(me) {
  const request = { json: { regNumber: newPlate() }, headers: { 'Idempotency-Key': crypto.randomUUID() } };
  await me.startDrill('cut-connections', { when: 'middle' });
  await me.call('POST', '/insurer/v1/policies', request).catch(() => {});
  await me.endDrill('cut-connections');
  const { headers, json } = await me.call('POST', '/insurer/v1/policies', request);
  if (headers.get('idempotency-replayed') !== 'true') throw new Error('it was created by the second try');
  return json.id;
}

// lesson: unreadable-answer
/** The body is broken, but status and Location tell enough. */
async function unreadableAnswer(me) {
  await me.startDrill('bad-json');
  const { status, headers, json } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  if (status !== 201 || json) throw new Error('this was no broken answer to a create');
  await me.endDrill('bad-json');
  await me.call('GET', new URL(headers.get('location')).pathname);
}

// lesson: stream-cut
/** The last id is the way back into a stream that was cut. */
async function cutStream(me, policy) {
  await registerClaim(me, policy);
  await me.startDrill('cut-streams', { seconds: 1 });
  await me.advance('PT2M');
  let first = { events: [] };
  // It may be cut before there is anything to read.
  while (first.events.length === 0) first = await readStream(me, {});
  await me.endDrill('cut-streams');
  await me.advance('PT2M');
  // Its id is a cursor for batches, too.
  await readUntil(me, first.lastId, () => true);
}
// end
