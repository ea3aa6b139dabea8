import { equal } from 'node:assert/strict';
import { type ClaimEvent, topicPath } from '../../support/topic.ts';
import { answer, type Learner, newLearner, newPlate, testLessons, wrongAnswer } from './lesson.ts';
import { batch, move, newClaim, receiveEvents, streamed } from './topic.ts';

const rejected = async (learner: Learner) => {
  const claimId = await newClaim(learner, { outcome: 'REJECTED' });
  await move(learner, 2);
  return claimId;
};

testLessons(
  {
    'claim-registered': {
      solve: async ({ call }) => {
        const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
        return call('POST', '/claims/v1/claims', { json: { policyNumber: json.id } });
      },
      misses: {
        'a policy that is not there': ({ call }) =>
          call('POST', '/claims/v1/claims', { json: { policyNumber: 'pol-1' } }),
        'only asking for claims': ({ call }) => call('GET', '/claims/v1/claims'),
      },
    },

    'claim-rejected': {
      async solve(learner) {
        for (const path of ['/claims/v1/claims?status=REJECTED', topicPath]) {
          const other = await newLearner(learner.lplate);
          await rejected(other);
          const [, reason] = /"REJECTED","statusReason":"([^"]+)"/.exec((await other.call('GET', path)).text) ?? [];
          equal((await answer(other, 'claim-rejected', reason)).correct, true, path);
        }
        const read = await learner.call('GET', `/claims/v1/claims/${await rejected(learner)}`);
        equal((await answer(learner, 'claim-rejected', read.json.statusReason)).correct, true);
        return read;
      },
      misses: {
        'not read yet': async (learner) => {
          await rejected(learner);
          await wrongAnswer(learner, 'claim-rejected', 'The claim was reported too late.', /no claim is REJECTED/);
        },
        'a list of others': async (learner) => {
          await newClaim(learner);
          await learner.call('GET', '/claims/v1/claims');
          await wrongAnswer(learner, 'claim-rejected', null, /no claim is REJECTED/);
        },
        'a claim of others': async (learner) => {
          await learner.call('GET', '/claims/v1/claims/CLM-2026-999999');
          await wrongAnswer(learner, 'claim-rejected', null, /no claim is REJECTED/);
        },
        'why it was closed': async (learner) => {
          const claimId = await rejected(learner);
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
          await move(learner, 1);
          const { json } = await learner.call('GET', `/claims/v1/claims/${claimId}`);
          await wrongAnswer(learner, 'claim-rejected', json.statusReason, /not that of CLOSED/);
          await wrongAnswer(learner, 'claim-rejected', { toString: 1 }, /not that of CLOSED/);
        },
      },
    },

    'event-without-name': {
      async solve(learner) {
        await newClaim(learner);
        await move(learner, 1);
        const { json } = await batch(learner);
        const path = `/policies/${json.events[0].data.policyNumber}`;
        await learner.call('PUT', path, { json: { holder: 'Ada Example' } });
        return learner.call('GET', path);
      },
      misses: {
        'no event yet': async (learner) => {
          await newClaim(learner);
          const { json } = await learner.call('GET', '/policies');
          const path = `/policies/${json.items[0].id}`;
          await learner.call('PUT', path, { json: { holder: 'Ada Example' } });
          await learner.call('GET', path);
        },
        'another policy': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner);
          const body = { regNumber: newPlate(), holder: 'Ada Example' };
          const { json } = await learner.call('POST', '/policies', { json: body });
          await learner.call('GET', `/policies/${json.id}`);
        },
        'no holder': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner);
          await learner.call('GET', `/policies/${json.events[0].data.policyNumber}`);
        },
        'not read, but changed': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner);
          const path = `/policies/${json.events[0].data.policyNumber}`;
          await learner.call('PUT', path, { json: { holder: 'Ada Example' } });
        },
      },
    },

    'claim-followed': {
      async solve(learner) {
        await newClaim(learner);
        await move(learner, 1);
        const { json } = await batch(learner);
        await move(learner, 1);
        const { lastEventId } = await streamed(learner, 1, { after: json.next });
        await move(learner, 1);
        return batch(learner, `?after=${lastEventId}`);
      },
      misses: {
        'not to its end': async (learner) => {
          await newClaim(learner);
          await move(learner, 2);
          await batch(learner);
        },
        'not from its begin': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner, '?after=latest');
          await move(learner, 2);
          await batch(learner, `?after=${json.next}&limit=1`);
          await batch(learner, `?after=${json.next}`);
        },
        'with the changes of another one': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner, '?after=latest');
          await newClaim(learner);
          await move(learner, 2);
          const read = await batch(learner, `?after=${json.next}&limit=3`);
          equal(new Set(read.json.events.map((each: ClaimEvent) => each.data.claimId)).size, 2);
        },
        'in part by a webhook': async (learner) => {
          const received = await receiveEvents(learner, 204);
          await newClaim(learner);
          await move(learner, 2);
          await batch(learner);
          await move(learner, 1);
          await newClaim(learner);
          await move(learner, 2);
          const { json } = await batch(learner, '?after=latest');
          await move(learner, 1);
          await received(6);
          await batch(learner, `?after=${json.next}`);
        },
      },
      remarks: {
        'not from its begin': /but not all changes before it/,
        'with the changes of another one': /but not all changes before it/,
        'in part by a webhook': /but not all changes before it/,
      },
    },
  },
  { eventsDuplicateRate: 0 },
);
