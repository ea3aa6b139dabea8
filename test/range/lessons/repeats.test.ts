import { equal } from 'node:assert/strict';
import type { Answer } from '../../support/lplate.ts';
import { type Learner, newLearner, newPlate, testLessons } from './lesson.ts';

const list = '/insurer/v1/policies';

const createWith = ({ call }: Learner, json: object, key?: string): Promise<Answer> =>
  call('POST', list, { headers: key === undefined ? {} : { 'Idempotency-Key': key }, json });

/** The address of a new policy, and its tag. */
async function insured(learner: Learner): Promise<[path: string, tag: string]> {
  const { status, text, json, headers } = await createWith(learner, { regNumber: newPlate() });
  equal(status, 201, text);
  return [`${list}/${json.id}`, headers.get('etag') as string];
}

/** A vehicle that another client has insured. */
async function insuredByAnother({ lplate }: Learner): Promise<string> {
  const regNumber = newPlate();
  equal((await createWith(await newLearner(lplate), { regNumber })).status, 201);
  return regNumber;
}

function change({ call }: Learner, path: string, ifMatch?: string, json: object = { holder: 'Ada' }): Promise<Answer> {
  return call('PUT', path, { headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch }, json });
}

/** The address of a policy whose change was refused with 412, and the tag that it had before. */
async function refused(learner: Learner): Promise<[path: string, old: string]> {
  const [path, old] = await insured(learner);
  await change(learner, path);
  equal((await change(learner, path, old)).status, 412);
  return [path, old];
}

const tagOf = ({ headers }: Answer) => headers.get('etag') as string;

const known = (tag: string) => ({ headers: { 'If-None-Match': tag } });

async function registered({ call }: Learner, path: string, key: string, more: object = {}): Promise<Answer> {
  const json = { policyNumber: path.slice(list.length + 1), ...more };
  return call('POST', '/claims/v1/claims', { headers: { 'Idempotency-Key': key }, json });
}

testLessons({
  'retried-create': {
    async solve(learner) {
      const regNumber = newPlate();
      await createWith(learner, { regNumber }, 'once');
      return createWith(learner, { regNumber }, 'once');
    },
    misses: {
      once: (learner) => createWith(learner, { regNumber: newPlate() }, 'once'),
      'without a key': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber });
        await createWith(learner, { regNumber });
      },
      'another key': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'one');
        await createWith(learner, { regNumber }, 'two');
      },
      'another body': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        equal((await createWith(learner, { regNumber, holder: 'Ada' }, 'once')).status, 422);
      },
      'a vehicle that somebody else has insured': async (learner) => {
        const regNumber = await insuredByAnother(learner);
        await createWith(learner, { regNumber: newPlate() }, 'one');
        equal((await createWith(learner, { regNumber }, 'two')).status, 409);
        equal((await createWith(learner, { regNumber }, 'two')).status, 409);
      },
      'the same in a body that is too long to be kept': async (learner) => {
        const json = JSON.stringify({ regNumber: await insuredByAnother(learner) });
        const headers = { 'Idempotency-Key': 'long', 'Content-Type': 'application/json' };
        await learner.call('POST', list, { headers, body: json + ' '.repeat(2000) });
      },
      'a refusal of another kind': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber });
        equal((await createWith(learner, { regNumber, holder: 7 }, 'key')).status, 400);
      },
      'a claim': async (learner) => {
        const [path] = await insured(learner);
        await registered(learner, path, 'once');
        equal((await registered(learner, path, 'once')).headers.get('idempotency-replayed'), 'true');
        equal((await registered(learner, path, 'once', { paceSeconds: 9 })).status, 422);
      },
    },
    remarks: { 'another key': /did not have the same Idempotency-Key/, 'another body': /the body was another/ },
  },

  'lost-update': {
    async solve(learner) {
      const [path] = await refused(learner);
      const tag = tagOf(await learner.call('GET', path));
      equal((await change(learner, path, tag, {})).status, 400);
      return change(learner, path, tag);
    },
    misses: {
      'no refusal': async (learner) => {
        const [path, tag] = await insured(learner);
        await change(learner, path, tag);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'only read again': async (learner) => {
        const [path] = await refused(learner);
        await learner.call('GET', path);
      },
      'refused again for another reason': async (learner) => {
        const [path] = await refused(learner);
        equal((await change(learner, path, tagOf(await learner.call('GET', path)), {})).status, 400);
      },
      'refused for a tag that never was': async (learner) => {
        const [path] = await insured(learner);
        equal((await change(learner, path, '"none"')).status, 412);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'refused for a tag that was seen later': async (learner) => {
        const [path] = await insured(learner);
        equal((await change(learner, path, '"2-updated"')).status, 412);
        const [other] = await insured(learner);
        equal(tagOf(await change(learner, other)), '"2-updated"');
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'without If-Match': async (learner) => {
        const [path] = await refused(learner);
        await change(learner, path);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'the tag that the refusal names': async (learner) => {
        const [path] = await refused(learner);
        equal((await change(learner, path, '"2-updated"')).status, 200);
      },
      'any tag': async (learner) => {
        const [path] = await refused(learner);
        await learner.call('GET', path);
        await change(learner, path, '*');
      },
      'the tag of a read before': async (learner) => {
        const [path, old] = await insured(learner);
        await change(learner, path);
        const tag = tagOf(await learner.call('GET', path));
        equal((await change(learner, path, old)).status, 412);
        await change(learner, path, tag);
      },
      'the tag of another policy': async (learner) => {
        const [path] = await refused(learner);
        const [other] = await insured(learner);
        await change(learner, other);
        await change(learner, path, tagOf(await learner.call('GET', other)));
      },
      'the tag of its head': async (learner) => {
        const [path] = await refused(learner);
        await change(learner, path, tagOf(await learner.call('HEAD', path)));
      },
      'another policy than was refused': async (learner) => {
        await refused(learner);
        const [other] = await insured(learner);
        await change(learner, other, tagOf(await learner.call('GET', other)));
      },
    },
    remarks: {
      'without If-Match': /without If-Match/,
      'the tag that the refusal names': /have not read since the 412/,
      'any tag': /have not read since the 412/,
      'the tag of a read before': /have not read since the 412/,
      'the tag of another policy': /have not read since the 412/,
      'the tag of its head': /have not read since the 412/,
    },
    done: { 'only read again': 2, 'refused again for another reason': 2, 'another policy than was refused': 1 },
  },

  'not-modified': {
    async solve(learner) {
      const [path, tag] = await insured(learner);
      return learner.call('GET', path, known(tag));
    },
    misses: {
      'any tag': async (learner) => {
        const [path] = await insured(learner);
        equal((await learner.call('GET', path, known('*'))).status, 304);
      },
      'a tag without quotes': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await learner.call('GET', path, known(tag.replaceAll('"', '')))).status, 200);
      },
      changed: async (learner) => {
        const [path, tag] = await insured(learner);
        await change(learner, path);
        equal((await learner.call('GET', path, known(tag))).status, 200);
      },
      'no tag': async (learner) => {
        const [path] = await insured(learner);
        for (let read = 0; read < 2; read += 1) equal((await learner.call('GET', path)).status, 200);
      },
      'a claim': async (learner) => {
        const { headers } = await registered(learner, (await insured(learner))[0], 'key');
        const path = headers.get('location') as string;
        const tag = tagOf(await learner.call('GET', path));
        equal((await learner.call('GET', path, known(tag))).status, 304);
      },
    },
    remarks: {
      'any tag': /has a star/,
      changed: /^The ETag of the policy is "2-updated", and you named another one/,
      'a tag without quotes': /has no quotes/,
    },
  },
});
