import { equal } from 'node:assert/strict';
import type { Answer, CallOptions } from '../../support/lplate.ts';
import { move } from '../clocks/clock.ts';
import { type Learner, newLearner, newPlate, testLessons } from './lesson.ts';

const list = '/insurer/v1/policies';

type Policy = { id: string; regNumber: string; status: string };

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

/** Moves the learner's clock, which takes a new token. */
async function advance(learner: Learner, duration: string): Promise<void> {
  const { lplate, id, secret } = learner;
  await move(lplate, learner, duration);
  learner.token = await lplate.token(id, secret);
}

const readLater = ({ call, token }: Learner, id: string) => call('GET', `${list}/${id}`, { token });

async function ofAnother({ lplate }: Learner): Promise<string> {
  return (await insured(await newLearner(lplate))).id;
}

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
    },
  },

  'duplicate-policy': {
    async solve(learner) {
      const { regNumber } = await insured(learner);
      return learner.call('POST', list, { json: { regNumber } });
    },
    misses: {
      'two vehicles': async (learner) => {
        await insured(learner);
        await insured(learner);
      },
      'another 409': async (learner) => {
        const { id } = await insured(learner);
        await cancel(learner, id);
        equal((await change(learner, id)).status, 409);
      },
    },
  },

  'read-policy': {
    solve: async (learner) => read(learner, (await insured(learner)).id),
    misses: {
      'an id that nobody has': (learner) => read(learner, 'pol-1'),
      'the list': ({ call }) => call('GET', list),
    },
  },

  'unknown-policy': {
    solve: (learner) => read(learner, 'pol-1'),
    misses: {
      'somebody else’s': async (learner) => read(learner, await ofAnother(learner)),
      'a change': (learner) => change(learner, 'pol-1'),
      'one’s own': async (learner) => read(learner, (await insured(learner)).id),
      'no address': ({ bare }) => bare('GET', '/insurer/v1/polices/pol-1'),
    },
  },

  'anothers-policy': {
    solve: async (learner) => read(learner, await ofAnother(learner)),
    misses: {
      'an id that nobody has': (learner) => read(learner, 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'),
      'no id of a policy': (learner) => read(learner, '%00'),
      'a change': async (learner) => change(learner, await ofAnother(learner)),
      'one’s own': async (learner) => read(learner, (await insured(learner)).id),
    },
  },

  'update-policy': {
    async solve(learner) {
      const { id } = await insured(learner);
      await change(learner, id);
      return read(learner, id);
    },
    misses: {
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
    },
    remarks: {
      'cancelled meanwhile': /is cancelled by now/,
      'another policy than was changed': /read another policy/,
    },
    done: {
      'not read again': 1,
      'changed twice, and not read': 1,
      'cancelled meanwhile': 1,
      'another policy than was changed': 1,
    },
  },

  'cancel-twice': {
    async solve(learner) {
      const { id } = await insured(learner);
      await cancel(learner, id);
      return cancel(learner, id);
    },
    misses: {
      once: async (learner) => cancel(learner, (await insured(learner)).id),
      'two policies': async (learner) => {
        await cancel(learner, (await insured(learner)).id);
        await cancel(learner, (await insured(learner)).id);
      },
      'refused first': async (learner) => {
        const { id } = await insured(learner);
        equal((await cancel(learner, id, outdated)).status, 412);
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
    },
  },

  'change-cancelled': {
    async solve(learner) {
      const { id } = await insured(learner);
      await cancel(learner, id);
      return change(learner, id);
    },
    misses: {
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
    },
  },

  'expired-policy': {
    async solve(learner) {
      const { id } = await insured(learner, { coverageOption: 'MTPL-1M' });
      await advance(learner, 'P40D');
      return readLater(learner, id);
    },
    misses: {
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
    },
    remarks: { 'still in force': /covers the vehicle until \d{4}-\d\d-\d\d, and your clock/ },
  },
});
