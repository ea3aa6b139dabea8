import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, problem, sharedClient, sharedLPlate, startLPlate } from '../support/lplate.ts';

const pointers = ({ json }: Answer) => json.errors.map(({ pointer }: { pointer: string }) => pointer);
/** A face of two UTF-16 units and one character. */
const astral = '\u{1F600}';

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);

  const create = (json: unknown, token = client.token) => lplate.call('POST', '/policies', { token, json });
  const created = async (json: unknown, token = client.token) => {
    const answer = await create(json, token);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const read = (id: string, token = client.token) => lplate.call('GET', `/policies/${id}`, { token });

  describe('Endpoints, 4: creating', () => {
    test('Endpoints, 4 and Resources, policy: a registration number is enough for an active policy', async () => {
      const answer = await create({ regNumber: 'CR-0001' });
      assert.equal(answer.status, 201);
      const { id, ...rest } = answer.json;
      assert.match(id, /^pol-[0-9a-f-]{36}$/);
      assert.deepEqual(rest, {
        status: 'active',
        regNumber: 'CR-0001',
        holder: null,
        coverageOption: 'MTPL-12M',
        startDate: '2026-03-02',
        endDate: '2027-03-01',
        createdAt: '2026-03-02T10:15:30.000Z',
        updatedAt: '2026-03-02T10:15:30.000Z',
      });
    });

    test('Decisions, policies: Location is absolute and leads to the policy, the same as it was answered', async () => {
      const answer = await create({ regNumber: 'CR-0002', holder: 'Ada Example', coverageOption: 'MTPL-3M' });
      const location = answer.headers.get('location') ?? '';
      assert.equal(location, `${lplate.config.publicUrl}/insurer/v1/policies/${answer.json.id}`);
      const found = await lplate.call('GET', location, { token: client.token });
      assert.equal(found.status, 200);
      assert.deepEqual(found.json, answer.json);
      assert.deepEqual([found.json.holder, found.json.coverageOption], ['Ada Example', 'MTPL-3M']);
    });

    test('Decisions, policies: ids come in the order of their making', async () => {
      const ids: string[] = [];
      for (let vehicle = 1; vehicle <= 5; vehicle += 1) ids.push((await created({ regNumber: `TO-${vehicle}` })).id);
      assert.equal(new Set(ids).size, 5);
      // The order within a millisecond is open, so the part that holds the time is compared.
      const times = ids.map((id) => id.slice(4, 17));
      assert.deepEqual(times, times.toSorted());
    });

    test('Decisions, REST conventions: unknown members are ignored, and set nothing', async () => {
      const sent = { regNumber: 'CR-0003', id: 'pol-1', status: 'expired', endDate: '2099-01-01', client_id: 'x' };
      const policy = await created({ ...sent, toString: 1, constructor: { prototype: {} }, nested: [[[]]] });
      assert.notEqual(policy.id, 'pol-1');
      assert.deepEqual([policy.status, policy.endDate], ['active', '2027-03-01']);
      assert.deepEqual((await read(policy.id)).json, policy);
    });
  });

  describe('Decisions, policies: what a registration number is', () => {
    test('Resources, policy: letters, digits and dashes, up to 40, at least one no dash, come back as they were sent', async () => {
      const numbers = ['7', 'z', '-q', 'Q1-', 'x'.repeat(40), `${'-'.repeat(39)}8`, `9${'-'.repeat(39)}`, 'aB-3-cD'];
      for (const regNumber of numbers) {
        const policy = await created({ regNumber });
        assert.equal(policy.regNumber, regNumber);
        assert.equal((await read(policy.id)).json.regNumber, regNumber);
      }
    });

    test('Decisions, policies: any other registration number is 400, and the fault points at it', async () => {
      const odd = ['', '-', '-'.repeat(40), 'x'.repeat(41), 'AB 1234', ' AB-1234', 'AB-1234\n', 'AB_1', 'ÄB-1', 'АВ-1'];
      odd.push('AB–1', '１２', 'A\u0000B', astral, 'AB/1', '%41');
      for (const regNumber of odd) {
        const answer = await create({ regNumber });
        assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(regNumber));
        assert.deepEqual(pointers(answer), ['/regNumber']);
        assert.match(answer.json.detail, /regNumber: .*letter/, 'it says what is taken');
      }
    });

    test('Decisions, REST conventions: bodies are not coerced: what is no string is refused, each fault told', async () => {
      for (const regNumber of [1234, 0, true, null, ['AB-1'], { toString: 'AB-1' }]) {
        assert.deepEqual(problem(await create({ regNumber })), [400, 'validation-error'], JSON.stringify(regNumber));
      }
      const all = await create({ regNumber: 1, holder: 2, coverageOption: 3, startDate: 4 });
      assert.deepEqual(pointers(all).sort(), ['/coverageOption', '/holder', '/regNumber', '/startDate']);
      for (const json of [[], 'AB-1234', 7, null, true]) {
        assert.deepEqual(problem(await create(json)), [400, 'validation-error'], JSON.stringify(json));
      }
      const { json } = await create({});
      assert.deepEqual(json.errors[0].pointer, '/regNumber');
    });

    test('Endpoints, 4: a body without JSON content is refused: 415 for another type, 400 for none at all', async () => {
      const { token } = client;
      const body = '{"regNumber":"CT-0001"}';
      const form = await lplate.call('POST', '/policies', { token, body, headers: { 'Content-Type': 'text/plain' } });
      assert.deepEqual(problem(form), [415, 'unsupported-media-type']);
      assert.deepEqual(problem(await lplate.call('POST', '/policies', { token })), [400, 'validation-error']);
      const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' };
      assert.equal((await lplate.call('POST', '/policies', { token, body, headers })).status, 201);
    });
  });

  describe('Decisions, policies: holder and coverage option', () => {
    test('Decisions, policies: a holder is trimmed, then has 1 to 100 characters, however many bytes', async () => {
      const hundred = astral.repeat(100);
      const taken: [string, string][] = [
        ['  Ada Example\t', 'Ada Example'],
        ['x', 'x'],
        [` \u00a0${'é'.repeat(100)}\u3000\n`, 'é'.repeat(100)],
        [`  ${hundred}  `, hundred],
      ];
      for (const [at, [holder, kept]] of taken.entries()) {
        const policy = await created({ regNumber: `HO-${at}`, holder });
        assert.equal(policy.holder, kept);
        assert.equal((await read(policy.id)).json.holder, kept);
        const change = await lplate.call('PUT', `/policies/${policy.id}`, { token: client.token, json: { holder } });
        assert.equal(change.json.holder, kept);
      }
    });

    test('Decisions, policies: no other holder is taken, at creation or by an update', async () => {
      const { id } = await created({ regNumber: 'HO-OK', holder: 'Before' });
      const odd = [
        '',
        '   ',
        '\t\n',
        'x'.repeat(101),
        astral.repeat(101),
        'Ada\u0000',
        'A\u0007B',
        5,
        null,
        ['Ada'],
        {},
      ];
      for (const holder of odd) {
        const made = await create({ regNumber: 'HO-NO', holder });
        const changed = await lplate.call('PUT', `/policies/${id}`, { token: client.token, json: { holder } });
        for (const answer of [made, changed]) {
          assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(holder));
          assert.deepEqual(pointers(answer), ['/holder']);
        }
      }
      const none = await lplate.call('PUT', `/policies/${id}`, { token: client.token, json: {} });
      assert.deepEqual(pointers(none), ['/holder']);
      assert.deepEqual([(await read(id)).json.holder, (await read(id)).json.status], ['Before', 'active']);
    });

    test('Decisions, policies: a coverage option is one of the listed codes, letter for letter', async () => {
      for (const coverageOption of ['mtpl-1m', 'MTPL-2M', '', 'P1M', null, 1]) {
        const answer = await create({ regNumber: 'CO-NO', coverageOption });
        assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(coverageOption));
        assert.match(answer.json.detail, /MTPL-1M.*MTPL-12M|string/);
      }
      const { json } = await lplate.call('GET', '/coverage-options');
      for (const { code } of json.options) {
        assert.equal((await created({ regNumber: `CO-${code}`, coverageOption: code })).coverageOption, code);
      }
    });
  });

  describe('Endpoints, rule 1: one policy in force for a vehicle', () => {
    test('Endpoints, rule 1 and Limits: a second policy for the vehicle is 409, from its owner and from any other client', async () => {
      const owner = await lplate.client();
      const { id } = await created({ regNumber: 'DU-0001', holder: 'Unmistakable' }, owner.token);
      const same = await create({ regNumber: 'DU-0001' }, owner.token);
      const other = await create({ regNumber: 'DU-0001' });
      for (const answer of [same, other]) assert.deepEqual(problem(answer), [409, 'duplicate-policy']);
      // Whose it is is not told: both get the same words.
      assert.equal(same.json.detail, other.json.detail);
      for (const secret of [owner.id, id, 'Unmistakable']) assert(!other.text.includes(secret));
      assert.equal((await lplate.call('GET', '/policies', { token: owner.token })).json.totalItems, 1);
    });

    test('Decisions, policies: case and dashes do not make another vehicle', async () => {
      await created({ regNumber: 'ab1234' });
      for (const regNumber of ['AB-1234', 'Ab1234', 'A-B-1-2-3-4', '--aB12--34-', 'ab1234']) {
        assert.deepEqual(problem(await create({ regNumber })), [409, 'duplicate-policy'], regNumber);
      }
      await created({ regNumber: 'AB-12345' });
      await created({ regNumber: '0AB1234' });
    });

    test('Decisions, policies: a policy that begins later blocks the vehicle from now on', async () => {
      await created({ regNumber: 'DU-0002', startDate: '2027-03-02' });
      assert.deepEqual(problem(await create({ regNumber: 'DU-0002' })), [409, 'duplicate-policy']);
    });

    test('Decisions, clients: a client may own so many policies and no more, cancelled ones included: 429', async () => {
      const capped = await startLPlate(engine, { policiesPerClient: 2 });
      try {
        const { token } = await capped.client();
        const make = (regNumber: string) => capped.call('POST', '/policies', { token, json: { regNumber } });
        const { json } = await make('QU-1');
        await capped.call('POST', `/policies/${json.id}/cancel`, { token });
        assert.equal((await make('QU-2')).status, 201);
        const refused = await make('QU-3');
        assert.deepEqual(problem(refused), [429, 'quota-exceeded']);
        assert.match(refused.json.detail, /\b2\b/, 'the cap is told');
        assert.equal((await capped.call('GET', '/policies', { token })).json.totalItems, 2);
        assert.equal(
          (await capped.client().then(({ token }) => capped.call('GET', '/policies', { token }))).status,
          200,
        );
      } finally {
        await capped.close();
      }
    });
  });

  describe('Endpoints, 6: whose a policy is', () => {
    test('What the service does: another client can neither list, read, update nor cancel a policy: 404, as if unknown', async () => {
      const { id } = await created({ regNumber: 'OT-0001', holder: 'Before' });
      const { token } = await lplate.client();
      const unknown = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
      for (const [method, suffix, json] of [
        ['GET', '', undefined],
        ['PUT', '', { holder: 'After' }],
        ['POST', '/cancel', undefined],
      ] as const) {
        const answers = [];
        for (const each of [id, unknown]) {
          const answer = await lplate.call(method, `/policies/${each}${suffix}`, { token, json });
          assert.deepEqual(problem(answer), [404, 'policy-not-found'], method);
          const { instance: _, ...rest } = answer.json;
          answers.push(JSON.stringify(rest).replaceAll(each, 'ID'));
        }
        assert.equal(answers[0], answers[1]);
      }
      assert.equal((await lplate.call('GET', '/policies', { token })).json.totalItems, 0);
      const { json } = await read(id);
      assert.deepEqual([json.status, json.holder], ['active', 'Before']);
    });

    test('Endpoints, rule 4: whatever stands in the place of the id, an unknown policy is a 404 problem', async () => {
      const odd = [
        'pol-',
        'pol-none',
        'POL-1',
        '1',
        '..%2f',
        'a%2Fb',
        '%20',
        '%27%20or%201=1--',
        encodeURIComponent(astral),
      ];
      odd.push('x'.repeat(7_000), '%00', 'pol-%00', '%EF%BF%BD', '__proto__', '*', ':policyId');
      for (const id of odd) {
        assert.deepEqual(problem(await read(id)), [404, 'policy-not-found'], id.slice(0, 40));
        const change = await lplate.call('PUT', `/policies/${id}`, { token: client.token, json: { holder: 'A' } });
        assert.deepEqual(problem(change), [404, 'policy-not-found'], id.slice(0, 40));
        const cancel = await lplate.call('POST', `/policies/${id}/cancel`, { token: client.token });
        assert.deepEqual(problem(cancel), [404, 'policy-not-found'], id.slice(0, 40));
      }
    });
  });
});
