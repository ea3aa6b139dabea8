import { newLearner, newPlate } from './learner.js';

/** Lessons “Policies”: their life, and what the register refuses. */
export async function policies(me) {
  // lesson: create-policy, duplicate-policy, read-policy
  const regNumber = newPlate();
  const { json: policy } = await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });

  // lesson: read-policy, update-policy, cancel-twice, change-cancelled
  const path = `/insurer/v1/policies/${policy.id}`;

  // lesson: read-policy
  await me.call('GET', path);

  // lesson: duplicate-policy
  // The same vehicle once more: 409.
  await me.call('POST', '/insurer/v1/policies', { json: { regNumber } });

  // lesson: unknown-policy
  // Nobody has a policy with this id: 404.
  await me.call('GET', '/insurer/v1/policies/pol-1');

  // lesson: anothers-policy
  // Somebody else's policy: the same 404.
  const other = await newLearner();
  const { json: theirs } = await other.call('POST', '/insurer/v1/policies', { json: { regNumber: newPlate() } });
  await me.call('GET', `/insurer/v1/policies/${theirs.id}`);

  // lesson: update-policy
  // Once changed, its status is “updated”.
  await me.call('PUT', path, { json: { holder: 'Ada Example' } });
  await me.call('GET', path);

  // lesson: cancel-twice
  // To cancel it again is fine, and changes nothing.
  await me.call('POST', `${path}/cancel`);
  await me.call('POST', `${path}/cancel`);

  // lesson: change-cancelled
  // What is cancelled stays so: a change is 409.
  await me.call('PUT', path, { json: { holder: 'Dario Esempio' } });

  // lesson: expired-policy
  // A policy for a month, read 40 days later. The token has expired by then, too.
  const { json: short } = await me.call('POST', '/insurer/v1/policies', {
    json: { regNumber: newPlate(), coverageOption: 'MTPL-1M' },
  });
  await me.advance('P40D');
  me.token = await me.newToken();
  await me.call('GET', `/insurer/v1/policies/${short.id}`);
  // end
}
