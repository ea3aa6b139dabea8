import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { networkAddresses } from '../../src/networks.ts';
import { onSqlite } from '../support/engines.ts';
import { root, startProgram } from '../support/program.ts';
import { stepsOf, unwalkable } from '../support/walk.ts';

const learners = 20;

/** Runs lines as somebody pastes them into a terminal in this folder. Returns what they print. */
async function paste(lines: string, cwd: string): Promise<string> {
  const shell = spawn('bash', ['-s'], {
    cwd,
    env: { ...process.env, no_proxy: '*' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  shell.stdin.end(lines);
  await once(shell, 'close');
  return printed;
}

const unescaped = (html: string) => html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

describe('a class', () => {
  test('Decisions, a class: it is a set of other defaults, and what is set itself stays', () => {
    const plain = readConfig([], {});
    const room = readConfig(['--class'], {});
    const own = readConfig(['--class', '--rate-limit-key', 'address'], {
      HOST: '192.0.2.9',
      WEBHOOK_ALLOW: '10.0.0.0/8',
    });
    if (typeof plain === 'string' || typeof room === 'string' || typeof own === 'string') return assert.fail();
    assert.deepEqual([room.host, room.rateLimitKey], ['0.0.0.0', 'client']);
    assert.deepEqual(room.webhookAllow, [...new Set(networkAddresses().map(({ range }) => range))]);
    const { class: _, host, rateLimitKey, webhookAllow, ...others } = plain;
    assert.deepEqual(
      others,
      Object.fromEntries(Object.keys(others).map((name) => [name, room[name as keyof typeof room]])),
    );
    assert.deepEqual([own.host, own.rateLimitKey, own.webhookAllow], ['192.0.2.9', 'address', ['10.0.0.0/8']]);
    const fromEnvironment = readConfig([], { CLASS: 'on' });
    assert.deepEqual(fromEnvironment, room);
  });

  test('Decisions, a class: the networks of a machine come with those of containers last', () => {
    const address = (ip: string, netmask: string, internal = false) =>
      ({ address: ip, netmask, family: 'IPv4', internal, mac: '', cidr: null }) as const;
    const found = networkAddresses({
      lo: [address('127.0.0.1', '255.0.0.0', true)],
      docker0: [address('172.17.0.1', '255.255.0.0')],
      wlan0: [address('192.168.1.77', '255.255.255.0')],
      eth0: [address('10.20.30.40', '255.255.252.0')],
    });
    assert.deepEqual(found, [
      { address: '192.168.1.77', range: '192.168.1.0/24' },
      { address: '10.20.30.40', range: '10.20.28.0/22' },
      { address: '172.17.0.1', range: '172.17.0.0/16' },
    ]);
  });

  onSqlite((engine) => {
    test('Decisions, a class: twenty learners paste the same lines at once, from the front page and then from the README, and all succeed', {
      skip: unwalkable,
    }, async (t) => {
      const environment = { PORT: '0', RATE_LIMIT_PER_MINUTE: '60' };
      const program = await startProgram(t, await engine.location(), { environment, args: ['--class'] });
      const { port } = new URL(program.url);
      const [address] = networkAddresses();
      const origin = address ? `http://${address.address}:${port}` : program.url;
      if (address) {
        assert.match(program.stdout(), new RegExp(`Learners open ${RegExp.escape(origin)}, or scan:\n\n *[█▀▄]`));
        assert.match(
          program.stdout(),
          new RegExp(`You open ${RegExp.escape(origin)}/#/trainer, with the token \\S+\\.\n`),
        );
        assert.ok(program.stdout().includes(`lets webhooks call ${address.range}`));
      }
      const page = await (await fetch(`${origin}/`)).text();
      const quickStart = unescaped(/<pre id="quick-start"[^>]*>([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '');
      assert.ok(quickStart.includes(`${origin}/insurer/v1`));
      const [, walk = ''] = (await readFile(join(root, 'README.md'), 'utf8')).split('\n## Tutorial\n');
      const steps = stepsOf(walk.split('\n## ')[0] ?? '');
      const first = steps.findIndex(({ commands }) => commands.startsWith('BASE='));
      const last = steps.findIndex(({ commands }) => commands.includes('Idempotency-Key'));
      const tutorial = steps.slice(first, last + 1).map(({ commands }) => commands);
      const folder = await mkdtemp(join(tmpdir(), 'l-plate-class-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const printed = await Promise.all(
        Array.from({ length: learners }, async (_, number) => {
          const own = join(folder, String(number));
          await mkdir(own);
          const quick = await paste(quickStart, own);
          return [quick, await paste(tutorial.join('').replaceAll('http://localhost:8080', origin), own)] as const;
        }),
      );
      for (const [quick, walked] of printed) {
        assert.match(quick, /HTTP\/1\.1 201 Created/);
        const statuses = [...walked.matchAll(/ (\d{3})$/gm)].map(([, status]) => status);
        assert.deepEqual(statuses, ['201', '409', '200', '200', '200', '200', '412', '201', '201']);
      }
      const learnersNow = await fetch(`${origin}/range/v1/trainer/learners?pageSize=1`, {
        headers: { Authorization: `Bearer ${program.secrets.trainerToken}` },
      });
      assert.equal(JSON.parse(await learnersNow.text()).totalItems, 2 * learners);
    });
  });
});
