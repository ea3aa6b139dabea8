import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Config } from '../../../src/settings/config.ts';
import { forEachEngineInFull, onSqlite } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate, type TestClient } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { claimOn, insure, pass, topicPath } from '../../support/topic.ts';
import { idOf, logOf } from '../range.ts';

const start = async (t: TestContext, engine: Parameters<typeof startLPlate>[0], settings: Partial<Config> = {}) => {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings });
  return { lplate, client: await lplate.client() };
};

/** Server-sent events as they come. */
async function stream(t: TestContext, lplate: LPlate, path: string, { token }: TestClient, own = {}) {
  const controller = new AbortController();
  t.after(() => controller.abort());
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...own };
  const response = await fetch(`${lplate.url}${path}`, { headers, signal: controller.signal });
  const got = { text: '', ended: false };
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body ?? []) got.text += decoder.decode(piece, { stream: true });
    } catch {
      // It was cut here.
    }
    got.ended = true;
  })();
  const messages = () =>
    [...got.text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({
      kept: id,
      ...JSON.parse(data ?? ''),
    }));
  return { response, got, messages, close: () => controller.abort() };
}

async function metric({ url, clock }: LPlate, name: string): Promise<number> {
  // The text is made at most once a second.
  clock.advance(1000);
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

onSqlite((engine) => {
  describe('streams in the log', () => {
    const entry = async (lplate: LPlate, client: TestClient) => (await logOf(lplate, client, '?kind=stream'))[0];

    test('Decisions, the range: a stream is an entry from its begin, and tells what was sent and why it ended', async (t) => {
      const { lplate, client } = await start(t, engine);
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      await pass(lplate, 1);
      const events = await stream(t, lplate, topicPath, client);
      await until(() => events.got.text.includes('data:'), 'an event');
      const id = events.response.headers.get('x-request-id');
      const open = await entry(lplate, client);
      deepEqual([open.id, open.kind, open.end, open.stream.end], [id, 'stream', 'open', null]);
      await pass(lplate, 1);
      await until(() => events.got.text.split('data:').length === 3, 'a second event');
      events.close();
      await until(async () => (await entry(lplate, client)).end !== 'open', 'its end');
      const closed = await entry(lplate, client);
      deepEqual([closed.id, closed.end, closed.stream], [id, 'cut', { events: 2, end: 'caller-gone' }]);
    });

    test('Decisions, the range: when a stream has ended, the log has what it sent, up to 16 KiB', async (t) => {
      const { lplate, client } = await start(t, engine, {
        eventsHeartbeatSeconds: 3600,
        // A second delivery could come after the figures were read.
        eventsDuplicateRate: 0,
      });
      const policy = await insure(lplate, client.token);
      const whole = async (id: string | null) =>
        (await lplate.call('GET', `/range/v1/me/exchanges/${id}`, { token: client.token })).json;
      const ended = async (wanted: number) => {
        const events = await stream(t, lplate, topicPath, client);
        const id = events.response.headers.get('x-request-id');
        await until(() => events.got.text.split('data:').length > wanted, 'the events');
        equal((await whole(id)).response.body, undefined);
        const keptBytes = await metric(lplate, 'lplate_event_streams_kept_bytes');
        events.close();
        await until(async () => (await entry(lplate, client)).end !== 'open', 'its end');
        return { sent: events.got.text, keptBytes, body: (await whole(id)).response.body };
      };
      await claimOn(lplate, client.token, policy, { paceSeconds: 60 });
      await pass(lplate, 60);
      const short = await ended(1);
      deepEqual(short.body, { text: short.sent, encoding: 'utf-8', bytes: short.sent.length, complete: true });
      equal(short.keptBytes, short.sent.length);
      match(short.sent, /^retry: 3000\nid: \S+\ndata: \{/);
      for (let claim = 0; claim < 40; claim += 1) await claimOn(lplate, client.token, policy, { paceSeconds: 60 });
      await pass(lplate, 180);
      const long = await ended(123);
      deepEqual([long.body.bytes, long.body.complete], [long.sent.length, false]);
      ok(long.sent.length > 30_000);
      ok(long.sent.startsWith(long.body.text));
      // What is cut off may be a secret.
      ok(long.body.text.length > 16_000 && long.body.text.length <= 16 * 1024);
      equal(long.keptBytes, 20 * 1024);
      await until(async () => (await metric(lplate, 'lplate_event_streams_kept_bytes')) === 0, 'nothing is kept');
    });

    test('Decisions, the range: nothing is kept of streams where there is no range', async (t) => {
      const { lplate, client } = await start(t, engine, { range: 'off' });
      const events = await stream(t, lplate, topicPath, client);
      await until(() => events.got.text.includes('no events yet'), 'its begin');
      equal(await metric(lplate, 'lplate_event_streams'), 1);
      equal(await metric(lplate, 'lplate_event_streams_kept_bytes'), 0);
    });

    test('Decisions, the range: a stream ended by its token or by a stop says so', async (t) => {
      const { lplate, client } = await start(t, engine, { eventsHeartbeatSeconds: 1 });
      const expiring = await stream(t, lplate, topicPath, client);
      lplate.clock.advance(3600_000);
      await until(() => expiring.got.ended, 'its end');
      const token = await lplate.token(client.id, client.secret);
      const later = { ...client, token };
      await until(async () => (await entry(lplate, later)).end === 'answered', 'its entry');
      equal((await entry(lplate, later)).stream.end, 'token-expired');
      const stopped = await stream(t, lplate, topicPath, later);
      await lplate.close();
      await until(() => stopped.got.ended, 'its end');
      const again = await startLPlate(
        t,
        { ...engine, location: async () => ({ directory: lplate.config.dataDir }) },
        {
          publicUrl: lplate.config.publicUrl,
        },
        lplate.clock,
      );
      equal((await entry(again, later)).stream.end, 'stopped');
    });
  });
});

forEachEngineInFull((engine) => {
  describe('the log as a stream', () => {
    const path = '/range/v1/me/exchanges';

    test('Decisions, the range: each exchange is sent when it is kept, to its client alone', async (t) => {
      const { lplate, client } = await start(t, engine);
      const other = await lplate.client();
      const live = await stream(t, lplate, path, client);
      equal(live.response.headers.get('content-type'), 'text/event-stream');
      await until(() => live.got.text.includes('follows'), 'its begin');
      const id = idOf(await lplate.call('GET', '/policies/pol-1', client));
      await lplate.call('GET', '/policies/pol-2', other);
      await until(() => live.messages().some((each) => each.id === id), 'the exchange');
      const [listed] = await logOf(lplate, client);
      const { kept: _kept, ...sent } = live.messages().at(-1) as { kept: string };
      deepEqual(sent, listed);
      ok(live.messages().every(({ url }) => !url.includes('pol-2')));
      const errors = await stream(t, lplate, `${path}?status=4xx&path=/insurer`, client);
      await until(() => errors.got.text.includes('follows'), 'its begin');
      await lplate.call('GET', '/policies', client);
      const missing = idOf(await lplate.call('GET', '/policies/pol-3', client));
      await until(() => errors.messages().length > 0, 'the refusal');
      deepEqual(
        errors.messages().map((each) => each.id),
        [missing],
      );
    });

    test('Decisions, the range: the stream of a log goes on after Last-Event-ID, and without it from now on', async (t) => {
      const { lplate, client } = await start(t, engine);
      const ids: string[] = [];
      for (let call = 0; call < 3; call += 1) ids.push(idOf(await lplate.call('GET', `/policies/pol-${call}`, client)));
      await logOf(lplate, client);
      const whole = await stream(t, lplate, path, client, { 'Last-Event-ID': '0' });
      await until(() => whole.messages().length === 5, 'all');
      const messages = whole.messages();
      deepEqual(
        messages.slice(2).map(({ id }) => id),
        ids,
      );
      const rest = await stream(t, lplate, path, client, { 'Last-Event-ID': messages[3]?.kept });
      await until(() => rest.messages().length > 0, 'the rest');
      deepEqual(
        rest.messages().map(({ id }) => id),
        ids.slice(2),
      );
      // One that this log never had begins anew with what comes.
      const odd = await stream(t, lplate, path, client, { 'Last-Event-ID': '999999' });
      await until(() => odd.got.text.includes('follows'), 'its begin');
      const next = idOf(await lplate.call('GET', '/policies/pol-9', client));
      await until(() => odd.messages().some(({ id }) => id === next), 'what comes');
      const wrong = await lplate.call('GET', path, {
        token: client.token,
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': '1-1' },
      });
      deepEqual(problem(wrong), [400, 'validation-error']);
    });

    test('Decisions, the range: the stream of a log ends with the token by its client’s clock, for that client alone', async (t) => {
      const { lplate, client } = await start(t, engine, { eventsHeartbeatSeconds: 1 });
      const other = await lplate.client();
      const advance = (span: string) =>
        lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: span } });
      await advance('PT30M');
      const [mine, theirs] = [await stream(t, lplate, path, client), await stream(t, lplate, path, other)];
      await until(() => mine.got.text.includes('still here'), 'a sign of life');
      equal(mine.got.ended, false);
      await advance('PT31M');
      await until(() => mine.got.ended, 'its end');
      equal(theirs.got.ended, false);
      const late = await lplate.client();
      const opened = await lplate.token(late.id, late.secret);
      await lplate.call('POST', '/range/v1/me/clock', { token: opened, json: { advance: 'PT59M' } });
      const last = await stream(t, lplate, path, { ...late, token: opened });
      lplate.clock.advance(61_000);
      await until(() => last.got.ended, 'the end of what was opened after a move');
      equal(theirs.got.ended, false);
    });

    test('Decisions, the range: signs of life come, the number of streams has a limit, and they end with the token', async (t) => {
      const { lplate, client } = await start(t, engine, { eventsHeartbeatSeconds: 1, streamsPerClient: 2 });
      const one = await stream(t, lplate, path, client);
      const other = await stream(t, lplate, path, client);
      await until(() => one.got.text.includes('still here'), 'a sign of life');
      const third = await lplate.call('GET', path, { token: client.token, headers: { Accept: 'text/event-stream' } });
      deepEqual(problem(third), [429, 'quota-exceeded']);
      other.close();
      await until(async () => {
        const text = await (await fetch(`${lplate.url}/metrics`)).text();
        return /^lplate_range_streams 1$/m.test(text);
      }, 'one is gone');
      lplate.clock.advance(3600_000);
      await until(() => one.got.ended, 'its end');
      match(one.got.text, /^retry: 3000\n/);
      const head = await fetch(`${lplate.url}${path}`, {
        method: 'HEAD',
        headers: {
          Accept: 'text/event-stream',
          Authorization: `Bearer ${await lplate.token(client.id, client.secret)}`,
        },
      });
      equal(head.status, 200);
    });
  });
});
