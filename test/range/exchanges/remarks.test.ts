import { deepEqual, match } from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Outcome } from '../../../src/http/exchanges.ts';
import type { Call } from '../../../src/range/exchanges/call.ts';
import { Remarks } from '../../../src/range/exchanges/remarks.ts';
import type { Config } from '../../../src/settings/config.ts';
import { onSqlite } from '../../support/engines.ts';
import { startWithClient } from '../../support/lplate.ts';
import { batch, claimOn, insure, pass } from '../../support/topic.ts';
import { logOf, plain } from '../range.ts';

onSqlite((engine) => {
  describe('remarks', () => {
    const started = async (t: TestContext, settings: Partial<Config> = {}) => {
      const { lplate, client } = await startWithClient(t, engine, settings);
      const last = async (): Promise<string[]> => plain((await logOf(lplate, client))[0].remarks);
      return { lplate, client, last };
    };

    test('Decisions, the range: a call that everything is right with has no remark', async (t) => {
      const { lplate, client } = await started(t);
      await lplate.call('GET', '/policies', client);
      deepEqual(
        (await logOf(lplate, client)).flatMap(({ remarks }) => remarks),
        [],
      );
    });

    test('Decisions, the range: what was ignored is named', async (t) => {
      const { lplate, client, last } = await started(t);
      await lplate.call('POST', '/policies?trace=1', { ...client, json: { regNumber: 'RE-0001', colour: 'red' } });
      const text = 'Ignored, since nothing here has these names: body/colour, query/trace.';
      deepEqual(await last(), [text]);
      const [{ notes }] = await logOf(lplate, client);
      const names = ['body/colour', 'query/trace'];
      deepEqual(notes, [{ code: 'ignored-names', text, header: 'L-Plate-Ignored', names }]);
    });

    test('Decisions, the range: a token that is about to expire is mentioned', async (t) => {
      const { lplate, client } = await started(t);
      lplate.clock.advance(55 * 60_000);
      await lplate.call('GET', '/policies', client);
      lplate.clock.advance(1000);
      await lplate.call('GET', '/policies', client);
      lplate.clock.advance(10 * 60_000);
      const token = await lplate.token(client.id, client.secret);
      const log = await logOf(lplate, { ...client, token }, '?path=/insurer/v1/policies');
      deepEqual(
        log.map(({ remarks }) => remarks),
        [['The token expires 299 s after this call. Get a new one before that.'], []],
      );
    });

    test('Decisions, the range: a call before Retry-After had passed is mentioned, on that limit alone', async (t) => {
      const { lplate, client, last } = await started(t, { rateLimitPerMinute: 3 });
      for (let call = 0; call < 2; call += 1) await lplate.call('GET', '/policies', client);
      deepEqual(await last(), []);
      lplate.clock.advance(20_000);
      await lplate.call('GET', '/policies', client);
      match(
        (await last())[0] as string,
        /^This call came 40 s before the Retry-After of the last 429 had passed\. Wait/,
      );
      await lplate.call('GET', '/limited/ping', client);
      await lplate.call('GET', '/claims/v1/claims', client);
      for (const path of ['/limited/ping', '/claims']) {
        deepEqual(
          (await logOf(lplate, client))
            .filter(({ url }) => url.includes(path))
            .flatMap(({ remarks }) => plain(remarks)),
          [],
        );
      }
      lplate.clock.advance(40_000);
      await lplate.call('GET', '/policies', client);
      deepEqual(await last(), []);
    });

    test('Decisions, the range: a create that was cut and sent again is mentioned, without an Idempotency-Key', () => {
      const remarks = new Remarks();
      const post = (
        at: number,
        status: number,
        { end = 'answered', body = '{"a":1}', headers = [] as string[] } = {},
      ) => {
        const outcome = { status, ms: 1, end } as Outcome;
        const bytes = { body: Buffer.from(body), answer: Buffer.alloc(0) };
        const call = { at, outcome, method: 'POST', url: '/insurer/v1/policies', headers, ...bytes };
        return remarks.of('demo-1', call as unknown as Call).map(({ text }) => text);
      };
      deepEqual(post(0, 201), []);
      match(post(1000, 499, { end: 'cut' }).join(), /^The connection was closed before the answer.*499.*not sent\.$/);
      deepEqual(post(1000, 499), [], 'a status that was sent');
      deepEqual(post(2000, 201, { headers: ['idempotency-key', '"one"'] }), []);
      deepEqual(post(2000, 201, { body: '{"a":2}' }), [], 'another body');
      deepEqual(post(2000, 400), [], 'nothing was made');
      for (const status of [201, 409]) {
        match(
          post(5000, status)[0] as string,
          /^You sent the same 4 s before and closed the connection before its answer/,
        );
      }
      deepEqual(post(1000 + 15 * 60_000 + 1, 201), [], 'long after');
    });

    test('Decisions, the range: reading on from a cursor again after a later one is mentioned', async (t) => {
      const { lplate, client, last } = await started(t, { eventsDuplicateRate: 0 });
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      for (let second = 0; second < 3; second += 1) await pass(lplate, 1);
      const read = async (after: string) => {
        const { next } = await batch(lplate, client.token, `?after=${after}&limit=1`);
        return { next, remarks: await last() };
      };
      const first = await read('earliest');
      const second = await read(first.next);
      const again = await read(first.next);
      deepEqual([first.remarks, second.remarks, again.remarks], [[], [], []], 'the same call again is a retry');
      const third = await read(second.next);
      deepEqual(third.remarks, []);
      match(
        (await read(first.next)).remarks[0] as string,
        /^You had read on from the cursor \S+ before, and gone further/,
      );
      await read(third.next);
      deepEqual((await read(third.next)).remarks, [], 'nothing comes twice');
    });

    test('Decisions, the range: a page that was skipped is mentioned', async (t) => {
      const { lplate, client, last } = await started(t);
      const read = async (query: string) => {
        await lplate.call('GET', `/policies${query}`, client);
        return last();
      };
      deepEqual(await read('?pageSize=5'), []);
      deepEqual(await read('?pageSize=5&page=2'), []);
      const skipped = 'From page 2 you went to page 4: page 3 was not read. The Link header has the next page.';
      deepEqual(await read('?page=4&pageSize=5'), [skipped]);
      deepEqual(await read('?page=2&pageSize=5'), [], 'going back');
      deepEqual(await read('?page=9&pageSize=6'), [], 'another list');
      match((await read('?page=9&pageSize=5'))[0] as string, /pages 3 to 8 were not read/);
      lplate.clock.advance(16 * 60_000);
      deepEqual(await read('?page=20&pageSize=5'), [], 'another walk');
    });
  });
});
