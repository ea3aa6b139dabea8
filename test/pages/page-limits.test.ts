import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';

const flooder = '192.0.2.66';
const learner = '198.51.100.7';

onSqlite((engine) => {
  const started = (t: TestContext) => startLPlate(t, engine, { rateLimitPerMinute: 60, trustProxy: 1 });
  const get = ({ url }: LPlate, path: string, from: string, host = 'localhost') =>
    send(`${url}${path}`, { method: 'GET', headers: { Host: host, 'X-Forwarded-For': from } });

  test('Decisions, pages: an address gets 1,200 a minute, without a word until then; what watches the service has no limit', async (t) => {
    const lplate = await started(t);
    const paths = ['/', '/problems', '/kits', '/nowhere', '/vehicle-registry/v1?wsdl', '/guides/class.md'];
    for (let at = 0; at < 1200; at += 1) {
      const { status, headers } = await get(
        lplate,
        at < 10 ? (paths[at % paths.length] as string) : '/nowhere',
        flooder,
      );
      ok(status === 200 || status === 404);
      equal(headers.get('ratelimit-limit'), null);
    }
    for (const path of paths.filter((each) => !each.startsWith('/vehicle'))) {
      const refused = await get(lplate, path, flooder);
      deepEqual(problem(refused), [429, 'rate-limit-exceeded'], path);
      match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      equal((await get(lplate, path, learner)).status, path === '/nowhere' ? 404 : 200);
    }
    match((await get(lplate, '/vehicle-registry/v1?wsdl', flooder)).text, /You have reached the limit of 1200/);
    for (const path of ['/healthz', '/readyz', '/metrics']) equal((await get(lplate, path, flooder)).status, 200);
    equal((await get(lplate, '/insurer/v1/coverage-options', flooder)).status, 200);
    equal(await metric(lplate, 'lplate_rate_limit_refusals_total{limit="pages"}'), 6);
    lplate.clock.advance(60_000);
    equal((await get(lplate, '/', flooder)).status, 200);
  });

  test('Decisions, kits: a copy for a place is made once and kept; an address has 300 made a minute, and half of the room', async (t) => {
    const lplate = await started(t);
    const kit = (from: string, host: string, file = 'kits/l-plate-bruno.zip') => get(lplate, `/${file}`, from, host);
    equal((await kit(learner, 'learner.example')).status, 200);
    for (let at = 0; at < 300; at += 1) equal((await kit(flooder, `h${at}.example`, 'guides/class.md')).status, 200);
    for (const file of ['guides/class.md', 'kits/l-plate-bruno.zip', 'kits/l-plate.http', 'vehicle-registry/v1?wsdl'])
      match((await kit(flooder, 'h300.example', file)).text, /You have reached the limit of 300/);
    equal((await kit(flooder, 'h299.example', 'guides/class.md')).status, 200, 'it is there');
    // Nor is anything made for a learner who has it.
    for (let at = 0; at < 310; at += 1) equal((await kit(learner, 'learner.example')).status, 200);
    equal(await metric(lplate, 'lplate_rate_limit_refusals_total{limit="copies"}'), 4);
    lplate.clock.advance(60_000);
    for (let at = 0; at < 250; at += 1)
      equal((await kit(flooder, `more${at}.example`, 'kits/l-plate.postman_collection.json')).status, 200);
    ok((await metric(lplate, 'lplate_pool_taken{pool="copies"}')) < 16.1e6);
    ok((await metric(lplate, 'lplate_pool_ended_total{pool="copies"}')) > 0);
  });
});
