import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { day } from '../../../src/time/units.ts';
import { bases, type Document, description } from '../../support/description.ts';
import { upload } from '../../support/documents.ts';
import { type Engine, forEachEngine, forEachEngineInFull } from '../../support/engines.ts';
import { extent } from '../../support/extent.ts';
import { type Answer, type LPlate, problem, startLPlate, startWithClient } from '../../support/lplate.ts';
import { makeStatement } from '../../support/statement.ts';
import { testSecrets } from '../../support/test-secrets.ts';
import { insure, pass } from '../../support/topic.ts';

interface Owner {
  readonly lplate: LPlate;
  readonly token: string;
  /** The path of a policy in force. */
  readonly policy: string;
  call(method: string, path: string, headers?: Record<string, string>, json?: object): Promise<Answer>;
}

let plates = 0;

async function owner(t: TestContext, engine: Engine): Promise<Owner> {
  const { lplate, token } = await startWithClient(t, engine);
  const id = await insure(lplate, token, `TAG-${++plates}`);
  const call: Owner['call'] = (method, path, headers = {}, json = undefined) =>
    lplate.call(method, path, { token, headers, json });
  return { lplate, token, policy: `/policies/${id}`, call };
}

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? '';

forEachEngine((engine) => {
  test('Decisions, conditional requests: of two changes at once with the same If-Match one is made', async (t) => {
    const { call, policy } = await owner(t, engine);
    for (let round = 0; round < extent(5, 50); round += 1) {
      const tag = tagOf(await call('GET', policy));
      const holders = ['Ada', 'Grace', 'Mary', 'Joan'].map((name) => `${name} ${round}`);
      const answers = await Promise.all(holders.map((holder) => call('PUT', policy, { 'If-Match': tag }, { holder })));
      const made = answers.filter(({ status }) => status === 200);
      assert.equal(made.length, 1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        assert.deepEqual(problem(answer), [412, 'precondition-failed']);
      assert.deepEqual((await call('GET', policy)).json, made[0]?.json);
    }
    const tag = tagOf(await call('GET', policy));
    const last = await Promise.all([
      call('PUT', policy, { 'If-Match': tag }, { holder: 'Ada' }),
      call('POST', `${policy}/cancel`, { 'If-Match': tag }),
    ]);
    assert.equal(last.filter(({ status }) => status === 200).length, 1);
  });

  test('Decisions, conditional requests: each change of a policy has a tag of its own, also within one millisecond', async (t) => {
    const { lplate, call, policy, token } = await owner(t, engine);
    const created = await lplate.call('POST', '/policies', { token, json: { regNumber: 'TAG-A' } });
    const path = `/policies/${created.json.id}`;
    const tags = [tagOf(created)];
    for (const holder of ['Ada', 'Grace', 'Ada']) tags.push(tagOf(await call('PUT', path, {}, { holder })));
    tags.push(tagOf(await call('POST', `${path}/cancel`)));
    for (const tag of tags) assert.match(tag, /^"[!#-~]+"$/);
    assert.equal(new Set(tags).size, tags.length);
    assert.equal(tagOf(await call('POST', `${path}/cancel`)), tags.at(-1), 'cancelled again, and nothing changed');
    for (const method of ['GET', 'HEAD']) assert.equal(tagOf(await call(method, path)), tags.at(-1));
    const other = await call('GET', policy);
    assert.equal(tagOf(other), tags[0], 'a tag is one of its own address');
  });
});

forEachEngineInFull((engine) => {
  test('Decisions, conditional requests: If-None-Match with the tag is answered 304, without a body', async (t) => {
    const { lplate, call, policy, token } = await owner(t, engine);
    const registered = await lplate.call('POST', '/claims/v1/claims', {
      ...{ token, json: { policyNumber: policy.slice('/policies/'.length), paceSeconds: 60 } },
    });
    const claim = `/claims/v1/claims/${registered.json.claimId}`;
    assert.equal(tagOf(await call('GET', claim)), tagOf(registered));
    for (const path of [policy, claim]) {
      const tag = tagOf(await call('GET', path));
      for (const method of ['GET', 'HEAD']) {
        for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*', `,${tag},`]) {
          const { status, text, headers } = await call(method, path, { 'If-None-Match': known });
          assert.deepEqual([status, text, headers.get('etag')], [304, '', tag], `${method} ${known}`);
          assert.equal(headers.get('access-control-allow-origin'), '*');
        }
        for (const unknown of ['"other"', tag.slice(1, -1), 'W/"other"', '', '"'])
          assert.equal((await call(method, path, { 'If-None-Match': unknown })).status, 200, `${method} ${unknown}`);
      }
    }
    await pass(lplate, 60);
    const moved = await call('GET', claim, { 'If-None-Match': tagOf(registered) });
    assert.deepEqual([moved.status, moved.json.status], [200, 'UNDER_REVIEW']);
    assert.notEqual(tagOf(moved), tagOf(registered));
    const unknown = await call('GET', `${policy.slice(0, -1)}x`, { 'If-None-Match': '*' });
    assert.deepEqual(problem(unknown), [404, 'policy-not-found']);
  });

  test('Decisions, conditional requests: the tag of a policy changes with the midnight at which it expires', async (t) => {
    const { lplate } = await owner(t, engine);
    const client = await lplate.client();
    const json = { regNumber: 'TAG-M', coverageOption: 'MTPL-1M' };
    const created = await lplate.call('POST', '/policies', { token: client.token, json });
    const path = `/policies/${created.json.id}`;
    const last = Date.parse(`${created.json.endDate}T23:59:59.999Z`);
    lplate.clock.advance(last - lplate.clock.now());
    const token = await lplate.token(client.id, client.secret);
    const headers = { 'If-None-Match': tagOf(created) };
    assert.equal((await lplate.call('GET', path, { token, headers })).status, 304);
    lplate.clock.advance(1);
    const expired = await lplate.call('GET', path, { token, headers });
    assert.deepEqual([expired.status, expired.json.status], [200, 'expired']);
    // Whoever insures the vehicle anew has the expiry written down, which is no change.
    assert.equal((await lplate.call('POST', '/policies', { token, json })).status, 201);
    assert.equal(tagOf(await lplate.call('GET', path, { token })), tagOf(expired));
  });

  test('Decisions, conditional requests: the renewal of the fleet changes tags', async (t) => {
    const { lplate } = await owner(t, engine);
    const fleet = async () => lplate.token('preset-fleet', lplate.secrets.fleetClientSecret);
    const list = await lplate.call('GET', '/policies?pageSize=1', { token: await fleet() });
    const path = `/policies/${list.json.items[0].id}`;
    const before = await lplate.call('GET', path, { token: await fleet() });
    lplate.clock.advance(360 * day);
    await lplate.housekeeping();
    const after = await lplate.call('GET', path, { token: await fleet() });
    assert.notEqual(after.json.endDate, before.json.endDate);
    assert.notEqual(tagOf(after), tagOf(before));
  });

  test('Decisions, conditional requests: If-Match takes the tag, a list that has it, or *, and is else 412', async (t) => {
    const { call, policy } = await owner(t, engine);
    let tag = tagOf(await call('GET', policy));
    for (const match of [(own: string) => own, (own: string) => `"other" , ${own}`, () => '*', () => ' * ']) {
      const answer = await call('PUT', policy, { 'If-Match': match(tag) }, { holder: 'Ada' });
      assert.equal(answer.status, 200, match(tag));
      assert.notEqual(tagOf(answer), tag);
      tag = tagOf(answer);
    }
    const wrong = ['"other"', `W/${tag}`, tag.slice(1, -1), '', '"', `"${tag}"`, '*, "other"', tag.toUpperCase()];
    for (const each of wrong) {
      for (const answer of [
        await call('PUT', policy, { 'If-Match': each }, { holder: 'Grace' }),
        await call('POST', `${policy}/cancel`, { 'If-Match': each }),
      ]) {
        assert.deepEqual(problem(answer), [412, 'precondition-failed'], each);
        assert.ok(answer.json.detail.includes(tag), answer.json.detail);
      }
    }
    const { json, headers } = await call('GET', policy);
    assert.deepEqual([json.status, json.holder, headers.get('etag')], ['updated', 'Ada', tag]);
    assert.equal((await call('POST', `${policy}/cancel`, { 'If-Match': tag })).status, 200);
  });

  test('Decisions, conditional requests: If-None-Match keeps a change from what has the tag, or with * from all', async (t) => {
    const { call, policy } = await owner(t, engine);
    const tag = tagOf(await call('GET', policy));
    for (const each of ['*', tag, `W/${tag}`, `"other", ${tag}`]) {
      for (const answer of [
        await call('PUT', policy, { 'If-None-Match': each }, { holder: 'Grace' }),
        await call('POST', `${policy}/cancel`, { 'If-None-Match': each }),
        await call('PUT', policy, { 'If-Match': tag, 'If-None-Match': each }, { holder: 'Grace' }),
      ]) {
        assert.deepEqual(problem(answer), [412, 'precondition-failed'], each);
        assert.ok(answer.json.detail.includes(tag), answer.json.detail);
      }
    }
    assert.equal(tagOf(await call('GET', policy)), tag, 'nothing was changed');
    const changed = await call('PUT', policy, { 'If-None-Match': '"other"' }, { holder: 'Ada' });
    assert.equal(changed.status, 200);
  });

  test('Decisions, conditional requests: each endpoint compares conditions, or says that it ignores them', async (t) => {
    const lplate = await startLPlate(t, engine);
    let compared = 0;
    for (const base of bases) {
      const { paths } = await description(base);
      for (const [path, operations] of Object.entries<Document>(paths)) {
        for (const method of ['get', 'head', 'post', 'put', 'delete'].filter(
          (each) => (each === 'head' ? 'get' : each) in operations,
        )) {
          const operation = operations[method === 'head' ? 'get' : method];
          const client = await lplate.client();
          const policyId = await insure(lplate, client.token, `TAG-${++plates}`);
          const registered = await lplate.call('POST', '/claims/v1/claims', {
            ...{ token: client.token, json: { policyNumber: policyId, paceSeconds: 60 } },
          });
          const { claimId } = registered.json;
          const of = { token: client.token, path: `/claims/v1/claims/${claimId}/documents` };
          const documentId = path.includes('{documentId}') ? (await upload(lplate, of)).json.id : 'none';
          const ids: Record<string, string> = { policyId, claimId, documentId, reg_number: 'AB-1234' };
          if (path.endsWith('/content')) ids.statementId = await makeStatement(lplate, client.token);
          const target = base + path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'none');
          const token = path.startsWith('/trainer') ? testSecrets.trainerToken : client.token;
          const json = operation.requestBody ? (path === '/policies/{policyId}' ? { holder: 'Ada' } : {}) : undefined;
          const send = (headers: Record<string, string>) =>
            lplate.call(method.toUpperCase(), target, { token, headers, ...(json && { json }) });
          const what = `${method} ${target}`;
          const answer = await send({ 'If-Match': '"none"', 'If-None-Match': '*' });
          const ignored = answer.headers.get('l-plate-ignored')?.split(', ') ?? [];
          if (ignored.includes('header/If-Match')) {
            assert.ok(ignored.includes('header/If-None-Match'), what);
            assert.ok(![304, 412].includes(answer.status), what);
            // What was made has a tag, not what was asked for it.
            if (answer.status !== 201) assert.equal(tagOf(answer), '', what);
            continue;
          }
          compared += 1;
          assert.equal(answer.status, 412, what);
          const reads = method === 'get' || method === 'head';
          assert.equal((await send({ 'If-None-Match': '*' })).status, reads ? 304 : 412, what);
          const whole = await send({ 'If-Match': '*', 'If-None-Match': '"none"' });
          assert.deepEqual([whole.status, whole.headers.get('l-plate-ignored')], [200, null], what);
          assert.ok(tagOf(whole), what);
        }
      }
    }
    assert.ok(compared >= 16, `policies, claims, a document of one and five descriptions: ${compared}`);
  });

  test('Decisions, conditional requests: what is served beside the interfaces compares conditions too', async (t) => {
    const { url } = await startLPlate(t, engine);
    const paths = ['/insurer/v0/openapi.yaml', '/insurer/v0/openapi.json', '/vehicle-registry/v1?wsdl'];
    for (const base of bases) paths.push(`${base}/openapi.json`);
    const kits = await (await fetch(`${url}/kits`, { headers: { Accept: 'application/json' } })).text();
    paths.push('/claims/v1/asyncapi.json', ...new Set(kits.match(/\/kits\/[\w.-]+/g)));
    const docs = await (await fetch(`${url}/docs`)).text();
    for (const [, path = ''] of docs.matchAll(/(?:src|href)="(\/[^"#]+)"/g))
      if (!paths.includes(path)) paths.push(path);
    let tagged = 0;
    for (const path of paths) {
      const tag = tagOf((await fetch(url + path)) as unknown as Answer);
      if (tag === '') continue;
      tagged += 1;
      const status = async (headers: Record<string, string>) => (await fetch(url + path, { headers })).status;
      assert.equal(await status({ 'If-Match': '"other"' }), path.includes('wsdl') ? 500 : 412, path);
      assert.equal(await status({ 'If-Match': tag }), 200, path);
      assert.equal(await status({ 'If-Match': '*', 'If-None-Match': tag }), 304, path);
    }
    assert.ok(tagged > 12, `${tagged} of ${paths.join(' ')}`);
  });

  test('Decisions, conditional requests: 400 of the body and 404 come first, then 409, then 412, then what of the body differs', async (t) => {
    const { lplate, call, policy } = await owner(t, engine);
    const stale = { 'If-Match': '"0-active"' };
    const other = await lplate.client();
    assert.deepEqual(problem(await call('PUT', policy, stale, {})), [400, 'validation-error']);
    const foreign = await lplate.call('PUT', policy, { token: other.token, headers: stale, json: { holder: 'Ada' } });
    assert.deepEqual(problem(foreign), [404, 'policy-not-found']);
    assert.ok(!foreign.text.includes('1-active'));
    const differs = { holder: 'Ada', status: 'cancelled' };
    assert.deepEqual(problem(await call('PUT', policy, stale, differs)), [412, 'precondition-failed']);
    const current = { 'If-Match': tagOf(await call('GET', policy)) };
    assert.deepEqual(problem(await call('PUT', policy, current, differs)), [400, 'validation-error']);
    const cancelled = await call('POST', `${policy}/cancel`);
    for (const match of ['"0-active"', tagOf(cancelled), '*']) {
      const refused = await call('PUT', policy, { 'If-Match': match }, { holder: 'Ada' });
      assert.deepEqual(problem(refused), [409, 'policy-immutable'], match);
    }
    assert.deepEqual(problem(await call('POST', `${policy}/cancel`, stale)), [412, 'precondition-failed']);
    const again = await call('POST', `${policy}/cancel`, { 'If-Match': tagOf(cancelled) });
    assert.deepEqual([again.status, again.text], [200, cancelled.text]);
  });
});
