import { deepEqual, equal } from 'node:assert/strict';
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
  await change(learner, path, undefined, { holder: 'Grace' });
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
      await createWith(learner, { regNumber }, regNumber);
      return createWith(learner, { regNumber }, regNumber);
    },
    misses: {
      once: (learner) => createWith(learner, { regNumber: newPlate() }, 'once'),
      'without a key': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber });
        await createWith(learner, { regNumber });
      },
      'without a key, when the refusal is known': async (learner) => {
        const regNumber = newPlate();
        for (let sent = 0; sent < 3; sent += 1) await createWith(learner, { regNumber });
      },
      'without a key, after a change': async (learner) => {
        await change(learner, (await insured(learner))[0]);
        const regNumber = newPlate();
        for (let sent = 0; sent < 2; sent += 1) await createWith(learner, { regNumber });
      },
      'without a key, after a claim': async (learner) => {
        await registered(learner, (await insured(learner))[0], 'key');
        const regNumber = newPlate();
        for (let sent = 0; sent < 2; sent += 1) await createWith(learner, { regNumber });
      },
      'a key that is not sent again': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        await createWith(learner, { regNumber });
      },
      'a key in a header of another name': async ({ call }) => {
        const { status } = await call('POST', list, {
          headers: { 'X-Idempotency-Key': 'once' },
          json: { regNumber: newPlate() },
        });
        equal(status, 400);
      },
      'a key in the body': (learner) => createWith(learner, { regNumber: newPlate(), idempotencyKey: 'once' }),
      'a key in the query': ({ call }) =>
        call('POST', `${list}?Idempotency-Key=once`, { json: { regNumber: newPlate() } }),
      'before the first one has ended': async (learner) => {
        await createWith(learner, { regNumber: newPlate() }, 'earlier');
        await learner.call('POST', '/range/v1/me/drills', { json: { name: 'delay', parameters: { fromMs: 600 } } });
        const regNumber = newPlate();
        const both = await Promise.all([1, 2].map(() => createWith(learner, { regNumber }, 'once')));
        deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
      },
      'a call from before the lesson was taken again': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        learner.lplate.clock.advance(1);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/retried-create')).status, 204);
        equal((await createWith(learner, { regNumber }, 'once')).headers.get('idempotency-replayed'), 'true');
      },
      'a call from before the lesson was taken again, and a new one': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        learner.lplate.clock.advance(1);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/retried-create')).status, 204);
        await createWith(learner, { regNumber: newPlate() }, 'new');
        equal((await createWith(learner, { regNumber }, 'once')).headers.get('idempotency-replayed'), 'true');
      },
      'another key': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'one');
        await createWith(learner, { regNumber }, 'two');
      },
      'a key that has expired': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT25H' } });
        learner.token = await learner.lplate.token(learner.id, learner.secret);
        equal((await createWith(learner, { regNumber }, 'once')).status, 409);
      },
      'a body that is refused': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        equal((await createWith(learner, { regNumber, holder: 7 }, 'once')).status, 400);
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
    alsoSolvedBy: {
      'the key with quotes': async (learner) => {
        const regNumber = newPlate();
        await createWith(learner, { regNumber }, 'once');
        await createWith(learner, { regNumber }, '"once"');
      },
    },
    remarks: {
      'without a key, when the refusal is known': /the same create twice, and the second one was taken for a new/,
      'without a key, after a change': /the same create twice, and the second one was taken for a new/,
      'a claim': /^You repeated a claim\. Do the same with a policy\./,
      'without a key, after a claim': /the same create twice, and the second one was taken for a new/,
      'a key that is not sent again': /again without its key/,
      'a key in a header of another name': /^Nothing was created: the header with your key was refused/,
      'a key in the body': /but not as a header/,
      'a key in the query': /but not as a header/,
      'before the first one has ended': /while the first one was still running/,
      'a call from before the lesson was taken again, and a new one': /from before this attempt/,
      'a call from before the lesson was taken again': /from before this attempt/,
      'another key': /did not have the same Idempotency-Key/,
      'a key that has expired': /^The key was the same, but it is known only for 24 hours/,
      'a body that is refused': /^You sent your key again, but the request was refused/,
      'another body': /the body was another/,
      'without a key': /You sent the same create twice, and the second/,
    },
    done: {
      once: 1,
      'a key that is not sent again': 1,
      'a call from before the lesson was taken again, and a new one': 1,
      'before the first one has ended': 1,
      'another key': 1,
      'a key that has expired': 1,
      'a body that is refused': 1,
      'another body': 1,
      'a vehicle that somebody else has insured': 1,
    },
  },

  'lost-update': {
    async solve(learner) {
      const [path] = await refused(learner);
      const tag = tagOf(await learner.call('GET', path));
      equal((await change(learner, path, tag, {})).status, 400);
      return change(learner, path, tag);
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        const [path] = await refused(learner);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'refused for other tags before it was read': async (learner) => {
        const [path] = await refused(learner);
        for (const tag of ['"abc"', '"2-active"', '2-updated']) equal((await change(learner, path, tag)).status, 412);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'refused for a tag without quotes, once it was read': async (learner) => {
        const [path] = await refused(learner);
        const tag = tagOf(await learner.call('GET', path));
        equal((await change(learner, path, tag.replaceAll('"', ''))).status, 412);
        await change(learner, path, tag);
      },
      'refused for the old tag, once it was read': async (learner) => {
        const [path, old] = await refused(learner);
        const tag = tagOf(await learner.call('GET', path));
        equal((await change(learner, path, old)).status, 412);
        await change(learner, path, tag);
      },
    },
    misses: {
      'the change, in the end': async (learner) => {
        const [path] = await refused(learner);
        await change(learner, path, tagOf(await learner.call('GET', path)), { holder: 'Grace' });
      },
      'a header of another name': async (learner) => {
        const [path, tag] = await insured(learner);
        const headers = { If_Match: tag };
        equal((await learner.call('PUT', path, { headers, json: { holder: 'Ada' } })).status, 400);
      },
      'a header of another name, in the end': async (learner) => {
        const [path] = await refused(learner);
        const headers = { If_Match: tagOf(await learner.call('GET', path)) };
        equal((await learner.call('PUT', path, { headers, json: { holder: 'Ada' } })).status, 400);
      },
      'a tag that never was, once it was read': async (learner) => {
        const [path] = await refused(learner);
        await learner.call('GET', path);
        equal((await change(learner, path, '"abc"')).status, 412);
      },
      'a tag without quotes, once it was read': async (learner) => {
        const [path] = await refused(learner);
        const tag = tagOf(await learner.call('GET', path));
        equal((await change(learner, path, tag.replaceAll('"', ''))).status, 412);
      },
      'no refusal': async (learner) => {
        const [path, tag] = await insured(learner);
        await change(learner, path, tag);
        await change(learner, path, tagOf(await learner.call('GET', path)));
      },
      'no refusal, twice without If-Match': async (learner) => {
        const [path] = await insured(learner);
        await change(learner, path);
        await learner.call('GET', path);
        await change(learner, path);
      },
      'no refusal, read and without If-Match': async (learner) => {
        const [known] = await insured(learner);
        await change(learner, known);
        await learner.call('GET', known);
        const [path] = await insured(learner);
        await learner.call('GET', path);
        await change(learner, path);
      },
      'no refusal, read and without If-Match, after a claim': async (learner) => {
        const [path] = await insured(learner);
        await registered(learner, path, 'key');
        await learner.call('GET', path);
        await change(learner, path);
      },
      'what the lesson before asks for': async (learner) => {
        const [path] = await insured(learner);
        await learner.call('GET', path);
        await change(learner, path);
        await change(learner, path);
        await learner.call('GET', path);
      },
      'one that plays the other person': async (learner) => {
        const [known] = await insured(learner);
        await change(learner, known);
        await learner.call('GET', known);
        await change(learner, (await insured(learner))[0]);
      },
      'the latest tag': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await change(learner, path, tag)).status, 200);
      },
      'a star': async (learner) => {
        const [path] = await insured(learner);
        equal((await change(learner, path, '*')).status, 200);
      },
      'refused for a tag without quotes': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await change(learner, path, tag.replaceAll('"', ''))).status, 412);
      },
      'refused for a weak tag': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await change(learner, path, `W/${tag}`)).status, 412);
      },
      'by PATCH': async (learner) => {
        const [path] = await insured(learner);
        equal((await learner.call('PATCH', path, { json: { holder: 'Ada' } })).status, 405);
      },
      'refused for its form, and then by PATCH': async (learner) => {
        const [path, tag] = await insured(learner);
        await change(learner, path, tag.replaceAll('"', ''));
        const headers = { 'If-Match': tag };
        equal((await learner.call('PATCH', path, { headers, json: { holder: 'Ada' } })).status, 405);
      },
      'refused for its form, and then cancelled': async (learner) => {
        const [path, tag] = await insured(learner);
        await change(learner, path, tag.replaceAll('"', ''));
        equal((await learner.call('POST', `${path}/cancel`, { headers: { 'If-Match': tag } })).status, 200);
      },
      'refused by If-None-Match': async (learner) => {
        const [path, tag] = await insured(learner);
        const { status } = await learner.call('PUT', path, { ...known(tag), json: { holder: 'Ada' } });
        equal(status, 412);
      },
      'refused twice, and not read': async (learner) => {
        const [path, old] = await refused(learner);
        equal((await change(learner, path, old)).status, 412);
      },
      'read, and refused again': async (learner) => {
        const [path, old] = await refused(learner);
        await learner.call('GET', path);
        equal((await change(learner, path, old)).status, 412);
      },
      'one that the other person cancelled': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await learner.call('POST', `${path}/cancel`)).status, 200);
        equal((await change(learner, path, tag)).status, 409);
      },
      'a cancelled one': async (learner) => {
        const [path] = await insured(learner);
        equal((await learner.call('POST', `${path}/cancel`)).status, 200);
        equal((await change(learner, path)).status, 409);
      },
      'only cancelled': async (learner) => {
        const [path] = await refused(learner);
        const tag = tagOf(await learner.call('GET', path));
        equal((await learner.call('POST', `${path}/cancel`, { headers: { 'If-Match': tag } })).status, 200);
      },
      'its cancel refused': async (learner) => {
        const [path, old] = await refused(learner);
        equal((await learner.call('POST', `${path}/cancel`, { headers: { 'If-Match': old } })).status, 412);
      },
      'by PATCH, in the end': async (learner) => {
        const [path] = await refused(learner);
        const headers = { 'If-Match': tagOf(await learner.call('GET', path)) };
        equal((await learner.call('PATCH', path, { headers, json: { holder: 'Ada' } })).status, 405);
      },
      'another one cancelled': async (learner) => {
        const [other] = await insured(learner);
        await refused(learner);
        equal((await learner.call('POST', `${other}/cancel`)).status, 200);
      },
      'a refusal before the list': async (learner) => {
        await change(learner, (await insured(learner))[0]);
        await learner.call('GET', list);
      },
      'the list read': async (learner) => {
        await refused(learner);
        for (let read = 0; read < 2; read += 1) await learner.call('GET', list);
      },
      'another one read': async (learner) => {
        const [other] = await insured(learner);
        await refused(learner);
        await learner.call('GET', other);
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
      'its head': async (learner) => {
        const [path] = await refused(learner);
        await learner.call('HEAD', path);
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
      'the change, in the end': /^You sent the holder that you read, so you gave up your change/,
      'a header of another name': /^The header with your ETag was refused/,
      'a header of another name, in the end': /^The header with your ETag was refused/,
      'a tag that never was, once it was read':
        /^The change was refused, but you never got the ETag in your If-Match\. Send one that you got\.$/,
      'a tag without quotes, once it was read': /the form of your If-Match/,
      'no refusal': /your If-Match had the latest ETag/,
      'no refusal, twice without If-Match': /nobody checked whether the policy had changed/,
      'no refusal, read and without If-Match': /nobody checked whether the policy had changed/,
      'no refusal, read and without If-Match, after a claim': /nobody checked whether the policy had changed/,
      'a star': /The star in If-Match fits every ETag/,
      'refused for a tag without quotes': /the form of your If-Match/,
      'refused for a weak tag': /the form of your If-Match/,
      'refused for its form, and then by PATCH': /can’t be changed by PATCH/,
      'refused for its form, and then cancelled': /^You sent a cancel/,
      'refused by If-None-Match': /not by If-Match/,
      'refused for a tag that never was': /you never got the ETag/,
      'refused for a tag that was seen later': /you never got the ETag/,
      'refused twice, and not read': /refused again\. Read the policy/,
      'read, and refused again': /still has an old ETag/,
      'one that the other person cancelled': /^The other person cancelled the policy, so nobody can change it/,
      'only cancelled': /^You cancelled the policy, so it can’t be changed any more\. Begin again: with a new/,
      'its cancel refused': /^You sent a cancel/,
      'by PATCH, in the end': /can’t be changed by PATCH/,
      'the list read': /^You read the list, which has no ETag\./,
      'its head': /HEAD gives no body/,
      'another one read': /You read another policy/,
      'another policy than was refused': /You changed another policy/,
      'without If-Match': /without If-Match, so nobody checked what it overwrites/,
      'the tag that the refusal names': /^No GET since the 412 gave you/,
      'any tag': /^The star in If-Match fits every ETag, so nobody checked/,
      'the tag of a read before': /^No GET since the 412 gave you/,
      'the tag of another policy': /^No GET since the 412 gave you/,
      'the tag of its head': /^No GET since the 412 gave you/,
      'what the lesson before asks for': /You sent the change without If-Match, so nobody checked/,
      'one that plays the other person': /You sent the change without If-Match, so nobody checked/,
      'the latest tag': /The change was made, since your If-Match had the/,
      'by PATCH': /Nothing was changed/,
      'a cancelled one': /You sent a cancel, but this lesson is about/,
      'a refusal before the list': /You sent the change without If-Match, so nobody checked/,
    },
    done: {
      'a header of another name, in the end': 2,
      'a tag that never was, once it was read': 2,
      'a tag without quotes, once it was read': 2,
      'refused twice, and not read': 1,
      'read, and refused again': 2,
      'its cancel refused': 1,
      'by PATCH, in the end': 2,
      'its head': 1,
      'another one read': 1,
      'another one cancelled': 1,
      'the list read': 1,
      'only read again': 2,
      'refused again for another reason': 2,
      'another policy than was refused': 1,
    },
  },

  'not-modified': {
    async solve(learner) {
      const [path, tag] = await insured(learner);
      return learner.call('GET', path, known(tag));
    },
    misses: {
      'a header of another name': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await learner.call('GET', path, { headers: { 'If-None-Matches': tag } })).status, 400);
      },
      'a change': async (learner) => {
        const [path, tag] = await insured(learner);
        await learner.call('PUT', path, { ...known(tag), json: { holder: 'Ada' } });
      },
      'any tag': async (learner) => {
        const [path] = await insured(learner);
        equal((await learner.call('GET', path, known('*'))).status, 304);
      },
      'the tag of another policy, twice': async (learner) => {
        const { json } = await learner.call('POST', '/range/v1/me/fleet');
        const { id } = json.policies.find(({ status }: { status: string }) => status === 'active');
        const [, tag] = await insured(learner);
        for (let read = 0; read < 2; read += 1)
          equal((await learner.call('GET', `${list}/${id}`, known(tag))).status, 304);
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
      'no tag, after another try': async (learner) => {
        const [path, tag] = await insured(learner);
        await learner.call('GET', path, { headers: { 'If-Match': tag } });
        for (let read = 0; read < 2; read += 1) equal((await learner.call('GET', path)).status, 200);
      },
      'a new tag, after another try': async (learner) => {
        const [path, tag] = await insured(learner);
        await learner.call('GET', path, { headers: { 'If-Match': tag } });
        await learner.call('GET', path);
        await change(learner, path);
        await learner.call('GET', path);
      },
      'a date': async (learner) => {
        const [path] = await insured(learner);
        const headers = { 'If-Modified-Since': new Date(0).toUTCString() };
        equal((await learner.call('GET', path, { headers })).status, 200);
      },
      'the header of answers': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await learner.call('GET', path, { headers: { ETag: tag } })).status, 200);
      },
      'If-Match': async (learner) => {
        const [path, tag] = await insured(learner);
        equal((await learner.call('GET', path, { headers: { 'If-Match': tag } })).status, 200);
      },
      'the list': async (learner) => {
        const [, tag] = await insured(learner);
        equal((await learner.call('GET', list, known(tag))).status, 200);
      },
      'its head': async (learner) => {
        const [path, tag] = await insured(learner);
        await learner.call('HEAD', path);
        equal((await learner.call('HEAD', path, known(tag))).status, 304);
      },
      'a claim': async (learner) => {
        const { headers } = await registered(learner, (await insured(learner))[0], 'key');
        const path = headers.get('location') as string;
        const tag = tagOf(await learner.call('GET', path));
        equal((await learner.call('GET', path, known(tag))).status, 304);
      },
    },
    remarks: {
      'a header of another name': /^The header with your ETag was refused/,
      'any tag': /has a star/,
      'the tag of another policy, twice': /^Nothing shows that you got this ETag with this policy/,
      changed: /its ETag is not the one that you named/,
      'If-Match': /If-Match is for changes/,
      'no tag, after another try': /^You read it again without a condition\./,
      'a new tag, after another try': /If-Match is for changes/,
      'a date': /^The insurer does not look at If-Modified-Since\./,
      'the header of answers': /^ETag is a header of answers\./,
      'a claim': /^That was a claim\. Do the same with a policy\./,
      'the list': /the list of policies has none/,
      'its head': /Read the policy with GET/,
      'a tag without quotes': /has no quotes/,
      'a change': /^You sent a change/,
      'no tag': /You read it again without a condition\. A header/,
    },
  },
});
