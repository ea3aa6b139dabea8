import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { logOf } from '../range/range.ts';
import { TestClock } from '../support/clock.ts';
import { soon } from '../support/consumer.ts';
import { onSqlite } from '../support/engines.ts';
import { freePort, startLPlate } from '../support/lplate.ts';
import { root } from '../support/program.ts';
import { Subscriber } from '../support/receiver.ts';

const noPython = spawnSync('python3', ['--version']).status !== 0 && 'NO PYTHON: the receiver in Python is not run';
if (noPython) console.error(`\n*** ${noPython} ***\n`);

const noMatch =
  'No matching signature found: is WEBHOOK_SECRET that of this subscription? POST …/check-signature says what was signed.';
const offByMinutes = 'The timestamp is missing, or more than five minutes off.';
const noSignature = 'No signature fits: is WEBHOOK_SECRET that of this subscription?';

/** `get`: what it answers to a GET, which no webhook sends. */
const receivers = [
  {
    ...{ file: 'webhook-receiver.ts', command: process.execPath, skip: false, get: 413 },
    reasons: {
      ...{ old: 'Message timestamp too old.', new: 'Message timestamp too new.' },
      ...{ unsigned: noMatch, missing: 'Missing required headers.' },
    },
  },
  {
    ...{ file: 'webhook_receiver.py', command: 'python3', skip: noPython, get: 501 },
    reasons: { old: offByMinutes, new: offByMinutes, unsigned: noSignature, missing: noSignature },
  },
];

for (const { file, command, skip, get, reasons } of receivers)
  describe(`examples/${file}`, { skip }, () => {
    const program = join(root, 'examples', file);

    /** Starts it. What it returns gives what it has told. */
    async function listening(t: TestContext, port: number, WEBHOOK_SECRET: string): Promise<() => string> {
      const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET };
      const child = spawn(command, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      t.after(() => child.kill('SIGKILL'));
      let told = '';
      child.stdout.setEncoding('utf8').on('data', (text) => (told += text));
      await soon('it listens', () => told.startsWith('listening'));
      return () => told;
    }

    test('Events, rule 1: it takes what is signed with its secret and recent, tells each event once, and refuses all else', async (t) => {
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
      const webhook = new Webhook(secret);
      const port = await freePort();
      const told = await listening(t, port, secret);
      const change = { claimId: 'CLM-2026-000042', previousStatus: 'REGISTERED', newStatus: 'UNDER_REVIEW' };
      const body = JSON.stringify({ eventId: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11', data: change });
      const call = async (
        change: { sent?: string; signature?: (text: string) => string; at?: Date; id?: string } = {},
      ) => {
        const { sent = body, signature = (text) => text, at = new Date(), id = 'msg_1' } = change;
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signature(webhook.sign('msg_1', at, body)),
        };
        return (await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body: sent })).status;
      };
      const minute = 60_000;
      assert.equal(await call(), 204);
      assert.equal(await call({ signature: (text) => `v1,AAAA v1a,AAAA ${text}` }), 204);
      assert.equal(await call({ at: new Date(Date.now() - 4 * minute) }), 204);
      assert.equal(await call({ at: new Date(Date.now() - 6 * minute) }), 401);
      assert.equal(await call({ at: new Date(Date.now() + 6 * minute) }), 401);
      assert.equal(await call({ sent: body.replace('UNDER_REVIEW', 'CLOSED') }), 401);
      assert.equal(await call({ id: 'msg_2' }), 401);
      assert.equal(await call({ signature: (text) => text.replace('v1,', 'v2,') }), 401);
      assert.equal(await call({ signature: () => '' }), 401);
      assert.equal((await fetch(`http://localhost:${port}/`)).status, get);
      assert.equal(await call({ sent: ' '.repeat(10_000) }), 413);
      // What it tells comes by a pipe, maybe behind the answer.
      await soon('all is told', () => told().split('The body is too long.\n').length > (get === 413 ? 2 : 1));
      const [begin, taken, ...refused] = told().trimEnd().split('\n');
      assert.match(`${begin}\n${taken}`, /^listening [^\n]+\nCLM-2026-000042: REGISTERED -> UNDER_REVIEW$/);
      assert.deepEqual(refused, [
        ...[reasons.old, reasons.new, ...[1, 2, 3].map(() => reasons.unsigned), reasons.missing].map(
          (reason) => `refused (401): ${reason}`,
        ),
        ...(get === 413 ? ['GET', 'POST'] : ['POST']).map(() => 'refused (413): The body is too long.'),
      ]);
    });

    onSqlite((engine) => {
      test('Decisions, drills: it takes what L-Plate sends, and refuses what the drill forges in any way', async (t) => {
        // It compares timestamps with the time of day.
        const lplate = await startLPlate(
          t,
          engine,
          { eventsDuplicateRate: 0 },
          new TestClock(new Date().toISOString()),
        );
        const port = await freePort();
        const { client, secret, ...subscriber } = await Subscriber.open(lplate, `http://localhost:${port}/claims`);
        const told = await listening(t, port, secret);
        const deliveries = () => logOf(lplate, client, '?kind=delivery');
        for (const [index, how] of ['wrong-secret', 'changed-body', 'old-timestamp'].entries()) {
          const json = { name: 'forged-webhooks', parameters: { how } };
          await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json });
          await lplate.call('POST', `${subscriber.path}/test`, client);
          await soon('it is called twice', async () => (await deliveries()).length === 2 * (index + 1));
          const [forged, real] = await deliveries();
          assert.deepEqual([real.status, real.drills], [204, []]);
          assert.deepEqual([forged.status, forged.drills], [401, ['forged-webhooks']]);
        }
        await soon('all is told', () => told().split('\n').length > 7);
        const refusals = [...told().matchAll(/^refused \(401\): (.*)$/gm)].map(([, reason]) => reason);
        assert.deepEqual(refusals, [reasons.unsigned, reasons.unsigned, reasons.old]);
        assert.equal(told().trim().split('\n').length, 4 + refusals.length);
      });
    });

    test('Decisions, claims and events: without a secret it does not start, since an empty key would sign for anybody', async () => {
      const env = { PATH: process.env.PATH, PORT: String(await freePort()) };
      const child = spawn(command, [program], { env, stdio: 'ignore', timeout: 30_000 });
      assert.deepEqual(await once(child, 'close'), [1, null]);
    });
  });
