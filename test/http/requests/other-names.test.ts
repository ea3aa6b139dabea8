import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { problem, sharedLPlate, type TestClient, testSecrets } from '../../support/lplate.ts';

forEachEngine((engine) => {
  const lplate = sharedLPlate(engine, { rateLimitPerMinute: 10_000 });
  let client: TestClient;
  const call = (method: string, path: string, options: object = {}) =>
    lplate.call(method, path, { token: client.token, ...options });

  before(async () => {
    client = await lplate.client();
  });

  test('Decisions, REST conventions: a parameter that means a filter by another name is refused with the right one', async () => {
    const lists = {
      '/insurer/v1/policies': {
        plate: 'regNumber',
        license_plate: 'regNumber',
        Registration: 'regNumber',
        state: 'status',
      },
      '/claims/v1/claims': {
        policyId: 'policyNumber',
        policy: 'policyNumber',
        policy_id: 'policyNumber',
        state: 'status',
      },
      '/range/v1/me/exchanges': { traceparent: 'traceId', trace: 'traceId', statusCode: 'status', url: 'path' },
      '/range/v1/me/exchanges.har': { traceparent: 'traceId', problemType: 'problem' },
      '/range/v1/trainer/exchanges': { traceparent: 'traceId' },
    };
    for (const [path, names] of Object.entries(lists)) {
      const token = path.includes('trainer') ? testSecrets.trainerToken : client.token;
      for (const [name, right] of Object.entries(names)) {
        const answer = await call('GET', `${path}?${name}=x`, { token });
        assert.deepEqual(problem(answer), [400, 'validation-error'], `${path} ${name}`);
        assert.match(
          answer.json.detail,
          new RegExp(`^${name}: is not a parameter of this request. Did you mean ${right}\\? Only `),
        );
      }
      const other = await call('GET', `${path}?colour=x&sort=y`, { token });
      assert.deepEqual([other.status, other.headers.get('l-plate-ignored')], [200, 'query/colour, query/sort']);
    }
  });

  test('Decisions, REST conventions: a parameter in the brackets of another framework is refused with its name here', async () => {
    for (const [sent, right] of [
      ...['status[]', 'status[0]', 'status[eq]', 'filter[status]', 'filter.status', 'status__in', 'filter[state]'].map(
        (name) => [name, 'status'],
      ),
      ...[
        ['page[size]', 'pageSize'],
        ['page[number]', 'page'],
        ['page[]', 'page'],
        ['filter[plate]', 'regNumber'],
      ],
    ] as [string, string][]) {
      for (const name of [sent, encodeURIComponent(sent)]) {
        const answer = await call('GET', `/policies?${name}=1`);
        assert.deepEqual([answer.status, answer.json.errors], [400, answer.json.errors], name);
        assert.deepEqual(answer.json.errors[0].parameter, sent);
        assert.match(answer.json.errors[0].detail, new RegExp(`Did you mean ${right}\\?`));
      }
    }
    for (const name of ['fields[policies]', '[]', '[', '].[', 'a.b.c', `${'x'.repeat(200)}[status]`])
      assert.equal((await call('GET', `/policies?${encodeURIComponent(name)}=1`)).status, 200, name);
  });

  test('Decisions, drills: how long a drill lasts is refused at any other place, and the drill does not start', async () => {
    const drills = '/range/v1/me/drills';
    const start = (json: object, query = '') => call('POST', `${drills}${query}`, { json });
    const name = 'newer-events';
    for (const answer of [
      ...(await Promise.all(
        ['duration', 'Duration', 'duration_seconds', 'seconds', 'length', 'ttl', 'time', 'timeout'].map((member) =>
          start({ name, [member]: 'PT1M' }),
        ),
      )),
      ...(await Promise.all(
        ['duration', 'minutes', 'seconds'].map((member) => start({ name, parameters: { [member]: 1 } })),
      )),
      ...(await Promise.all(
        ['?minutes=1', '?duration=PT1M', '?Seconds=3', '?share=1', '?parameters=1'].map((query) =>
          start({ name }, query),
        ),
      )),
      await start({ name, params: {} }),
      await start({ drill: name }),
    ]) {
      assert.deepEqual(problem(answer), [400, 'validation-error'], answer.text);
      assert.match(answer.json.detail, /minutes|within parameters|Did you mean (?:parameters|name)\?/, answer.text);
    }
    assert.equal((await call('GET', drills)).json.totalItems, 0);
    assert.match((await start({ name: 'short-tokens', seconds: 5 })).json.detail, /"parameters":\{"seconds"/);
    assert.deepEqual([(await start({ name, minutes: 1 }, '?colour=1')).status], [201]);
  });
});
