import { randomUUID } from 'node:crypto';
import { newPlate } from './learner.js';

/** Lessons “Safe repeats”. */
export async function repeats(me) {
  // lesson: retried-create, lost-update
  // The same request with the same key twice, as after a timeout: one policy, and the same answer.
  const request = { headers: { 'Idempotency-Key': randomUUID() }, json: { regNumber: newPlate() } };
  const { json: policy, headers } = await me.call('POST', '/insurer/v1/policies', request);

  // lesson: retried-create
  await me.call('POST', '/insurer/v1/policies', request);

  // lesson: lost-update
  // Somebody changes the policy, so the tag that came with it is old: 412. Read what it is now, and change that.
  const path = `/insurer/v1/policies/${policy.id}`;
  const change = (holder, tag) => me.call('PUT', path, { headers: tag ? { 'If-Match': tag } : {}, json: { holder } });
  await change('Somebody Else');
  await change('Ada Example', headers.get('etag'));
  const { headers: now } = await me.call('GET', path);
  const { headers: changed } = await change('Ada Example', now.get('etag'));

  // lesson: not-modified
  // With the tag of the last change, a read sends the policy only if there is something new: 304.
  await me.call('GET', path, { headers: { 'If-None-Match': changed.get('etag') } });
  // end
}
