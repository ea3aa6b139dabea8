import { newPlate } from './learner.js';
import { readUntil, registerClaim } from './reads.js';

/** Lessons “Claims”. */
export async function claims(me) {
  const { json: policy } = await me.call('POST', '/insurer/v1/policies', {
    json: { regNumber: newPlate(), holder: 'Ada Example' },
  });

  // lesson: claim-rejected
  // A claim changes once a minute, of my own time: after two minutes this one is REJECTED, and has a reason. I wait for
  // its event, and read it then.
  const rejected = await registerClaim(me, policy.id, { outcome: 'REJECTED' });
  await me.advance('PT2M');
  await readUntil(me, 'earliest', ({ claimId, newStatus }) => claimId === rejected && newStatus === 'REJECTED');
  const { json } = await me.call('GET', `/claims/v1/claims/${rejected}`);
  await me.answer('claim-rejected', json.statusReason);

  // lesson: claim-followed
  // The events tell every change: I read batch after batch until this claim is closed.
  const followed = await registerClaim(me, policy.id);
  await me.advance('PT4M');
  const { events } = await readUntil(
    me,
    'earliest',
    ({ claimId, newStatus }) => claimId === followed && newStatus === 'CLOSED',
  );

  // lesson: event-without-name
  // An event has no names in it. The insurer has them: policyNumber is the id of the policy.
  await me.call('GET', `/insurer/v1/policies/${events.at(-1).data.policyNumber}`);
  // end
}
