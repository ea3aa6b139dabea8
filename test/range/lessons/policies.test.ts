import { equal, match } from 'node:assert/strict';
import type { Answer, CallOptions } from '../../support/lplate.ts';
import { type Learner, newLearner, newPlate, stateOf, testLessons } from './lesson.ts';

const list = '/insurer/v1/policies';

type Policy = { id: string; regNumber: string; status: string; endDate: string };

/** A new policy of the learner's. */
async function insured({ call }: Learner, more: object = {}): Promise<Policy> {
  const { status, text, json } = await call('POST', list, { json: { regNumber: newPlate(), ...more } });
  equal(status, 201, text);
  return json;
}

const change = ({ call }: Learner, id: string, options: CallOptions = { json: { holder: 'Ada Example' } }) =>
  call('PUT', `${list}/${id}`, options);

const cancel = ({ call }: Learner, id: string, headers: Record<string, string> = {}) =>
  call('POST', `${list}/${id}/cancel`, { headers });

const read = ({ call }: Learner, id: string) => call('GET', `${list}/${id}`);

/** The first of a practice fleet that has this status. */
async function fromFleet({ call }: Learner, status: string): Promise<Policy> {
  const { json } = await call('POST', '/range/v1/me/fleet');
  return json.policies.find((policy: Policy) => policy.status === status);
}

/** Later than the calls before, whose log tells by how much the clock was ahead. */
async function moveClock({ call, lplate }: Learner, advance: string): Promise<void> {
  lplate.clock.advance(1);
  equal((await call('POST', '/range/v1/me/clock', { json: { advance } })).status, 200);
}

/** Moves the learner's clock, which takes a new token. */
async function advance(learner: Learner, duration: string): Promise<void> {
  const { lplate, id, secret } = learner;
  await moveClock(learner, duration);
  learner.token = await lplate.token(id, secret);
}

const head = ({ call }: Learner, id: string) => call('HEAD', `${list}/${id}`);

const readLater = ({ call, token }: Learner, id: string) => call('GET', `${list}/${id}`, { token });

