import { equal } from 'node:assert/strict';
import { type ClaimEvent, pass, topicPath } from '../../support/topic.ts';
import { answer, type Learner, newLearner, newPlate, stateOf, testLessons, wrongAnswer } from './lesson.ts';
import { batch, move, newClaim, nextArrival, receiveEvents, streamed } from './topic.ts';

const rejected = async (learner: Learner) => {
  const claimId = await newClaim(learner, { outcome: 'REJECTED' });
  await move(learner, 2);
  return claimId;
};

/** The path of a policy with a holder. */
async function held({ call }: Learner): Promise<string> {
  const { json } = await call('POST', '/policies', { json: { regNumber: newPlate(), holder: 'Ada Example' } });
  return `/policies/${json.id}`;
}

/** An event of a claim on a policy that has a holder. */
async function heldAndTold(learner: Learner): Promise<ClaimEvent> {
  const policyNumber = (await held(learner)).split('/').at(-1);
  await learner.call('POST', '/claims/v1/claims', { json: { policyNumber, paceSeconds: 20 } });
  await move(learner, 1);
  return (await batch(learner)).json.events[0];
}

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
        'a policy of another client': async ({ call, lplate }) => {
          const other = await newLearner(lplate);
          const { json } = await other.call('POST', '/policies', { json: { regNumber: newPlate() } });
          await call('POST', '/claims/v1/claims', { json: { policyNumber: json.id } });
        },
        'a token that may not': async ({ call, lplate, id, secret }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          const token = await lplate.token(id, secret, 'policies:write claims:read');
          await call('POST', '/claims/v1/claims', { token, json: { policyNumber: json.id } });
        },
        'under the policy': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          await call('POST', `/policies/${json.id}/claims`, { json: {} });
        },
        'the number of the vehicle': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          await call('POST', '/claims/v1/claims', { json: { policyNumber: json.regNumber } });
        },
        'the words of the insurer': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          equal((await call('POST', '/claims/v1/claims', { json: { policyId: json.id } })).status, 400);
        },
        'a pace that there is': ({ call }) =>
          call('POST', '/claims/v1/claims', { json: { policyNumber: 'pol-1', paceSeconds: 0, note: 'a dent' } }),
        'an outcome that there is': ({ call }) =>
          call('POST', '/claims/v1/claims', { json: { policyNumber: 'pol-1', outcome: 'rejected' } }),
        'an object': ({ call }) => call('POST', '/claims/v1/claims', { json: [{ policyId: 'pol-1' }] }),
        'a policy': ({ call }) => call('POST', '/claims/v1/claims', { json: { outcome: 'APPROVED' } }),
        'a key that is one': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          const headers = { 'Idempotency-Key': '' };
          const sent = { headers, json: { policyNumber: json.id } };
          equal((await call('POST', '/claims/v1/claims', sent)).status, 400);
        },
        'an id with its beginning': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          await call('POST', '/claims/v1/claims', { json: { policyNumber: json.id.slice('pol-'.length) } });
        },
        'JSON, but a form': async ({ call }) => {
          const body = 'policyNumber=pol-1';
          const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
          equal((await call('POST', '/claims/v1/claims', { headers, body })).status, 415);
        },
        'JSON that can be read': async ({ call }) => {
          const headers = { 'Content-Type': 'application/json' };
          await call('POST', '/claims/v1/claims', { headers, body: '{policyNumber:pol-1}' });
        },
        'the prefix of the system': ({ lplate, token }) =>
          fetch(`${lplate.url}/claims`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } }),
        'the method': ({ call }) => call('PUT', '/claims/v1/claims', { json: { policyNumber: 'pol-1' } }),
        'a claim, but a subscription': ({ call }) => call('POST', '/claims/v1/subscription', { json: {} }),
        'the other system': async ({ call }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          await call('GET', '/insurer/v1/claims');
          await call('POST', '/insurer/v1/claims', { json: { policyNumber: json.id } });
        },
        'only asking for claims': ({ call }) => call('GET', '/claims/v1/claims'),
        'a new claim: the answer of an earlier registration': async ({ call, lplate }) => {
          const { json } = await call('POST', '/policies', { json: { regNumber: newPlate() } });
          const sent = { headers: { 'Idempotency-Key': 'key' }, json: { policyNumber: json.id } };
          await call('POST', '/claims/v1/claims', sent);
          lplate.clock.advance(1);
          await call('DELETE', '/range/v1/me/lessons/claim-registered');
          equal((await call('POST', '/claims/v1/claims', sent)).status, 201);
        },
        'asking the insurer for claims': ({ call }) => call('GET', '/insurer/v1/claims'),
      },
      remarks: {
        'a new claim: the answer of an earlier registration': /^This was the kept answer of an earlier call/,
        'a policy that is not there': /^None of your policies has this policyNumber\.$/,
        'a policy of another client': /^None of your policies has this policyNumber\.$/,
        'a token that may not': /^Your token may not register claims/,
        'under the policy': /^You sent the claim to the insurer/,
        'the number of the vehicle': /It is the id of a policy, which begins with pol-\.$/,
        'an id with its beginning': /It is the id of a policy, which begins with pol-\.$/,
        'a key that is one': /because of the header Idempotency-Key\./,
        'JSON, but a form': /because of the header Content-Type\./,
        'JSON that can be read': /^The claims system could not read the body/,
        'the prefix of the system': /^Nothing has the path \/claims\./,
        'the method': /^The address is right, but a claim is registered with another method/,
        'the words of the insurer': /^The claims system did not accept the body.* its words are not those/,
        'a pace that there is': /^The claims system did not accept the body\. Look at the errors in the answer\.$/,
        'an outcome that there is': /the errors in the answer\.$/,
        'an object': /the errors in the answer\.$/,
        'a policy': /the errors in the answer\.$/,
        'the other system': /^You sent the claim to the insurer/,
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
        const reason = ` ${read.json.statusReason.slice(0, -1)} `;
        equal((await answer(learner, 'claim-rejected', reason)).correct, true);
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
          await wrongAnswer(learner, 'claim-rejected', null, /^No claim in your log will be rejected/);
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
        'asked for by another name': async (learner) => {
          const { json } = await learner.call('POST', '/policies', { json: { regNumber: newPlate() } });
          const sent = { policyNumber: json.id, result: 'REJECTED' };
          equal((await learner.call('POST', '/claims/v1/claims', { json: sent })).status, 201);
        },
        'asked for in lower case': async (learner) => {
          const sent = { policyNumber: 'pol-1', outcome: 'rejected' };
          equal((await learner.call('POST', '/claims/v1/claims', { json: sent })).status, 400);
        },
        'one that will be approved': async (learner) => {
          const claimId = await newClaim(learner, { outcome: 'APPROVED' });
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'too early': async (learner) => {
          const claimId = await newClaim(learner, { outcome: 'REJECTED' });
          await move(learner, 1);
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'too late, seen in the list': async (learner) => {
          const path = `/claims/v1/claims/${await newClaim(learner, { outcome: 'REJECTED' })}`;
          await learner.call('GET', path);
          await move(learner, 3);
          for (const query of ['', '?status=CLOSED']) await learner.call('GET', `/claims/v1/claims${query}`);
          equal((await stateOf(learner, 'claim-rejected')).misses, 2);
        },
        'too early, seen in the list': async (learner) => {
          await newClaim(learner, { outcome: 'REJECTED' });
          await learner.call('GET', '/claims/v1/claims');
        },
        'too late': async (learner) => {
          const claimId = await rejected(learner);
          await move(learner, 1);
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
      },
      remarks: {
        'asked for by another name': /^You asked for a rejection, but by a name/,
        'asked for in lower case': /^You said how the review ends, but the claim was not registered/,
        'too early': /^The claim is still UNDER_REVIEW\./,
        'too late, seen in the list': /^The claim is CLOSED by now/,
        'too late': /^The claim is CLOSED by now, so its reason is another one/,
        'too early, seen in the list': /^The claim is still REGISTERED\./,
        'one that will be approved': /^This claim will be approved/,
        'a list of others': /^This claim will be approved/,
      },
      done: {
        'too early, seen in the list': 1,
        'too late, seen in the list': 1,
        'not read yet': 1,
        'too early': 1,
        'too late': 1,
        'why it was closed': 2,
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
      alsoSolvedBy: {
        'the shortest way, a holder from the start': async (learner) => {
          const { policyNumber } = (await heldAndTold(learner)).data;
          await learner.call('GET', `/policies/${policyNumber}`);
        },
      },
      misses: {
        'no event yet': async (learner) => {
          await newClaim(learner);
          const { json } = await learner.call('GET', '/policies');
          const path = `/policies/${json.items[0].id}`;
          await learner.call('PUT', path, { json: { holder: 'Ada Example' } });
          await learner.call('GET', path);
        },
        'a claim yet': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner);
          await learner.call('GET', await held(learner));
        },
        'the claim in place of the policy': async (learner) => {
          const { claimId } = (await heldAndTold(learner)).data;
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'the claim of a policy without a holder': async (learner) => {
          await held(learner);
          const claimId = await newClaim(learner);
          await move(learner, 1);
          await batch(learner);
          await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'the list in place of the policy': async (learner) => {
          await heldAndTold(learner);
          await learner.call('GET', '/policies');
        },
        'the list of claims in place of the policy': async (learner) => {
          await heldAndTold(learner);
          await learner.call('GET', '/claims/v1/claims');
        },
        'the id of the claim in place of the policy’s': async (learner) => {
          const { claimId } = (await heldAndTold(learner)).data;
          await learner.call('GET', `/policies/${claimId}`);
        },
        'the policy, but in the claims system': async (learner) => {
          const { policyNumber } = (await heldAndTold(learner)).data;
          await learner.call('GET', `/claims/v1/policies/${policyNumber}`);
        },
        'a list without the policy': async (learner) => {
          await heldAndTold(learner);
          await held(learner);
          await learner.call('GET', '/policies?pageSize=1&page=2');
        },
        'another policy': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner);
          const body = { regNumber: newPlate(), holder: 'Ada Example' };
          const { json } = await learner.call('POST', '/policies', { json: body });
          await learner.call('GET', `/policies/${json.id}`);
        },
        'a token that may not': async (learner) => {
          const { policyNumber } = (await heldAndTold(learner)).data;
          const token = await learner.lplate.token(learner.id, learner.secret, 'claims:read');
          await learner.call('GET', `/policies/${policyNumber}`, { token });
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
      remarks: {
        'no event yet': /^You have the name, but no event/,
        'a token that may not': /^The policy is the right one/,
        'no holder': /^The policy of this event has no holder/,
        'the claim in place of the policy': /^Claims have no names in them either/,
        'the id of the claim in place of the policy’s': /^This is an id of the event, but not that of the policy/,
        'the policy, but in the claims system': /^The policy is the right one, but nothing has the path/,
        'the list in place of the policy': /^The list has all of your policies/,
        'the list of claims in place of the policy': /^Claims have no names in them either/,
        'another policy': /^You received no event of a claim on this policy/,
        'a claim yet': /^You received no event of a claim on this policy/,
      },
      done: {
        'the list of claims in place of the policy': 1,
        'the id of the claim in place of the policy’s': 1,
        'the policy, but in the claims system': 1,
        'not read, but changed': 1,
        'a token that may not': 1,
        'the claim in place of the policy': 1,
        'the list in place of the policy': 1,
        'a list without the policy': 1,
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
      alsoSolvedBy: {
        'one batch': async (learner) => {
          await newClaim(learner);
          await move(learner, 3);
          await batch(learner);
        },
      },
      misses: {
        'not to its end': async (learner) => {
          await newClaim(learner);
          await move(learner, 2);
          await batch(learner);
        },
        'from the same place again': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          for (const _ of [1, 2]) await batch(learner);
        },
        'by asking for it': async (learner) => {
          const path = `/claims/v1/claims/${await newClaim(learner)}`;
          for (const steps of [1, 2]) {
            await move(learner, steps);
            await learner.call('GET', path);
          }
        },
        'asked for once': async (learner) => {
          const claimId = await newClaim(learner);
          await move(learner, 3);
          for (let read = 0; read < 2; read += 1) await learner.call('GET', `/claims/v1/claims/${claimId}`);
        },
        'a rejection that was waited for': async (learner) => {
          const path = `/claims/v1/claims/${await newClaim(learner, { outcome: 'REJECTED' })}`;
          for (const steps of [1, 2]) {
            await move(learner, steps);
            await learner.call('GET', path);
          }
        },
        'too early': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner);
          for (let read = 0; read < 3; read += 1) await batch(learner, `?after=${json.next}`);
          equal((await stateOf(learner, 'claim-followed')).misses, 1);
        },
        'too early, while events are held back': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner);
          await learner.call('POST', '/range/v1/me/drills', { json: { name: 'stop-events' } });
          await batch(learner, `?after=${json.next}`);
        },
        'before anything happened': async (learner) => {
          const { json } = await batch(learner);
          await batch(learner, `?after=${json.next}`);
        },
        'a long poll that ends without an event': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner);
          const arrived = nextArrival();
          const poll = batch(learner, `?after=${json.next}&wait=1`);
          await arrived;
          await pass(learner.lplate, 2);
          await poll;
        },
        'at latest again': async (learner) => {
          await newClaim(learner);
          for (let step = 0; step < 3; step += 1) {
            await batch(learner, '?after=latest');
            await move(learner, 1);
          }
        },
        'at latest again, and waited': async (learner) => {
          await newClaim(learner);
          for (let step = 0; step < 2; step += 1) {
            const arrived = nextArrival();
            const poll = batch(learner, '?after=latest&wait=1');
            await arrived;
            await pass(learner.lplate, 2);
            await poll;
          }
        },
        'a wait that is too long': (learner) => batch(learner, '?wait=60'),
        'at latest, after the first event': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await batch(learner);
          await move(learner, 1);
          await batch(learner, '?after=latest');
        },
        'at latest, after the last event': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { json } = await batch(learner, '?after=latest');
          await move(learner, 2);
          await batch(learner, `?after=${json.next}`);
          await batch(learner, '?after=latest');
        },
        'at latest once': (learner) => batch(learner, '?after=latest'),
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
        'from the same place again': /^You had all of these events already/,
        'by asking for it': /^You asked for the claim until it was CLOSED/,
        'too early': /^No event has come since/,
        'too early, while events are held back': /^No event comes while the drill stop-events is on/,
        'at latest again': /^You began at latest again/,
        'at latest again, and waited': /^You began at latest again/,
        'a wait that is too long': /^The topic did not accept this call/,
        'at latest, after the last event': /but not all changes before it/,
        'at latest, after the first event': /^You began at latest, so/,
        'not from its begin': /but not all changes before it/,
        'in part by a webhook': /but not all changes before it/,
      },
      done: {
        'not to its end': 2,
        'from the same place again': 1,
        'too early': 1,
        'too early, while events are held back': 1,
        'at latest, after the first event': 1,
        'a long poll that ends without an event': 1,
        'with the changes of another one': 1,
        'in part by a webhook': 2,
      },
    },
  },
  { eventsDuplicateRate: 0 },
);
