import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeCertificates } from '../support/certificates.ts';
import { soon } from '../support/consumer.ts';
import { onSqlite } from '../support/engines.ts';
import { ask, connectHttp2, startSecure } from '../support/http2.ts';
import { startUndoubled } from '../support/lplate.ts';
import { delayedReply, isSigned, type LoggedDelivery, Receiver, Subscriber } from '../support/receiver.ts';
import { connectRelay, relayPrograms, startRelay } from '../support/relay-program.ts';
import { restartable } from '../support/restart.ts';
import { steadyPort } from '../support/steady-port.ts';

const viaRelay = { via: 'relay' };

/** What became of each attempt. */
const outcomes = (log: readonly LoggedDelivery[]) =>
  log.flatMap(({ status, attempts }) => [
    ...attempts.map(({ responseStatus, responseBody, error }) => [responseStatus, responseBody, error]),
    [status],
  ]);

for (const program of relayPrograms)
  describe(`kits, ${program.name}`, { skip: program.skip }, () => {
    test('Kits, relay: what it lacks is told in one line', async (t) => {
      const client = { CLIENT_ID: 'demo-1', CLIENT_SECRET: 'none' };
      for (const [environment, line] of [
        [client, /^relay: LPLATE_URL is missing\.\n$/],
        [{ ...client, LPLATE_URL: 'localhost:8080' }, /^relay: LPLATE_URL is no address that begins with http\.\n$/],
        [{ CLIENT_ID: 'demo-1', LPLATE_URL: 'http://localhost:8080' }, /^relay: CLIENT_SECRET is missing\.\n$/],
      ] as const) {
        const { exit, told } = startRelay(t, program, environment);
        assert.equal(await exit, 1);
        assert.match(told(), line);
      }
    });

    onSqlite((engine) => {
      test('Kits, relay: a call arrives byte by byte with its signature, and its answer is that of a direct call', async (t) => {
        const lplate = await startUndoubled(t, engine);
        const replies = [{ status: 503, body: 'not yet' }, 'reset', 204, { status: 302, location: '/other' }] as const;
        const log = async (how: object) => {
          const receiver = await Receiver.open(t);
          const client = await lplate.client();
          const relay = how === viaRelay ? await connectRelay(t, program, lplate, client) : undefined;
          const subscriber = await Subscriber.open(lplate, receiver.url, client, how);
          // The other one's passing of time may bring one more.
          receiver.answer = () => replies[receiver.calls.length - 1] ?? 204;
          await subscriber.call('POST', '/test');
          for (const seconds of [0, 5, 30]) await subscriber.pass(seconds * 1000);
          await subscriber.call('POST', '/test');
          await receiver.until(replies.length);
          for (const call of receiver.calls) assert.ok(isSigned(call, subscriber.secret));
          return { receiver, relay, log: await subscriber.settled() };
        };
        const direct = await log({});
        const { relay, ...relayed } = await log(viaRelay);
        const named = ({ receiver }: Pick<typeof direct, 'receiver'>) =>
          receiver.calls
            .slice(0, replies.length)
            .map(({ method, path, headers }) => [method, path, Object.keys(headers).sort()]);
        assert.deepEqual(named(relayed), named(direct));
        assert.deepEqual(outcomes(relayed.log), outcomes(direct.log));
        assert.match(relay?.told() ?? '', /^\d\d:\d\d:\d\d POST \/hooks 503 \d+ ms$/m);
        relay?.child.kill('SIGINT');
        assert.equal(await relay?.exit, 0);
        assert.match(relay?.told() ?? '', /stopped by Ctrl\+C\n$/);
      });

      test('Kits, relay: one receiver that is slow holds up no other; what gets no answer is told apart', async (t) => {
        const lplate = await startUndoubled(t, engine, { subscriptionsPerClient: 20 });
        const client = await lplate.client();
        const relay = await connectRelay(t, program, lplate, client);
        const subscribe = async (url: string, how: object = viaRelay) => {
          const subscriber = await Subscriber.open(lplate, url, client, how);
          await subscriber.call('POST', '/test');
          return subscriber;
        };
        const silent = await Receiver.open(t);
        const { reply } = delayedReply();
        silent.answer = () => reply;
        const late = await subscribe(silent.url);
        const lateDirect = await subscribe(silent.url, {});
        await silent.until(2);

        const { certificate, key } = await makeCertificates(await mkdtemp(join(tmpdir(), 'l-plate-relay-')));
        const secure = createServer({ cert: await readFile(certificate), key: await readFile(key) }).listen(0);
        t.after(() => secure.close());
        await once(secure, 'listening');
        const { port } = secure.address() as AddressInfo;
        const told = async (url: string, how?: object) => {
          const [delivery] = await (await subscribe(url, how)).settled();
          return delivery?.attempts[0]?.error ?? '';
        };
        const rogue = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-none\r\n')).listen(0);
        t.after(() => rogue.close());
        await once(rogue, 'listening');
        const broken = await Receiver.open(t);
        broken.answer = () => 'reset';
        const alike = [
          [`http://127.0.0.1:${await steadyPort()}/`, 'refused the connection'],
          [`https://localhost:${port}/`, 'has a certificate that is not valid'],
          [`https://127.0.0.1:${broken.port}/`, 'failed the TLS handshake, which https needs'],
          [`http://127.0.0.1:${(rogue.address() as AddressInfo).port}/`, 'did not answer in HTTP'],
          [broken.url, 'closed the connection'],
        ] as const;
        for (const [at, [url, error]] of alike.entries()) {
          assert.deepEqual([await told(url), await told(url, {})], [error, error], url);
          if (at === 0) assert.equal((await late.log())[0]?.attempts.length, 0, 'it still waits for the silent one');
        }
        const failures = [
          ['http://nobody.invalid/', /^its host name has no address/],
          ['http://10.1.2.3/', /^could not be reached: the relay calls this machine alone, unless/],
        ] as const;
        for (const [url, error] of failures) assert.match(await told(url), error, url);
        const slow = outcomes(await late.settled());
        assert.equal(slow[0]?.[2], 'did not answer within 15 s');
        assert.deepEqual(slow, outcomes(await lateDirect.settled()));
        assert.match(relay.told(), /POST \/ other the relay calls this machine alone/);
      });

      test('Kits, relay: with --allow-any-host it calls others, too', async (t) => {
        const lplate = await startUndoubled(t, engine);
        const client = await lplate.client();
        await connectRelay(t, program, lplate, client, '--allow-any-host');
        // No machine is called: there is nothing at this address (RFC 5737), and often no way to it.
        const subscriber = await Subscriber.open(lplate, 'http://192.0.2.1/', client, viaRelay);
        await subscriber.call('POST', '/test');
        const [delivery] = await subscriber.settled();
        assert.doesNotMatch(delivery?.attempts[0]?.error ?? 'this machine alone', /this machine alone/);
      });

      test('Kits, relay: it comes back after a restart of the service, and with a new token after its hour', async (t) => {
        const receiver = await Receiver.open(t);
        const port = await steadyPort();
        const { start } = await restartable(engine);
        const settings = { port, publicUrl: `http://localhost:${port}`, eventsDuplicateRate: 0 };
        const first = await start(settings);
        const client = await first.client();
        const relay = await connectRelay(t, program, first, client);
        const before = await Subscriber.open(first, receiver.url, client, viaRelay);
        const delivered = async (subscriber: Subscriber) => {
          await subscriber.call('POST', '/test');
          await soon('it is delivered', async () =>
            (await subscriber.log()).every((each) => each.status === 'delivered'),
          );
        };
        await delivered(before);
        await first.close();
        await soon('it misses the service', () => /trying again in 2 s/.test(relay.told()));
        const lplate = await start(settings);
        t.after(() => lplate.close());
        const times = () => relay.told().split('connected to').length - 1;
        await soon('it is back', () => times() === 2);
        const subscriber = before.on(lplate);
        await delivered(subscriber);

        const token = await lplate.token(client.id, client.secret);
        await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT61M' } });
        await soon('it has a new token', () => times() === 3);
        await delivered(subscriber);
        assert.equal(receiver.calls.length, 3);
      });

      test('Kits, relay: of two of one client the first one ends, and one with wrong credentials', async (t) => {
        const lplate = await startUndoubled(t, engine);
        const client = await lplate.client();
        const first = await connectRelay(t, program, lplate, client);
        await connectRelay(t, program, lplate, client);
        assert.equal(await first.exit, 1);
        assert.match(first.told(), /^relay: another relay of this client has begun, and gets the calls now\.$/m);
        const wrong = { LPLATE_URL: lplate.url, CLIENT_ID: client.id, CLIENT_SECRET: 'wrong' };
        const refused = startRelay(t, program, wrong);
        assert.equal(await refused.exit, 1);
        assert.match(refused.told(), /^relay: [^\n]*answered 401: [^\n]*\/problems\/invalid-client"[^\n]*\n$/);
      });

      test('Kits, relay: over HTTPS it trusts the authority that it is given, and no other', async (t) => {
        const secure = await startSecure(t, engine);
        const { text } = await ask(connectHttp2(t, secure), { ':method': 'POST', ':path': '/insurer/v1/demo-clients' });
        const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = JSON.parse(text);
        const environment = { LPLATE_URL: `https://localhost:${secure.lplate.config.port}`, CLIENT_ID, CLIENT_SECRET };
        const stranger = startRelay(t, program, environment);
        await soon('it does not trust it', () => /certificate.*; trying again/i.test(stranger.told()));
        const ca = join(await mkdtemp(join(tmpdir(), 'l-plate-relay-')), 'ca.pem');
        await writeFile(ca, secure.root);
        const relay = startRelay(t, program, { ...environment, [program.authority]: ca });
        await soon('it is connected', () => relay.told().includes('connected to'));
      });
    });
  });