async function ofAnother({ lplate }: Learner): Promise<string> {
  return (await insured(await newLearner(lplate))).id;
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

const outdated = { 'If-Match': '"0-active"' };

testLessons({
  'create-policy': {
    solve: ({ call }) => call('POST', list, { json: { regNumber: newPlate() } }),
    misses: {
      'no registration number': ({ call }) => call('POST', list, { json: {} }),
      'a claim': async (learner) => {
        const { id: policyNumber } = await fromFleet(learner, 'active');
        equal((await learner.call('POST', '/claims/v1/claims', { json: { policyNumber } })).status, 201);
      },
      'a vehicle that is insured': async (learner) => {
        const { regNumber } = await insured(await newLearner(learner.lplate));
        equal((await learner.call('POST', list, { json: { regNumber } })).status, 409);
      },
      'a new one: the answer of an earlier create': async ({ call, lplate }) => {
        const sent = { headers: { 'Idempotency-Key': 'key' }, json: { regNumber: newPlate() } };
        await call('POST', list, sent);
        lplate.clock.advance(1);
        await call('DELETE', '/range/v1/me/lessons/create-policy');
        equal((await call('POST', list, sent)).status, 201);
      },
      'no JSON': ({ call }) => call('POST', list, { headers: form, body: `regNumber=${newPlate()}` }),
      'a header that is refused': ({ call }) =>
        call('POST', list, { headers: { 'X-Idempotency-Key': 'key' }, json: { regNumber: newPlate() } }),
      'a change of nothing': (learner) => change(learner, 'pol-1'),
      'a change of the list': ({ call }) => call('PUT', list, { json: { regNumber: newPlate() } }),
      'another method': ({ call }) => call('PUT', `${list}/pol-1/cancel`),
    },
    remarks: {
      'no registration number': /the request was refused/,
      'a new one: the answer of an earlier create': /^This was the kept answer of an earlier call/,
      'a vehicle that is insured': /this vehicle has a policy/,
      'no JSON': /the request was refused/,
      'a header that is refused': /the request was refused/,
      'a change of nothing': /PUT only changes/,
      'a change of the list': /PUT only changes/,
    },
  },

  'duplicate-policy': {
    async solve(learner) {
      const { regNumber } = await insured(learner);
      return learner.call('POST', list, { json: { regNumber } });
    },
    misses: {
      'no JSON': async (learner) => {
        const { regNumber } = await insured(learner);
        const body = JSON.stringify({ regNumber });
        const headers = { 'Content-Type': 'text/plain' };
        equal((await learner.call('POST', list, { headers, body })).status, 415);
      },
      'two vehicles': async (learner) => {
        await insured(learner);
        await insured(learner);
      },
      'another 409': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        equal((await change(learner, id)).status, 409);
      },
      'insured again after a cancel': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await cancel(learner, id);
        await insured(learner, { regNumber: regNumber.replaceAll('-', '').toLowerCase() });
      },
      'the same key': async ({ call }) => {
        const same = { headers: { 'Idempotency-Key': 'key' }, json: { regNumber: newPlate() } };
        for (let sent = 0; sent < 2; sent += 1) equal((await call('POST', list, same)).status, 201);
      },
      'the same key with another body': async ({ call }) => {
        const [headers, regNumber] = [{ 'Idempotency-Key': 'key' }, newPlate()];
        await call('POST', list, { headers, json: { regNumber } });
        equal((await call('POST', list, { headers, json: { regNumber, holder: 'Ada' } })).status, 422);
      },
      'a body that is refused': async (learner) => {
        const { regNumber } = await insured(learner);
        equal((await learner.call('POST', list, { json: { regNumber, holder: 7 } })).status, 400);
      },
      'a body that is refused, of a vehicle that has no policy': async (learner) => {
        await insured(learner);
        equal((await learner.call('POST', list, { json: { regNumber: newPlate(), holder: 7 } })).status, 400);
      },
    },
    remarks: {
      'insured again after a cancel': /its first one is no longer in force/,
      'the same key': /Idempotency-Key of your first create/,
      'the same key with another body': /Idempotency-Key of your first create/,
      'a body that is refused': /so nobody looked whether/,
      'no JSON': /so nobody looked whether/,
    },
  },

  'read-policy': {
    solve: async (learner) => read(learner, (await insured(learner)).id),
    misses: {
      'its head': async (learner) => head(learner, (await insured(learner)).id),
      'by POST': async (learner) => {
        const { id } = await insured(learner);
        equal((await learner.call('POST', `${list}/${id}`)).status, 405);
      },
      'one that is not there, by POST': ({ call }) => call('POST', `${list}/pol-1`),
      'the head of one that is not there': (learner) => head(learner, 'pol-1'),
      'an id that nobody has': (learner) => read(learner, 'pol-1'),
      'the list': ({ call }) => call('GET', list),
      'its registration number': async (learner) => read(learner, (await insured(learner)).regNumber),
      'the list, once begun': async (learner) => {
        await read(learner, 'pol-1');
        await learner.call('GET', list);
      },
      'the list by its registration number': async (learner) => {
        const { regNumber } = await insured(learner);
        await learner.call('GET', `${list}?regNumber=${regNumber}`);
      },
      'the list by its id': async ({ call, ...rest }) => {
        const { id } = await insured({ call, ...rest });
        await call('GET', `${list}?id=${id}`);
      },
      'what it knows': async (learner) => {
        const { id } = await insured(learner);
        const known = { 'If-None-Match': '"1-active"' };
        equal((await learner.call('GET', `${list}/${id}`, { headers: known })).status, 304);
      },
    },
    remarks: {
      'its head': /HEAD gives no body/,
      'by POST': /you sent POST/,
      'an id that nobody has': /You have no policy with this id/,
      'its registration number': /It needs the id/,
      'the list, once begun': /^You listed your policies/,
      'the list by its registration number': /^You found it in the list/,
      'the list by its id': /The list has no such filter/,
      'what it knows': /you named its ETag/,
      'the list': /You listed your policies\. Read one of them by/,
    },
  },

  'unknown-policy': {
    solve: (learner) => read(learner, 'pol-1'),
    misses: {
      'one’s own, once begun': async (learner) => {
        await read(learner, await ofAnother(learner));
        await read(learner, (await insured(learner)).id);
      },
      'the list by an id': async (learner) => {
        await learner.call('GET', `${list}?id=pol-1`);
        await read(learner, (await insured(learner)).id);
        await learner.call('GET', list);
        await learner.call('GET', `${list}?id=pol-1`);
      },
      'the list by an id, and by a vehicle': async (learner) => {
        await read(learner, (await insured(learner)).id);
        await learner.call('GET', `${list}?id=pol-1`);
        await learner.call('GET', `${list}?regNumber=${newPlate()}`);
      },
      'the list by a vehicle': (learner) => learner.call('GET', `${list}?regNumber=${newPlate()}`),
      'somebody else’s': async (learner) => read(learner, await ofAnother(learner)),
      'a registration number': async (learner) => read(learner, (await insured(learner)).regNumber),
      'a registration number, when a policy was read': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await read(learner, id);
        await read(learner, regNumber);
      },
      'a change': async (learner) => {
        await read(learner, (await insured(learner)).id);
        await change(learner, 'pol-1');
      },
      'one’s own': async (learner) => read(learner, (await insured(learner)).id),
      'no address': ({ bare }) => bare('GET', '/insurer/v1/polices/pol-1'),
      'no address, when a policy was read': async (learner) => {
        await read(learner, (await insured(learner)).id);
        await learner.call('GET', '/insurer/v1/policy/pol-1');
      },
      'a cancel': async (learner) => {
        await read(learner, (await insured(learner)).id);
        await cancel(learner, 'pol-1');
      },
      'a change, before any is read': (learner) => change(learner, 'pol-1'),
      'a claim': ({ call }) => call('POST', '/claims/v1/claims', { json: { policyNumber: 'pol-1' } }),
    },
    remarks: {
      'one’s own, once begun': /This policy exists/,
      'the list by an id': /no such filter/,
      'the list by an id, and by a vehicle': /^You searched the list, and an empty list is no refusal/,
      'somebody else’s': /it belongs to another client/,
      'a registration number, when a policy was read': /It needs the id/,
      'a change': /you tried to change it/,
      'a cancel': /you tried to change it/,
      'no address, when a policy was read': /This 404 is about the address/,
      'the list by a vehicle': /^You searched the list/,
      'a registration number': /The path has the registration number of your policy\./,
      'one’s own': /This policy exists\. Read one with an id that/,
      'no address': /This/,
      'a change, before any is read': /There is no such policy, but you tried to/,
    },
  },

  'anothers-policy': {
    solve: async (learner) => read(learner, await ofAnother(learner)),
    misses: {
      'one’s own, once begun': async (learner) => {
        await change(learner, await ofAnother(learner));
        await read(learner, (await insured(learner)).id);
      },
      'a registration number, once begun': async (learner) => {
        await change(learner, await ofAnother(learner));
        await read(learner, newPlate());
      },
      'an id that nobody has': (learner) => read(learner, 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'),
      'no id of a policy': (learner) => read(learner, '%00'),
      'a change': async (learner) => change(learner, await ofAnother(learner)),
      'one’s own': async (learner) => read(learner, (await insured(learner)).id),
      'another id that nobody has': async (learner) => {
        await read(learner, 'pol-1');
        await read(learner, 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f');
      },
      'a cancel': async (learner) => cancel(learner, await ofAnother(learner)),
    },
    remarks: {
      'one’s own, once begun': /This policy is yours/,
      'a registration number, once begun': /That is no id of a policy/,
      'another id that nobody has': /Nobody has a policy with this id/,
      'a change': /you tried to change it/,
      'a cancel': /you tried to change it/,
      'an id that nobody has': /Nobody has a policy with this id\. You need/,
      'no id of a policy': /That is no id of a policy/,
      'one’s own': /This policy is yours\. Read one of another client/,
    },
  },

  'update-policy': {
    async solve(learner) {
      const { id } = await insured(learner);
      await change(learner, id);
      return read(learner, id);
    },
    misses: {
      'a change: it had this holder': async (learner) => {
        const { id } = await insured(learner, { holder: 'Ada Example' });
        await change(learner, id);
        await read(learner, id);
      },
      'a change: put back as it was read': async (learner) => {
        const json = await insured(learner);
        equal((await change(learner, json.id, { json })).status, 200);
        await read(learner, json.id);
      },
      'no holder, of a policy from before the lesson': async (learner) => {
        const { id } = await insured(learner);
        learner.lplate.clock.advance(1);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/update-policy')).status, 204);
        equal((await change(learner, id, { json: { holder: null } })).status, 200);
      },
      'an outdated tag': async (learner) => {
        const { id } = await insured(learner);
        equal((await change(learner, id, { json: { holder: 'Ada' }, headers: outdated })).status, 412);
      },
      'no JSON': async (learner) => {
        const { id } = await insured(learner);
        equal(
          (await change(learner, id, { body: 'holder=Ada', headers: { 'Content-Type': 'text/plain' } })).status,
          415,
        );
      },
      'by its registration number': async (learner) => change(learner, (await insured(learner)).regNumber),
      'read by its registration number': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await change(learner, id);
        await read(learner, regNumber);
      },
      'its head': async (learner) => {
        const { id } = await insured(learner);
        await change(learner, id);
        await head(learner, id);
      },
      'what it knows': async (learner) => {
        const { id } = await insured(learner);
        const known = { 'If-None-Match': (await change(learner, id)).headers.get('etag') as string };
        equal((await learner.call('GET', `${list}/${id}`, { headers: known })).status, 304);
      },
      'not read again': async (learner) => change(learner, (await insured(learner)).id),
      'changed twice, and not read': async (learner) => {
        const { id } = await insured(learner);
        await change(learner, id);
        await change(learner, id);
      },
      'cancelled meanwhile': async (learner) => {
        const { id } = await insured(learner);
        await change(learner, id);
        await cancel(learner, id);
        await read(learner, id);
      },
      'only read, twice': async (learner) => {
        const { id } = await fromFleet(learner, 'updated');
        await read(learner, id);
        await read(learner, id);
      },
      'a change that was refused': async (learner) => {
        const { id } = await fromFleet(learner, 'updated');
        equal((await change(learner, id, { json: {} })).status, 400);
        await read(learner, id);
      },
      'another policy than was changed': async (learner) => {
        const { id } = await fromFleet(learner, 'updated');
        await change(learner, (await insured(learner)).id);
        await read(learner, id);
      },
      'by PATCH': async (learner) => {
        const { id } = await insured(learner);
        equal((await learner.call('PATCH', `${list}/${id}`, { json: { holder: 'Ada' } })).status, 405);
      },
      'one that is cancelled': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        equal((await change(learner, id)).status, 409);
      },
      'the list': async (learner) => {
        await change(learner, (await insured(learner)).id);
        await learner.call('GET', list);
      },
      'the list, later': async (learner) => {
        await change(learner, (await insured(learner)).id);
        await insured(learner);
        await learner.call('GET', list);
      },
    },
    remarks: {
      'a change: it had this holder': /^Nothing was changed: you sent the holder that the policy has already, or none/,
      'a change: put back as it was read': /^Nothing was changed: you sent the holder/,
      'no holder, of a policy from before the lesson': /^Nothing was changed: you sent the holder/,
      'an outdated tag': /your If-Match does not have the ETag/,
      'no JSON': /the request was refused/,
      'by its registration number': /It needs the id/,
      'read by its registration number': /It needs the id/,
      'its head': /HEAD gives no body/,
      'what it knows': /you named its ETag/,
      'changed twice, and not read': /changed a policy again/,
      'cancelled meanwhile': /is cancelled by now/,
      'a change that was refused': /the request was refused/,
      'another policy than was changed': /read another policy/,
      'by PATCH': /by PATCH/,
      'one that is cancelled': /cancelled or expired/,
      'the list': /You listed your policies/,
    },
    done: {
      'read by its registration number': 1,
      'its head': 1,
      'what it knows': 1,
      'not read again': 1,
      'changed twice, and not read': 1,
      'cancelled meanwhile': 1,
      'another policy than was changed': 1,
      'the list': 1,
      'the list, later': 1,
    },
  },

  'cancel-twice': {
    async solve(learner) {
      const { id } = await insured(learner);
      await cancel(learner, id);
      return cancel(learner, id);
    },
    misses: {
      'an address without the id': async ({ call }) => {
        equal((await call('POST', `${list}/cancel`)).status, 405);
      },
      'an address without the id, then': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        await learner.call('POST', `${list}/cancel`);
      },
      'by its registration number': async (learner) => cancel(learner, (await insured(learner)).regNumber),
      'by its registration number, then': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await cancel(learner, id);
        await cancel(learner, regNumber);
      },
      once: async (learner) => cancel(learner, (await insured(learner)).id),
      'two policies': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        await cancel(learner, (await insured(learner)).id);
      },
      'refused first': async (learner) => {
        const { id } = await insured(learner);
        equal((await cancel(learner, id, outdated)).status, 412);
        // A step that is done afterwards takes the sentence away.
        match((await stateOf(learner, 'cancel-twice')).lastMiss, /your If-Match does not have the ETag/);
        await cancel(learner, id);
      },
      'refused then': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        equal((await cancel(learner, id, outdated)).status, 412);
      },
      'only read, twice': async (learner) => {
        const { id } = await insured(learner);
        await read(learner, id);
        await read(learner, id);
      },
      'by DELETE': async (learner) => {
        const { id } = await insured(learner);
        equal((await learner.call('DELETE', `${list}/${id}`)).status, 405);
      },
      'by another method': async (learner) => {
        const { id } = await insured(learner);
        equal((await learner.call('PUT', `${list}/${id}/cancel`)).status, 405);
      },
      'by its status': async (learner) =>
        change(learner, (await insured(learner)).id, { json: { status: 'cancelled' } }),
      'one that has expired': async (learner) => cancel(learner, (await fromFleet(learner, 'expired')).id),
      'only refused': async (learner) => cancel(learner, (await insured(learner)).id, outdated),
    },
    remarks: {
      'an address without the id': /the address lacks the id/,
      'an address without the id, then': /the address lacks the id/,
      'by its registration number': /It needs the id/,
      'by its registration number, then': /It needs the id/,
      'two policies': /You cancelled another policy/,
      'refused then': /The second cancel was refused/,
      'by DELETE': /can’t be deleted/,
      'by another method': /it takes another method/,
      'by its status': /can’t set the status/,
      'one that has expired': /this policy has expired/,
      'only refused': /your If-Match does not have the ETag/,
    },
    done: {
      'an address without the id, then': 1,
      'by its registration number, then': 1,
      once: 1,
      'two policies': 1,
      'refused first': 1,
      'refused then': 1,
    },
  },

  'change-cancelled': {
    async solve(learner) {
      const { id } = await insured(learner);
      await cancel(learner, id);
      return change(learner, id);
    },
    misses: {
      'by its registration number': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await cancel(learner, id);
        await change(learner, regNumber);
      },
      'another one, by its registration number': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        await change(learner, (await insured(learner)).regNumber);
      },
      'insured again': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await cancel(learner, id);
        await insured(learner, { regNumber, holder: 'Ada' });
      },
      'insured again, once begun': async (learner) => {
        const { id, regNumber } = await insured(learner);
        await cancel(learner, id);
        await change(learner, id, { json: {} });
        await insured(learner, { regNumber, holder: 'Ada' });
      },
      'in force': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        await change(learner, (await insured(learner)).id);
      },
      'only cancelled again': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        await cancel(learner, id);
      },
      'only read': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        await read(learner, id);
      },
      'expired, and another one cancelled': async (learner) => {
        const { id } = await fromFleet(learner, 'expired');
        await cancel(learner, (await insured(learner)).id);
        equal((await change(learner, id)).status, 409);
      },
      'expired, and its cancel refused': async (learner) => {
        const { id } = await fromFleet(learner, 'expired');
        equal((await cancel(learner, id)).status, 409);
        equal((await change(learner, id)).status, 409);
      },
      'a wrong change': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        equal((await change(learner, id, { json: {} })).status, 400);
      },
      'in force, and another one cancelled before': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        for (let changed = 0; changed < 2; changed += 1) await change(learner, (await insured(learner)).id);
        equal((await stateOf(learner, 'change-cancelled')).misses, 2);
      },
      expired: async (learner) => {
        const { id } = await fromFleet(learner, 'expired');
        equal((await change(learner, id)).status, 409);
      },
      'cancelled by nobody': async (learner) => {
        const { id } = await fromFleet(learner, 'cancelled');
        equal((await change(learner, id)).status, 409);
      },
      'one that is not in the answer': (learner) => change(learner, 'pol-1'),
    },
    remarks: {
      'by its registration number': /It needs the id/,
      'insured again, once begun': /You insured the vehicle again/,
      'in force': /this policy is in force/,
      'in force, and another one cancelled before': /this policy is in force/,
      'expired, and another one cancelled': /your log has no call that cancelled it/,
      'expired, and its cancel refused': /your log has no call that cancelled it/,
      expired: /your log has no call that cancelled it/,
      'cancelled by nobody': /your log has no call that cancelled it/,
      'a wrong change': /but the request was refused/,
      'insured again': /You insured the vehicle again\. Try to change the/,
    },
  },

  'expired-policy': {
    async solve(learner) {
      const { id } = await insured(learner, { coverageOption: 'MTPL-1M' });
      await advance(learner, 'P40D');
      return readLater(learner, id);
    },
    misses: {
      'ten minutes': async (learner) => {
        const { id } = await insured(learner);
        await moveClock(learner, 'PT10M');
        await read(learner, id);
      },
      'its registration number': async (learner) => {
        const { regNumber } = await insured(learner, { coverageOption: 'MTPL-1M' });
        await advance(learner, 'P40D');
        await readLater(learner, regNumber);
      },
      'its registration number, when no time has passed': async (learner) =>
        read(learner, (await insured(learner)).regNumber),
      'one of a fleet': async (learner) => {
        await insured(learner);
        const { id } = await fromFleet(learner, 'expired');
        await read(learner, id);
        await read(learner, id);
      },
      'still in force': async (learner) => {
        const { id } = await insured(learner);
        await advance(learner, 'P40D');
        await readLater(learner, id);
      },
      'cancelled before': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        await advance(learner, 'P40D');
        await readLater(learner, id);
      },
      'no time between': async (learner) => read(learner, (await insured(learner)).id),
      'created after the move': async (learner) => {
        await insured(learner, { coverageOption: 'MTPL-1M' });
        await advance(learner, 'P40D');
        await readLater(learner, (await insured(learner)).id);
      },
      'in force, and only changed': async (learner) => {
        const { id } = await insured(learner);
        await advance(learner, 'P40D');
        const { call, token } = learner;
        equal((await call('PUT', `${list}/${id}`, { token, json: { holder: 'Ada' } })).status, 200);
      },
      'not changed since': async (learner) => {
        const { id } = await insured(learner);
        await learner.call('POST', list, { json: {} });
        const { headers }: Answer = await read(learner, id);
        await advance(learner, 'P40D');
        const { call, token } = learner;
        const known = { 'If-None-Match': headers.get('etag') as string };
        equal((await call('GET', `${list}/${id}`, { token, headers: known })).status, 304);
      },
      'its head': async (learner) => {
        const { id } = await insured(learner, { coverageOption: 'MTPL-1M' });
        await head(learner, id);
        await advance(learner, 'P40D');
        await head(learner, id);
      },
      'the list': async (learner) => {
        await insured(learner, { coverageOption: 'MTPL-1M' });
        await advance(learner, 'P40D');
        await learner.call('GET', list, { token: learner.token });
      },
      'its last day': async (learner) => {
        const { id, endDate } = await insured(learner, { coverageOption: 'MTPL-1M' });
        const days = (Date.parse(endDate) - Date.parse('2026-03-02')) / 86_400_000;
        await advance(learner, `P${days}D`);
        equal((await readLater(learner, id)).json.status, 'active');
      },
      'cancelled before its last day': async (learner) => {
        const { id } = await insured(learner, { coverageOption: 'MTPL-1M' });
        await cancel(learner, id);
        await advance(learner, 'P40D');
        await readLater(learner, id);
      },
    },
    remarks: {
      'ten minutes': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'its registration number': /It needs the id/,
      'one of a fleet': /your log has no call that created it/,
      'still in force': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'not changed since': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'no time between': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'created after the move': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'its last day': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/,
      'cancelled before': /You cancelled this policy/,
      'cancelled before its last day': /You cancelled this policy/,
      'its head': /HEAD gives no body/,
      'the list': /You listed your policies/,
    },
    done: { 'its head': 1, 'the list': 1, 'its registration number': 1, 'created after the move': 1 },
  },
});
