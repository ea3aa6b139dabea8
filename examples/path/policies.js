import { newLearner, newPlate } from './learner.js';

/** Lessons “Policies”: their life, and what the register refuses. */
export async function policies(me) {
  const regNumber = newPlate();
  const { json: policy } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });
  const path = `/insurer/v1/policies/${policy.id}`;
  await me.call('GET', path);

  // The same vehicle once more: 409.
  await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });

  // Nobody's policy and somebody else's: both 404.
  await me.call('GET', '/insurer/v1/policies/pol-1');
  const other = await newLearner();
  const { json: theirs } = await other.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  await me.call('GET', `/insurer/v1/policies/${theirs.id}`);

  // Changed, it stays “updated”. Cancelled, it stays so: to cancel again is fine, to change it is 409.
  await me.call('PUT', path, { json: { holder: 'Ada Example' } });
  await me.call('GET', path);
  await me.call('POST', `${path}/cancel`);
  await me.call('POST', `${path}/cancel`);
  await me.call('PUT', path, { json: { holder: 'Dario Esempio' } });

  // A policy for a month, read 40 days later. The token has expired by then, too.
  const { json: short } = await me.call('POST', '/insurer/v1/policies', {
    json: { regNumber: newPlate(), coverageOption: 'MTPL-1M' },
  });
  await me.advance('P40D');
  me.token = await me.newToken();
  await me.call('GET', `/insurer/v1/policies/${short.id}`);
}
