import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { delayedReply, subscribed } from '../../support/receiver.ts';
import { claimOn } from '../../support/topic.ts';
import { listed, logOf, plain, trainerToken } from '../range.ts';

onSqlite((engine) => {
  describe('deliveries to a webhook', () => {
    const started = async (t: import('node:test').TestContext, eventsDuplicateRate = 0) => {
      const lplate = await startLPlate(t, engine, { eventsDuplicateRate });
      const { receiver, subscriber } = await subscribed(t, lplate);
      const { client } = subscriber;
      const entries = async () => {
        const token = await lplate.token(client.id, client.secret);
        return logOf(lplate, { ...client, token }, '?kind=delivery');
      };
      return { lplate, receiver, subscriber, client, entries };
    };

    test('Decisions, the range: each attempt to deliver is an entry, with what was sent and answered', async (t) => {
      const { lplate, receiver, subscriber, client, entries } = await started(t);
      const before = (await lplate.call('GET', '/range/v1/me', client)).json;
      receiver.answer = () => 404;
      await subscriber.claim();
      await subscriber.pass(1000);
      receiver.answer = () => 204;
      await subscriber.pass(5000);
      const log = await entries();
      equal(log.length, receiver.calls.length);
      const [first] = log.slice(-1);
      const [sent] = receiver.calls;
      deepEqual(
        [first.kind, first.method, first.url, first.route, first.status, first.end, first.delivery.attempt],
        ['delivery', 'POST', receiver.url, '(webhook)', 404, 'answered', 1],
      );
      deepEqual(
        [first.delivery.subscriptionId, first.delivery.eventId, first.delivery.error],
        [subscriber.id, sent?.headers['webhook-id'], null],
      );
      deepEqual(first.remarks, ['The webhook answered 404: only 2xx counts as delivered.']);
      deepEqual([log[0].status, log[0].remarks], [204, []]);
      const { request, response } = (await lplate.call('GET', `/range/v1/me/exchanges/${first.id}`, client)).json;
      equal(request.body.text, sent?.body);
      const headers = Object.fromEntries(
        request.headers.map(({ name, value }: { name: string; value: string }) => [name.toLowerCase(), value]),
      );
      const signature = sent?.headers['webhook-signature'] ?? '';
      equal(headers['webhook-signature'], `v1,(signature, ${signature.length - 'v1,'.length} characters, not kept)`);
      deepEqual({ ...headers, 'webhook-signature': signature, connection: 'close' }, sent?.headers);
      deepEqual([response.headers, response.body], [[], undefined]);
      // They are no calls of the client, and each is in its log alone.
      const after = (await lplate.call('GET', '/range/v1/me', client)).json;
      ok(after.refusals === before.refusals && after.calls < before.calls + log.length + 40);
      deepEqual(await listed(lplate, '/range/v1/trainer/exchanges?kind=delivery', trainerToken), []);
      deepEqual(await logOf(lplate, await lplate.client(), '?kind=delivery'), []);
      ok((await logOf(lplate, client, '?kind=call')).every(({ kind }) => kind === 'call'));
    });

    test('Events, delivery rule 1: the second copy of an event has a remark, and what you ask for again has none', async (t) => {
      const { receiver, subscriber, entries } = await started(t, 1);
      const answers: (503 | 204)[] = [503, 204, 503];
      receiver.answer = () => answers.shift() ?? 204;
      await subscriber.claim(3600);
      for (const milliseconds of [3600_000, 5000, 5000]) await subscriber.pass(milliseconds);
      await subscriber.call('POST', '/deliveries/1/redeliver');
      await subscriber.settled();
      const log = (await entries()).toReversed();
      deepEqual(
        log.map(({ status, remarks }) => [status, remarks.some((each: string) => /come twice on purpose/.test(each))]),
        [
          [503, false],
          [204, false],
          [503, true],
          [204, true],
          [204, false],
        ],
      );
    });

    test('Decisions, the range: a slow answer, a redirect and no answer have remarks; what the receiver said is kept', async (t) => {
      const { lplate, receiver, subscriber, client, entries } = await started(t);
      const late = delayedReply();
      receiver.answer = () => late.reply;
      await subscriber.claim(3600);
      lplate.clock.advance(3600_000);
      await lplate.catchUp();
      await receiver.until(1);
      lplate.clock.advance(12_000);
      late.give(204);
      await subscriber.settled();
      match((await entries())[0].remarks[0], /^The webhook answered after 12 s\. After 15 s it counts as no answer/);
      receiver.answer = () => ({ status: 301, location: 'http://127.0.0.1:1/there?token=abcdef' });
      await subscriber.pass(3600_000);
      deepEqual(plain((await entries())[0].remarks), [
        'The webhook answered 301: redirects are not followed. Subscribe with the address itself: http://127.0.0.1:1/there?token=(secret, 6 characters)',
      ]);
      receiver.answer = () => ({ status: 401, body: '{"why":"another signature","token":"abcdef"}' });
      await subscriber.pass(5000);
      const [{ id }] = await entries();
      const token = await lplate.token(client.id, client.secret);
      const { response } = (await lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token })).json;
      equal(response.body.text, '{"why":"another signature","token":"(secret, 6 characters)"}');
      receiver.answer = () => 'reset';
      await subscriber.pass(30_000);
      const [reset] = await entries();
      deepEqual([reset.status, reset.end, reset.delivery.error], [0, 'cut', 'closed the connection']);
      deepEqual(plain(reset.remarks), ['No answer: the receiver closed the connection.']);
    });

    test('Decisions, the range: HAR and curl of a delivery name the webhook', async (t) => {
      const { lplate, receiver, subscriber, client, entries } = await started(t);
      await claimOn(lplate, client.token, subscriber.policyNumber, { paceSeconds: 1 });
      await subscriber.pass(1000);
      const [{ id }] = await entries();
      const har = (await lplate.call('GET', `/range/v1/me/exchanges/${id}/har`, client)).json;
      equal(har.log.entries[0].request.url, receiver.url);
      const curl = (await lplate.call('GET', `/range/v1/me/exchanges/${id}/curl`, client)).text;
      match(curl, new RegExp(`'${receiver.url}' `));
      match(curl, /webhook-signature: v1,'"\$SIGNATURE"'/);
    });
  });
});
