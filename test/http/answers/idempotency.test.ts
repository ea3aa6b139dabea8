import assert from 'node:assert/strict';
import { test } from 'node:test';
import { day, minute } from '../../../src/time/units.ts';
import { forEachEngine, forEachEngineInFull } from '../../support/engines.ts';
import { extent } from '../../support/extent.ts';
import {
  type Answer,
  type LPlate,
  problem,
  startLPlate,
  startWithClient,
  type TestClient,
} from '../../support/lplate.ts';
import { restartable } from '../../support/restart.ts';
import { countStored } from '../../support/stored.ts';

const crowd = 64;

type Keyed = (key: string | undefined, json: object, client?: Pick<TestClient, 'token'>) => Promise<Answer>;

/** Creates with a key. */
function creates(lplate: LPlate, path: string, { token }: TestClient): Keyed {
  return (key, json, client = { token }) =>
    lplate.call('POST', path, {
      ...{ token: client.token, json },
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
}

/** What is the same in each answer to one request. */
const facts = ({ status, text, headers }: Answer) => [status, text, headers.get('location'), headers.get('etag')];

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed');

const total = async (lplate: LPlate, path: string, token: string): Promise<number> =>
  (await lplate.call('GET', path, { token })).json.totalItems;

/** The two endpoints that take a key, each with two requests that it accepts. */
async function endpoints(lplate: LPlate, client: TestClient): Promise<[path: string, one: object, other: object][]> {
  const { token } = client;
  const { json } = await lplate.call('POST', '/policies', { token, json: { regNumber: 'IDEM-0' } });
  const claim = { policyNumber: json.id, paceSeconds: 60 };
  return [
    ['/policies', { regNumber: 'IDEM-1', holder: 'Ada' }, { regNumber: 'IDEM-2', holder: 'Ada' }],
    ['/claims/v1/claims', claim, { ...claim, paceSeconds: 61 }],
  ];
}

forEachEngine((engine) => {
  test('Decisions, idempotency: of 64 equal requests at once one is carried out, and all answers are its own or 409', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    for (const [path, json] of await endpoints(lplate, client)) {
      const before = await total(lplate, path, client.token);
      for (let round = 0; round < extent(2, 20); round += 1) {
        const body = path === '/policies' ? { ...json, regNumber: `CROWD-${round}` } : json;
        const create = creates(lplate, path, client);
        const answers = await Promise.all(Array.from({ length: crowd }, () => create(`crowd-${round}`, body)));
        const made = answers.filter(({ status }) => status === 201);
        assert.equal(new Set(made.map((each) => JSON.stringify(facts(each)))).size, 1);
        assert.equal(made.filter((each) => replayed(each) === null).length, 1, 'one of them was carried out');
        for (const answer of answers.filter(({ status }) => status !== 201)) {
          assert.deepEqual(problem(answer), [409, 'request-in-progress']);
          assert.equal(answer.headers.get('retry-after'), '1');
        }
        assert.equal(await total(lplate, path, client.token), before + round + 1);
        const later = await create(`crowd-${round}`, body);
        assert.deepEqual([facts(later), replayed(later)], [facts(made[0] as Answer), 'true']);
      }
    }
  });

  test('Decisions, idempotency: the first answer comes again, whatever has become of what it tells of, also after a restart', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start();
    t.after(() => lplate.close());
    const client = await lplate.client();
    const first: [path: string, json: object, answer: Answer][] = [];
    for (const [path, json] of await endpoints(lplate, client)) {
      const answer = await creates(lplate, path, client)('again', json);
      assert.deepEqual([answer.status, replayed(answer)], [201, null]);
      first.push([path, json, answer]);
    }
    const { id } = (first[0] as [string, object, Answer])[2].json;
    await lplate.call('PUT', `/policies/${id}`, { token: client.token, json: { holder: 'Grace' } });
    await lplate.call('POST', `/policies/${id}/cancel`, { token: client.token });
    for (const restarted of [false, true]) {
      if (restarted) {
        await lplate.close();
        lplate = await settled.start();
      }
      for (const [path, json, answer] of first) {
        const again = await creates(lplate, path, client)('again', json);
        assert.deepEqual([facts(again), replayed(again)], [facts(answer), 'true']);
      }
    }
  });

  test('Decisions, idempotency: an answer is kept for 24 hours, then the key is free, and housekeeping removes it', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const [[path, json]] = (await endpoints(lplate, client)) as [[string, object, object]];
    const create = creates(lplate, path, client);
    const first = await create('daily', json);
    await create('other', { regNumber: 'IDEM-9' });
    lplate.clock.advance(day - minute);
    const fresh = { token: await lplate.token(client.id, client.secret) };
    await lplate.housekeeping();
    assert.deepEqual(facts(await create('daily', json, fresh)), facts(first), 'after 23 hours and 59 minutes');
    lplate.clock.advance(2 * minute);
    const late = await create('daily', { regNumber: 'IDEM-8' }, fresh);
    assert.deepEqual([late.status, replayed(late)], [201, null], 'after 24 hours and a minute');
    assert.equal(replayed(await create('daily', { regNumber: 'IDEM-8' }, fresh)), 'true');
    assert.equal(await countStored(lplate, 'kept_answers'), 2);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'kept_answers'), 1);
  });
});

