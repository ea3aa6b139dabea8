import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { second } from '../../src/time/units.ts';
import { onSqlite } from '../support/engines.ts';
import { startUndoubled } from '../support/lplate.ts';
import { root } from '../support/program.ts';
import { isSigned, type ReceivedCall, Subscriber, until } from '../support/receiver.ts';
import { relayPrograms } from '../support/relay-program.ts';
import { steadyPort } from '../support/steady-port.ts';

/** A network of its own, without a way in or out, and whose processes end together. */
const inNamespace = ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c'] as const;
const withLoopback = 'ip link set lo up && exec "$@"';

const [unshare, ...flags] = inNamespace;
const isAllowed = spawnSync(unshare, [...flags, withLoopback, '-', 'true']).status === 0;
const noNamespace = !isAllowed && 'NO NAMESPACES: a network of its own is not permitted here';
if (noNamespace) console.error(`\n*** ${noNamespace} ***\n`);

onSqlite((engine) => {
  for (const { name, command, skip } of relayPrograms) {
    test(`Decisions, relay: ${name} brings webhooks to a receiver in a network that no route leads to`, {
      skip: skip || noNamespace,
    }, async (t) => {
      const lplate = await startUndoubled(t, engine);
      const client = await lplate.client();
      const socket = join(await mkdtemp(join(tmpdir(), 'l-plate-way-')), 'socket');
      const way = createServer((here) => {
        const there = connect(Number(new URL(lplate.url).port), '127.0.0.1');
        for (const each of [here, there]) each.on('error', () => [here, there].map((one) => one.destroy()));
        here.pipe(there).pipe(here);
      }).listen(socket);
      t.after(() => way.close());

      // Nobody listens on it here.
      const port = await steadyPort();
      const inside = [process.execPath, join(import.meta.dirname, 'in-namespace.ts'), socket, String(port)];
      const child = spawn(unshare, [...flags, withLoopback, '-', ...inside, String(await steadyPort()), ...command], {
        cwd: root,
        env: { PATH: process.env.PATH, CLIENT_ID: client.id, CLIENT_SECRET: client.secret },
      });
      t.after(() => child.kill('SIGKILL'));
      let told = '';
      for (const each of [child.stdout, child.stderr]) each.setEncoding('utf8').on('data', (text) => (told += text));
      await until(() => told.includes('connected to') || child.exitCode !== null, 'the relay is connected');
      assert.equal(child.exitCode, null, told);

      const url = `http://127.0.0.1:${port}/hooks`;
      const relayed = await Subscriber.open(lplate, url, client, { via: 'relay' });
      const direct = await Subscriber.open(lplate, url, client);
      await relayed.claim();
      for (let change = 0; change < 3; change += 1) await relayed.pass(second);
      const log = await relayed.log();
      assert.deepEqual(
        log.map(({ status, attempts }) => [status, attempts.length]),
        Array(3).fill(['delivered', 1]),
      );
      const calls = [...told.matchAll(/^\{.*\}$/gm)].map(([line]): ReceivedCall => JSON.parse(line));
      assert.deepEqual(
        calls.map(({ event }) => event.eventId),
        log.map(({ eventId }) => eventId),
      );
      for (const call of calls) assert.ok(isSigned(call, relayed.secret));
      assert.equal((await direct.settled())[0]?.attempts[0]?.error, 'refused the connection');
    });
  }
});
