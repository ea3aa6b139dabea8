import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { policyStatuses } from '../../src/insurer/policy-status.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, problem, sharedLPlate } from '../support/lplate.ts';

/** Twelve policies of a client: each state, two with one vehicle, and some that expired unseen. */
forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { rateLimitPerMinute: 1000 });
  let token: string;
  let all: { id: string; regNumber: string; status: string }[];

  const list = (query = '', by = token) => lplate.call('GET', `/policies${query}`, { token: by });
  const plates = (answer: Answer) => answer.json.items.map(({ regNumber }: { regNumber: string }) => regNumber);
  const create = async (json: object) => (await lplate.call('POST', '/policies', { token, json })).json.id as string;

  before(async () => {
    const client = await lplate.client();
    token = client.token;
    const cancelled = await create({ regNumber: 'pf-1' });
    await lplate.call('POST', `/policies/${cancelled}/cancel`, { token });
    await create({ regNumber: 'PF1' });
    for (const each of [2, 3, 4]) await create({ regNumber: `PF-${each}`, coverageOption: 'MTPL-1M' });
    const changed = await create({ regNumber: 'PF-5', coverageOption: 'MTPL-1M' });
    await lplate.call('PUT', `/policies/${changed}`, { token, json: { holder: 'Ada' } });
    for (const each of [6, 7, 8, 9]) await create({ regNumber: `PF-${each}` });
    const lasting = await create({ regNumber: 'PF-10' });
    await lplate.call('PUT', `/policies/${lasting}`, { token, json: { holder: 'Ada' } });
    // Four expire, and nobody has written that down.
    await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'P2M' } });
    token = await lplate.token(client.id, client.secret);
    all = (await list('?pageSize=500')).json.items;
  });

  test('Decisions, policies: the filter status gives what a policy is today, by the clock of its client', async () => {
    for (const status of policyStatuses) {
      const expected = all.filter((policy) => policy.status === status);
      assert.ok(expected.length > 0, status);
      const answer = await list(`?status=${status}`);
      assert.deepEqual(answer.json.items, expected, status);
      assert.deepEqual([answer.json.totalItems, answer.json.totalPages], [expected.length, 1]);
    }
    assert.deepEqual(plates(await list('?status=expired')), ['PF-2', 'PF-3', 'PF-4', 'PF-5']);
    for (const value of ['', 'Active', 'open', 'active%20', 'active,expired', 'active&status=expired']) {
      const answer = await list(`?status=${value}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], value);
      assert.equal(answer.json.errors[0].parameter, 'status');
    }
  });

  test('Decisions, policies: the filter regNumber gives the policies of one vehicle, without case and dashes, alone and with status', async () => {
    for (const value of ['PF-1', 'pf1', '-P-F-1-', 'Pf-1'])
      assert.deepEqual(plates(await list(`?regNumber=${value}`)), ['pf-1', 'PF1']);
    assert.deepEqual(plates(await list('?regNumber=PF-1&status=cancelled')), ['pf-1']);
    assert.deepEqual(plates(await list('?regNumber=PF-1&status=expired')), []);
    for (const value of ['PF-11', 'P', '1']) {
      const answer = await list(`?regNumber=${value}`);
      assert.deepEqual(
        [answer.status, answer.json.items, answer.json.totalItems, answer.json.totalPages],
        [200, [], 0, 0],
      );
    }
    for (const value of ['', '-', 'PF%201', 'PF%00', 'PF–1', '%25', 'x'.repeat(41), 'A&regNumber=B']) {
      const answer = await list(`?regNumber=${value}`);
      assert.deepEqual(problem(answer), [400, 'validation-error'], value);
      assert.equal(answer.json.errors[0].parameter, 'regNumber');
    }
    assert.match((await list('?reg_number=PF-1')).json.detail, /regNumber/);
    assert.equal((await list('?page=0&status=x&regNumber=-')).json.errors.length, 3, 'each fault is told');
  });

  test('Decisions, lists: the pages and links of a filtered list of policies are of what was found', async () => {
    const page = await list('?status=active&page=2&pageSize=2');
    const active = all.filter(({ status }) => status === 'active').map(({ regNumber }) => regNumber);
    assert.deepEqual(plates(page), active.slice(2, 4));
    assert.deepEqual([page.json.totalItems, page.json.totalPages], [active.length, Math.ceil(active.length / 2)]);
    const link = page.headers.get('link') ?? '';
    assert.match(link, /\/insurer\/v1\/policies\?status=active&page=1&pageSize=2>; rel="prev"/);
    assert.match(link, /\?status=active&page=3&pageSize=2>; rel="next"/);
    const walked: string[] = [];
    let next: string | undefined = '?status=active&pageSize=2';
    while (next !== undefined) {
      const answer: Answer = await list(next);
      walked.push(...plates(answer));
      next = /policies(\?[^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(walked, active);
    assert.match((await list('?regNumber=pf-1')).headers.get('link') ?? '', /\?regNumber=pf-1&page=1/);
    const past = await list('?status=cancelled&page=9');
    assert.deepEqual([past.status, past.json.items, past.json.totalItems], [200, [], 1]);
  });

  test('Endpoints, rule 3: a filter finds nothing of another client', async () => {
    const { token: other } = await lplate.client();
    for (const query of ['?regNumber=PF-1', '?status=active', '?status=cancelled&regNumber=pf1']) {
      assert.equal((await list(query, other)).json.totalItems, 0, query);
    }
  });
});
