import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { claimOn, EventStream, insure, topicPath } from '../support/topic.ts';

/** With the general limit of the defaults, unlike other tests. */
function started(t: TestContext, engine: Engine): Promise<LPlate> {
  return startLPlate(t, engine, { rateLimitPerMinute: 60 });
}

const left = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-remaining') ?? Number.NaN);

forEachEngineInFull((engine) => {
  test('Limits, general rate: the claims interface has 60 of its own; the 61st is 429, and Retry-After leads to success', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    const answers: Answer[] = [];
    for (let call = 0; call < 60; call += 1) answers.push(await lplate.call('GET', '/claims/v1/claims', { token }));
    assert.deepEqual(
      answers.map((answer) => [answer.status, left(answer)]),
      answers.map((_, at) => [200, 59 - at]),
    );
    assert.deepEqual(
      ['ratelimit-limit', 'ratelimit-policy', 'ratelimit-reset', 'retry-after'].map((name) =>
        answers[0]?.headers.get(name),
      ),
      ['60', '60;w=60', '60', null],
    );
    lplate.clock.advance(20_500);
    const refused = await lplate.call('GET', '/claims/v1/claims', { token });
    assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
    assert.deepEqual([refused.headers.get('retry-after'), refused.headers.get('ratelimit-reset')], ['40', '40']);
    assert.equal(left(refused), 0);
    // The other interfaces have theirs: two calls made the client.
    assert.equal(left(await lplate.call('GET', '/policies', { token })), 57);
    assert.equal(left(await lplate.call('GET', '/vehicle-registry/v2/vehicles/AB-1234')), 59);
    lplate.clock.advance(40_000);
    assert.equal((await lplate.call('GET', '/claims/v1/claims', { token })).status, 200);
  });

  test('Limits, general rate: every way to use the claims interface counts, refusals too; then all of them are refused', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const claimId = await claimOn(lplate, token, policyNumber);
    const stream = await EventStream.open(lplate.url, token);
    t.after(() => stream.close());
    assert.equal(left(stream.response), 58);
    const calls = [
      ['POST', '/claims/v1/claims', { token, json: {} }],
      ['GET', `/claims/v1/claims/${claimId}`, { token }],
      ['GET', '/claims/v1/claims/CLM-2026-999999', { token }],
      ['GET', '/claims/v1/claims', {}],
      ['GET', '/claims/v1/claims', { token: 'made-up' }],
      ['GET', topicPath, { token }],
      ['GET', `${topicPath}?after=1-3`, { token }],
      ['HEAD', topicPath, { token }],
      ['GET', '/claims/v1/subscriptions', { token }],
      ['POST', '/claims/v1/subscriptions', { token, json: { url: 'no address' } }],
      ['DELETE', '/claims/v1/subscriptions/sub-1', { token }],
      ['GET', '/claims/v1/openapi.yaml', {}],
      ['GET', '/claims/v1/asyncapi.yaml', {}],
      ['GET', '/claims/v1/nothing', {}],
      ['PATCH', '/claims/v1/claims', {}],
    ] as const;
    for (const [at, [method, path, options]] of calls.entries()) {
      assert.equal(left(await lplate.call(method, path, options)), 57 - at, `${method} ${path}`);
    }
    for (let more = 58 - calls.length; more > 0; more -= 1) {
      assert.equal((await lplate.call('GET', '/claims/v1/claims', { token })).status, 200);
    }
    for (const [method, path, options] of calls) {
      const refused = await lplate.call(method, path, options);
      assert.equal(refused.status, 429, `${method} ${path}`);
      if (method !== 'HEAD') assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
    }
    const headers = { Accept: 'text/event-stream' };
    assert.equal((await lplate.call('GET', topicPath, { token, headers })).status, 429);
    assert.equal(stream.ended, false, 'a stream that is open goes on');
  });
});
