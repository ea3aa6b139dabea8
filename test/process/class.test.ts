import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkLessons } from '../../src/process/check-lessons.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { networkAddresses } from '../../src/settings/networks.ts';
import { root, run } from '../support/program.ts';

describe('a class', () => {
  test('Decisions, a class: it is a set of other defaults, and what is set itself stays', () => {
    const plain = readConfig([], {}) as Config;
    const room = readConfig(['--class'], {}) as Config;
    const own = readConfig(['--class', '--rate-limit-key', 'address'], {
      HOST: '192.0.2.9',
      WEBHOOK_ALLOW: '10.0.0.0/8',
    }) as Config;
    assert.deepEqual([room.host, room.rateLimitKey, room.keepClientsDays], ['0.0.0.0', 'client', 60]);
    assert.deepEqual([plain.soapLimitPerMinute, room.soapLimitPerMinute], [0, 2400]);
    assert.deepEqual(room.webhookAllow, [...new Set(networkAddresses().map(({ range }) => range))]);
    assert.deepEqual(
      [plain, room, own].map((each) => each.webhookAllowFollows),
      [false, true, false],
    );
    const { class: _, host, rateLimitKey, keepClientsDays, soapLimitPerMinute, ...rest } = plain;
    const { webhookAllow, webhookAllowFollows, ...others } = rest;
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

  test('Decisions, a class: the file for a half day can be used, and its lessons are those of the time plan of the guide, with four minutes each', async (t) => {
    const file = 'examples/class.json';
    const { code, stdout, stderr } = await run(t, { args: [`--check-lessons=${file}`] });
    const { path } = JSON.parse(await readFile(join(root, file), 'utf8')) as { path: string[] };
    assert.deepEqual([code, stdout, stderr], [0, `${file} can be used. It has ${path.length} lessons.\n`, '']);
    const guide = await readFile(join(root, 'docs/class.md'), 'utf8');
    const planned = [...guide.matchAll(/^\| (\d+) to (\d+) \|.*?\(`([\w-]+)` to `([\w-]+)`\)/gm)];
    const blocks = planned.map(([, from, to, first = '', last = '']) => {
      const lessons = path.slice(path.indexOf(first), path.indexOf(last) + 1);
      assert.ok(lessons.length > 0 && Number(to) - Number(from) >= 4 * lessons.length, `${first}: ${lessons.length}`);
      return lessons;
    });
    assert.deepEqual(blocks.flat(), path);
    // The package has both: that it has each guide is seen of the package.
    const build = await readFile(join(root, 'package/build.js'), 'utf8');
    assert.ok(guide.includes(file) && build.includes(`'${file}'`));
  });

  test('Decisions, a class: a file that can not be used is told with all its faults, and exit code 2', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'l-plate-class-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const fileOf = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const check = async (file: string) => {
      const { exitCode, text } = await checkLessons(file);
      assert.equal(exitCode, 2);
      return text;
    };
    const wrong = {
      path: ['credential', 'mine'],
      own: [{ id: 'mine', title: 'Mine', goal: 'g', why: 'w', calls: [{ method: 'FETCH' }] }],
    };
    const file = await fileOf('wrong.json', JSON.stringify(wrong));
    const { code, stdout, stderr } = await run(t, { args: ['--check-lessons', file] });
    assert.deepEqual([code, stderr], [2, '']);
    assert.equal(
      stdout,
      `${file} has 2 faults:
  1. /path has the lesson credential, which does not exist: did you mean credentials?
  2. the call 1 of the lesson mine has the method FETCH, which no address takes.
`,
    );
    const certified = await fileOf('certified.json', '{"path": ["credentials", "mutual-tls"]}');
    assert.match(
      await check(certified),
      /mutual-tls, which is there only where the service asks for client certificates/,
    );
    const withAuthority = await run(t, { args: ['--check-lessons', certified, '--tls-client-ca', 'ca.pem'] });
    assert.deepEqual([withAuthority.code, withAuthority.stdout], [0, `${certified} can be used. It has 2 lessons.\n`]);
    assert.match(
      await check(await fileOf('text.json', '{"path": [}')),
      /^"[^"]+text\.json" is not JSON: line 1, column 11: /,
    );
    assert.match(
      await check(join(folder, 'none.json')),
      /^there is no file "[^"]+none\.json"; use a file of JSON\.\n$/,
    );
  });
});
