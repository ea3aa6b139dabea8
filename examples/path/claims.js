import { newPlate } from './learner.js';
import { readBatches, registerClaim } from './reads.js';

/** Lessons “Claims”. */
export async function claims(me) {
  const policy = await me.call('POST', '/insurer/v1/policies', {
    json: { regNumber: newPlate(), holder: 'Ada Example' },
  });

  // One claim will be approved, the other one rejected. Each changes once a minute, of my own time.
  const followed = await registerClaim(me, policy.json.id);
  const rejected = await registerClaim(me, policy.json.id, { outcome: 'REJECTED' });

  // After two minutes the rejected one is REJECTED, and has a reason. I wait for its event, and read it then.
  await me.advance('PT2M');
  const begun = await readBatches(me, 'earliest', 4);
  const { json } = await me.call('GET', `/claims/v1/claims/${rejected}`);
  await me.answer('claim-rejected', json.statusReason);

  // The events tell every change. `next` is where to go on.
  await me.advance('PT2M');
  const ended = await readBatches(me, begun.next, 2);
  const mine = [...begun.events, ...ended.events].filter(({ data }) => data.claimId === followed);
  // An event has no names in it. The insurer has them: policyNumber is the id of the policy.
  await me.call('GET', `/insurer/v1/policies/${mine[0].data.policyNumber}`);
  if (mine.at(-1).data.newStatus !== 'CLOSED') throw new Error('the claim was not followed to its end');
}