forEachEngineInFull((engine) => {
  test('Decisions, idempotency: the same key with another body is refused, and changes nothing', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    for (const [path, json, other] of await endpoints(lplate, client)) {
      const create = creates(lplate, path, client);
      const first = await create('reused', json);
      const before = await total(lplate, path, client.token);
      assert.deepEqual(problem(await create('reused', other)), [422, 'idempotency-key-reused']);
      assert.deepEqual(facts(await create('reused', json)), facts(first));
      assert.equal(await total(lplate, path, client.token), before);
    }
  });

  test('Decisions, idempotency: spaces, the order of members and what is ignored make no other body', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const send = (body: string) =>
      lplate.call('POST', '/policies', {
        ...{ token, body },
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'form' },
      });
    const first = await send('{"regNumber":"FORM-1","holder":"Ada"}');
    assert.equal(first.status, 201);
    // Deeper than can be walked by a function that calls itself.
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const body of [
      ' {"holder" : " Ada ", "regNumber" : "FORM-1"}\n',
      '{"regNumber":"FORM-1","holder":"Ada","colour":"red"}',
      `{"regNumber":"FORM-1","holder":"Ada","colour":${deep}}`,
    ]) {
      assert.deepEqual(facts(await send(body)), facts(first), body.slice(0, 60));
    }
    assert.equal((await send('{"regNumber":"FORM-1","holder":null}')).status, 400);
    assert.equal((await send('{"regNumber":"FORM-1"}')).status, 422);
    assert.equal((await send('{"regNumber":"form1","holder":"Ada"}')).status, 422);
  });

  test('Decisions, idempotency: a key belongs to one client and one endpoint', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients = await Promise.all([lplate.client(), lplate.client()]);
    const seen = new Set<string>();
    for (const [at, client] of clients.entries()) {
      const policy = await creates(lplate, '/policies', client)('shared', { regNumber: `OWN-${at}` });
      const claim = await creates(lplate, '/claims/v1/claims', client)('shared', { policyNumber: policy.json.id });
      assert.deepEqual([policy.status, replayed(policy), claim.status, replayed(claim)], [201, null, 201, null]);
      seen.add(policy.json.id).add(claim.json.claimId);
    }
    assert.equal(seen.size, 4);
  });

  test('Decisions, idempotency: only a success is kept: a refused request can be tried again under its key', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const other = await lplate.client();
    const create = creates(lplate, '/policies', client);
    const inTheWay = await lplate.call('POST', '/policies', { token: other.token, json: { regNumber: 'WAY-1' } });
    assert.deepEqual(problem(await create('retry', {})), [400, 'validation-error']);
    assert.deepEqual(problem(await create('retry', { regNumber: 'WAY-1' })), [409, 'duplicate-policy']);
    assert.deepEqual(problem(await create('retry', { regNumber: 'way1' })), [409, 'duplicate-policy']);
    await lplate.call('POST', `/policies/${inTheWay.json.id}/cancel`, { token: other.token });
    const made = await create('retry', { regNumber: 'WAY-1' });
    assert.deepEqual([made.status, replayed(made)], [201, null]);
    const reader = { token: await lplate.token(client.id, client.secret, 'policies:read') };
    assert.deepEqual(problem(await create('retry', { regNumber: 'WAY-1' }, reader)), [403, 'insufficient-scope']);
    assert.equal(replayed(await create('retry', { regNumber: 'WAY-1' })), 'true');
  });

  test('Decisions, idempotency: the first answer comes again also when its request would be refused by now', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const json = { regNumber: 'DAY-1', startDate: '2026-03-02' };
    const first = await creates(lplate, '/policies', client)('day', json);
    lplate.clock.advance(day - minute);
    const token = await lplate.token(client.id, client.secret);
    const again = await creates(lplate, '/policies', client)('day', json, { token });
    assert.deepEqual([facts(again), replayed(again)], [facts(first), 'true']);
    const anew = await creates(lplate, '/policies', client)('anew', json, { token });
    assert.deepEqual(problem(anew), [400, 'validation-error']);
  });

  test('Decisions, idempotency: a key is 1 to 255 printable ASCII characters, with or without quotes, which are the same', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const create = creates(lplate, '/policies', client);
    const long = 'k'.repeat(255);
    const same: [string, string][] = [
      ['a', '"a"'],
      ["!#$%&'()*+-./:;<=>?@[\\]^_`{|}~", '"!#$%&\'()*+-./:;<=>?@[\\\\]^_`{|}~"'],
      [long, `"${long}"`],
      ['"with space, comma and \\"quotes\\""', '"with space, comma and \\"quotes\\""'],
    ];
    for (const [at, [one, other]] of same.entries()) {
      const first = await create(one, { regNumber: `KEY-${at}` });
      assert.deepEqual([first.status, replayed(first)], [201, null], one);
      const again = await create(other, { regNumber: `KEY-${at}` });
      assert.deepEqual([facts(again), replayed(again)], [facts(first), 'true'], other);
    }
    const bad = [
      '',
      '""',
      `${long}k`,
      `"${long}k"`,
      'a b',
      'a,b',
      '"a',
      'a"',
      '"a"b',
      '"a", "b"',
      '"a\\b"',
      'é',
      '\t\u0080',
    ];
    for (const [at, key] of bad.entries()) {
      const answer = await create(key, { regNumber: `BAD-${at}` });
      assert.deepEqual(problem(answer), [400, 'validation-error'], key);
      assert.equal(answer.json.errors[0].header, 'Idempotency-Key', key);
      assert.match(answer.json.detail, /1 to 255 printable ASCII characters/);
    }
  });

  test('Decisions, idempotency: without the header nothing is kept', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    for (const [path, json] of await endpoints(lplate, client)) {
      const answer = await creates(lplate, path, client)(undefined, json);
      assert.deepEqual([answer.status, replayed(answer)], [201, null]);
    }
    assert.equal(await countStored(lplate, 'kept_answers'), 0);
  });
});
