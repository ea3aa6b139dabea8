import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, sharedClient, sharedLPlate } from '../support/lplate.ts';

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  let vehicles = 0;

  const create = async (members: object = { holder: 'Ada Example' }) => {
    vehicles += 1;
    const json = { regNumber: `PB-${vehicles}`, ...members };
    return (await lplate.call('POST', '/policies', { token: client.token, json })).json;
  };
  const put = (id: string, json: object, { token } = client) => lplate.call('PUT', `/policies/${id}`, { token, json });

  test('Decisions, REST conventions: what was read can be changed and put back, again and again', async () => {
    let policy = await create();
    for (const holder of ['Grace Example', 'Alan Example']) {
      lplate.clock.advance(1_000);
      const answer = await put(policy.id, { ...policy, holder });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.get('l-plate-ignored'), null);
      assert.deepEqual([answer.json.status, answer.json.holder], ['updated', holder]);
      policy = answer.json;
    }
  });

  test('Decisions, policies: a policy that has no holder is put back as it was read; a holder is never taken away', async () => {
    let policy = await create({});
    for (const json of [policy, { holder: null }]) {
      const answer = await put(policy.id, json);
      assert.deepEqual([answer.status, answer.json.status, answer.json.holder], [200, 'updated', null], answer.text);
      policy = answer.json;
    }
    const named = (await put(policy.id, { ...policy, holder: 'Grace Example' })).json;
    for (const [json, pointers] of [
      [{ ...named, holder: null }, ['/holder']],
      [{ holder: null }, ['/holder']],
      [{ holder: null, status: 'cancelled' }, ['/holder', '/status']],
    ] as const) {
      const answer = await put(policy.id, json);
      assert.deepEqual(problem(answer), [400, 'validation-error']);
      assert.deepEqual(
        answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
      assert.match(answer.json.errors[0].detail, /^can’t be taken away\. It is "Grace Example", and you sent null\./);
    }
    const read = await lplate.call('GET', `/policies/${policy.id}`, { token: client.token });
    assert.deepEqual(read.json, named, 'nothing was changed');
  });

  test('Decisions, REST conventions: members that a PUT can’t set are refused when they differ, each with what to do', async () => {
    const policy = await create();
    const { holder, ...fixed } = policy;
    for (const [member, stored] of Object.entries(fixed)) {
      for (const sent of ['other', null, 7, {}, [stored]]) {
        const answer = await put(policy.id, { holder, [member]: sent });
        assert.deepEqual(problem(answer), [400, 'validation-error'], member);
        const [error, ...others] = answer.json.errors;
        assert.deepEqual([error.pointer, others], [`/${member}`, []]);
        assert.match(error.detail, /^can’t be set here\. It is ".*", and you sent .*\. [A-Z].*\.$/);
        assert.ok(error.detail.includes(`It is ${JSON.stringify(stored)}`));
      }
    }
    const all = await put(policy.id, Object.fromEntries(Object.keys(policy).map((member) => [member, 'x'])));
    assert.equal(all.json.errors.length, Object.keys(fixed).length);
    const read = await lplate.call('GET', `/policies/${policy.id}`, { token: client.token });
    assert.deepEqual(read.json, policy, 'nothing was changed');
  });

  test('Decisions, REST conventions: nobody learns by that what another’s policy has, and a final one is a 409', async () => {
    const policy = await create();
    const other = await lplate.client();
    for (const json of [policy, { ...policy, status: 'cancelled' }]) {
      const theirs = await put(policy.id, json, other);
      assert.deepEqual(problem(theirs), [404, 'policy-not-found']);
      const none = await put(
        policy.id.replace(/.$/, (end: string) => (end === '0' ? '1' : '0')),
        json,
        other,
      );
      assert.deepEqual(problem(none), [404, 'policy-not-found']);
    }
    await lplate.call('POST', `/policies/${policy.id}/cancel`, { token: client.token });
    for (const status of ['active', 'cancelled']) {
      assert.deepEqual(problem(await put(policy.id, { ...policy, status })), [409, 'policy-immutable']);
    }
    const early = await create();
    lplate.clock.advance(400 * 24 * 3_600_000);
    const token = await lplate.token(client.id, client.secret).catch(() => undefined);
    if (token) {
      const expired = await put(early.id, { ...early, endDate: '2000-01-01' }, { ...client, token });
      assert.deepEqual(problem(expired), [409, 'policy-immutable']);
    }
  });
});
