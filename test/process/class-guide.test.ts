import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Standing, TreatedLearner } from '../../console/api/types.ts';
import { rowsOf } from '../../console/model/need.ts';
import { firstCalls, plateOfTool } from '../../console/pages/start/first-calls.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';
import { networkAddresses } from '../../src/settings/networks.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { smallDisk } from '../support/outputs.ts';
import { root, run, startProgram } from '../support/program.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { startOnTerminal, terminalMissing } from '../support/terminal.ts';
import { until } from '../support/until.ts';

/* What the trainers' guide says to do, done: each row of its table, its plans and its two rooms. */

const guide = readFileSync(join(root, 'docs/class.md'), 'utf8');
const { trainerToken } = testSecrets;

/** The rows of the table below a heading, each a list of its cells. */
function tableOf(heading: string): string[][] {
  const section = guide.split('\n## ').find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => line.slice(2, -2).split(' | '));
}

const learner = (lplate: LPlate, method: string, { id }: TestClient, below = '', json?: unknown) =>
  lplate.call(method, `/range/v1/trainer/learners/${id}${below}`, {
    token: trainerToken,
    ...(json !== undefined && { json }),
  });

const create = (lplate: LPlate, { token }: TestClient, regNumber: string) =>
  lplate.call('POST', '/policies', { token, json: { regNumber } });

onSqlite((engine) => {
  async function directory(): Promise<string> {
    const where = await engine.location();
    ok('directory' in where);
    return join(where.directory, 'data');
  }

  const inClass = (t: TestContext) => startLPlate(t, engine, { class: 'on', rateLimitKey: 'client' });

  const remedies: Record<string, (t: TestContext) => Promise<unknown>> = {
    async '**Nobody reaches the address**'(t) {
      const program = await startProgram(t, { directory: await directory() }, { args: ['--class'] });
      for (const { address } of networkAddresses()) {
        const origin = `http://${address}:${new URL(program.url).port}`;
        ok(program.stdout().includes(origin));
        equal((await fetch(`${origin}/healthz`)).status, 200);
      }
    },
    async '**one learner gets 409 for a new policy**'(t) {
      const lplate = await inClass(t);
      const [one, other] = [await lplate.client(), await lplate.client()];
      equal((await create(lplate, one, 'AB-1')).status, 201);
      for (const each of [one, other])
        deepEqual(problem(await create(lplate, each, 'AB-1')), [409, 'duplicate-policy']);
      for (const each of [one, other]) equal((await create(lplate, each, plateOfTool('curl', each.id))).status, 201);
    },
    async '**one learner gets 401 all the time**'(t) {
      const lplate = await inClass(t);
      const client = await lplate.client();
      await lplate.call('GET', `/for/${client.id}/insurer/v1/policies`, { token: `${client.token}x` });
      const { items } = (await learner(lplate, 'GET', client, '/exchanges')).json;
      const { text } = await lplate.call('GET', `/range/v1/trainer/exchanges/${items[0].id}`, { token: trainerToken });
      match(text, /"status":401/);
      match(text, /The signature of the token|its signature/);
    },
    async '**429**'(t) {
      const args = ['--class', '--rate-limit-per-minute', '300'];
      const where = { directory: await directory() };
      const program = await startProgram(t, where, { args, environment: { RATE_LIMIT_PER_MINUTE: '' } });
      const { token } = await program.client();
      const statuses = [];
      for (let call = 0; call <= 300; call += 1) {
        const { status, headers } = await program.call('GET', '/coverage-options', { token });
        statuses.push(status);
        if (status === 429) ok(Number(headers.get('retry-after')) > 0);
      }
      deepEqual([statuses.indexOf(429), statuses.filter((each) => each === 200).length], [300, 300]);
    },
    async '**a learner has another browser, or a new address of your machine**'(t) {
      const lplate = await inClass(t);
      const clients = [await lplate.client(), await lplate.client()] as const;
      const own = await lplate.call('POST', '/range/v1/me/transfer', { token: clients[0].token });
      const byTrainer = await learner(lplate, 'POST', clients[1], '/transfer');
      for (const [at, { json }] of [own, byTrainer].entries()) {
        const taken = await lplate.call('POST', '/range/v1/transfers', { json: { code: json.code } });
        equal(taken.json.client_id, clients[at]?.id);
        await lplate.token(taken.json.client_id, taken.json.client_secret);
      }
      const ofAll = await lplate.call('POST', '/range/v1/trainer/transfers', { token: trainerToken });
      equal(ofAll.json.items.length, 2);
    },
    async '**a learner needs help**'(t) {
      const lplate = await inClass(t);
      const { token, ...client } = await lplate.client();
      await lplate.call('POST', '/range/v1/me/help', { token, json: { message: 'Why 401?' } });
      equal((await learner(lplate, 'GET', { ...client, token })).json.help.message, 'Why 401?');
      await learner(lplate, 'PUT', { ...client, token }, '/note', { text: 'Look at the scheme.' });
      equal((await lplate.call('GET', '/range/v1/me', { token })).json.note.text, 'Look at the scheme.');
    },
    async '**somebody makes no calls**'(t) {
      const lplate = await inClass(t);
      const [silent, busy] = [await lplate.client(), await lplate.client()];
      for (const each of [silent, busy, busy, busy]) {
        await lplate.call('GET', '/coverage-options', { token: each.token });
        lplate.clock.advance(6 * 60_000);
      }
      const read = async <Item extends { readonly clientId: string }>(path: string) => {
        const { json } = await lplate.call('GET', `/range/v1/trainer/${path}`, { token: trainerToken });
        return new Map((json.items as Item[]).map((each) => [each.clientId, each]));
      };
      const [learners, standings] = [await read<TreatedLearner>('learners'), await read<Standing>('lessons')];
      const rows = rowsOf({ learners, standings, present: lplate.clock.now() });
      deepEqual([rows.get(silent.id)?.need, rows.get(busy.id)?.need], ['silent', 'working']);
      ok(rows.get(silent.id)?.silent?.lastCall);
    },
    async '**a learner is marked Wrong clock, Two clients, Same nickname or Calls of nobody**'(t) {
      const lplate = await inClass(t);
      const [one, other] = [await lplate.client(), await lplate.client()];
      for (const { token } of [one, other])
        await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Ada' } });
      const warned = (await learner(lplate, 'GET', one)).json.warnings.map((each: { kind: string }) => each.kind);
      deepEqual(warned, ['two-clients', 'same-nickname']);
      const own = (await lplate.call('GET', '/range/v1/me', { token: one.token })).json.warnings;
      deepEqual(
        own.map((each: { kind: string }) => each.kind),
        warned,
      );
    },
    async '**two learners have one name, or a name is rude**'(t) {
      const lplate = await inClass(t);
      const [one, other] = [await lplate.client(), await lplate.client()];
      for (const { token } of [one, other]) {
        lplate.clock.advance(1);
        await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Rude' } });
      }
      const { items } = (await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken })).json;
      deepEqual(items.map((each: { shownName: string }) => each.shownName).toSorted(), ['Rude', 'Rude (2)']);
      await learner(lplate, 'PATCH', other, '', { nickname: 'Kind', nicknameLocked: true });
      const again = await lplate.call('PATCH', '/range/v1/me', { token: other.token, json: { nickname: 'Rude' } });
      deepEqual(problem(again), [409, 'nickname-locked']);
    },
    async '**one learner leaves**'(t) {
      const lplate = await inClass(t);
      const client = await lplate.client();
      equal((await learner(lplate, 'DELETE', client)).status, 204);
      equal((await learner(lplate, 'GET', client)).status, 404);
      equal((await lplate.call('GET', '/range/v1/me', { token: client.token })).status, 401);
    },
    async '**the clock of a learner is months ahead**'(t) {
      const lplate = await inClass(t);
      const client = await lplate.client();
      await learner(lplate, 'POST', client, '/clock', { advance: 'P30D' });
      ok((await learner(lplate, 'GET', client)).json.clock.aheadSeconds >= 30 * 86_400);
      equal((await learner(lplate, 'GET', await lplate.client())).json.clock.aheadSeconds, 0);
    },
    async '**a webhook is not called**'(t) {
      const lplate = await startLPlate(t, engine, { webhookAllow: ['127.0.0.0/8'], eventsDuplicateRate: 0 });
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const subscriber = await Subscriber.open(lplate, receiver.url);
      await subscriber.claim(1);
      lplate.clock.advance(1000);
      await lplate.catchUp();
      await until(async () => (await subscriber.log())[0]?.attempts.length, 'it is tried');
      const { json } = await subscriber.call('GET');
      match(json.lastDelivery.failure, /^The receiver answered 500/);
      const strict = await startLPlate(t, engine);
      const { token } = await strict.client();
      const json2 = { url: 'http://localhost:9000/' };
      const refused = await strict.call('POST', '/claims/v1/subscriptions', { token, json: json2 });
      match(refused.text, /localhost/);
    },
    async '**Git Bash or PowerShell changes a command**'(t) {
      const lplate = await inClass(t);
      const { id: clientId, secret: clientSecret, token } = await lplate.client();
      const headers = { 'Content-Type': 'application/json' };
      await lplate.call('POST', '/policies', { token, headers, body: '{regNumber:AB-1}' });
      const { items } = (await lplate.call('GET', '/range/v1/me/exchanges', { token })).json;
      const { text } = await lplate.call('GET', `/range/v1/me/exchanges/${items[0].id}`, { token });
      ok(text.includes('{regNumber:AB-1}'), 'what arrived is shown');
      match(
        firstCalls('powershell', { origin: lplate.url, clientId, clientSecret }),
        /ConvertTo-Json|Invoke-RestMethod/,
      );
    },
    async '**your machine sleeps, or you close the lid**'(t) {
      const where = { directory: await directory() };
      const first = await startProgram(t, where, { args: ['--class'] });
      const { token } = await first.client();
      equal((await first.call('POST', '/policies', { token, json: { regNumber: 'AB-1' } })).status, 201);
      await first.stop('SIGKILL');
      const second = await startProgram(t, where, { args: ['--class'] });
      equal((await second.call('GET', '/policies', { token })).json.totalItems, 1);
    },
    async '**somebody can read along in the network**'(t) {
      const data = await directory();
      const program = await startProgram(t, { directory: data }, { args: ['--class', '--tls', 'self'] });
      const ca = await readFile(join(data, 'tls/ca.pem'), 'utf8');
      const page = await new Promise<string>((resolve, reject) => {
        request(`${program.url}/ca`, { ca, servername: 'localhost' }, async (answer) =>
          resolve((await answer.setEncoding('utf8').toArray()).join('')),
        )
          .on('error', reject)
          .end();
      });
      const { fingerprint256 } = new X509Certificate(ca);
      ok(page.includes(fingerprint256) && program.stdout().includes(fingerprint256));
      for (const { address } of networkAddresses()) {
        const host = `${address}:${new URL(program.url).port}`;
        const { detail } = (await (await fetch(`http://${host}/`)).json()) as { detail: string };
        equal(detail, `This port speaks HTTPS only. Call https://${host} instead.`);
      }
    },
    async '**“L-Plate already runs with the data directory”**'(t) {
      const data = await directory();
      const first = await startProgram(t, { directory: data }, { args: ['--class'] });
      const second = await run(t, { args: ['--class', '--data-dir', data] });
      equal(second.code, 1);
      ok(second.stderr.includes(`process ${first.child.pid}`));
      await startsAs(t, second.stderr);
    },
    async '**“Port 8080 is in use”**'(t) {
      const first = await startProgram(t, { directory: await directory() }, { args: ['--class'] });
      const { port } = new URL(first.url);
      const args = ['--class', '--data-dir', await directory(), '--port', port];
      const second = await run(t, { args });
      match(second.stderr, new RegExp(`^L-Plate can't start\\. Port ${port} on 0\\.0\\.0\\.0 is in use\\.`));
      await startsAs(t, second.stderr);
    },
    async '**the terminal says that the log can’t be written**'(t) {
      if (terminalMissing || diskMissing) return t.skip('there is no terminal, or no small disk');
      const { screen, url } = await startOnTerminal(t, join(disk, 'data'), { args: '--class' });
      const { execPath } = process;
      const fill = `require('node:fs').writeFileSync(${JSON.stringify(join(disk, 'ballast'))}, Buffer.alloc(64e6))`;
      spawnSync(execPath, ['-e', fill]);
      const statusOf = async (method: string, path: string) => (await fetch(url + path, { method })).status;
      for (let call = 0; call < 100; call += 1) equal(await statusOf('GET', '/insurer/v1/openapi.yaml'), 200);
      await until(() => screen.seen.some((row) => row.startsWith('THE LOG CAN’T BE WRITTEN: ENOSPC')), 'it is told');
      await until(async () => (await statusOf('POST', '/insurer/v1/demo-clients')) === 503, 'changes are refused');
      spawnSync('rm', [join(disk, 'ballast')]);
      await until(() => !screen.seen.some((row) => row.startsWith('THE LOG')), 'it is over');
      await until(async () => (await statusOf('POST', '/insurer/v1/demo-clients')) === 201, 'it goes on');
    },
    async '**you lost the token**'(t) {
      const data = await directory();
      const program = await startProgram(t, { directory: data }, { args: ['--class'] });
      const kept = JSON.parse(await readFile(join(data, 'secrets.json'), 'utf8')).trainerToken;
      equal(kept, program.secrets.trainerToken);
      ok(program.stdout().includes(`with the token ${kept}`));
    },
  };

  const { disk, skip: diskMissing } = smallDisk('24m');

  /**
   * Starts by the command that a message ends with. Its port may have been taken meanwhile, by a connection of another
   * test, too: then the program names the next one, which is followed as you would.
   */
  async function startsAs(t: TestContext, message: string): Promise<void> {
    const [, line = ''] = /: (?:npm start --|npx l-plate) (--class .*)\n$/.exec(message) ?? [];
    const options = { args: line.split(' '), environment: { PORT: '' } };
    const program = await startProgram(t, { directory: '' }, options).catch(({ message: told }: Error) => told);
    if (typeof program === 'string') {
      match(program, / Port \d+ on 0\.0\.0\.0 is in use\./);
      return startsAs(t, program);
    }
    ok(line.includes(`--port ${new URL(program.url).port}`) && program.stdout().includes('Learners'));
  }

  describe('The guide to a class', () => {
    test('Guides: each row of what to do when has a test', () => {
      deepEqual(
        Object.keys(remedies),
        tableOf('What to do when').map(([what]) => what),
      );
    });

    for (const [what, remedy] of Object.entries(remedies))
      test(`Guides, a class, what to do when: ${what.replaceAll('*', '')}`, async (t) => void (await remedy(t)));

    test('Guides: three days and a weekly course have every topic of the lessons, in their order', () => {
      const ids = topics.map(({ id }) => id);
      for (const heading of ['Three days', 'A weekly course']) {
        const planned = tableOf(heading).flatMap(
          (cells) =>
            cells
              .slice(1)
              .join(' ')
              .match(/[a-z-]+/g) ?? [],
        );
        deepEqual(
          planned.filter((word) => ids.includes(word)),
          ids,
          heading,
        );
      }
    });

    test('Guides: the commands for two rooms start two classes that know nothing of each other', async (t) => {
      const [, block = ''] = /## Two rooms[\s\S]*?```\n([\s\S]*?)```/.exec(guide) ?? [];
      const folder = await directory();
      const lines = block.trim().split('\n');
      const rooms = await Promise.all(
        lines.map((line, at) => {
          const [, flags = ''] = /^npm start -- (.*)$/.exec(line) ?? [];
          // The first port of the guide may be taken on this machine.
          const args = flags.replace(/ --port \d+/, '').split(' ');
          const environment = { DATA_DIR: '' };
          args[args.indexOf('--data-dir') + 1] = join(folder, `room-${at + 1}`);
          return startProgram(t, { directory: '' }, { args, environment });
        }),
      );
      const [one, two] = rooms;
      ok(one && two && lines.length === 2);
      for (const what of [/with the token (\S+)\./, /listens on (\S+)/, /preset-fleet {2}(\S+)/])
        notEqual(what.exec(one.stdout())?.[0], what.exec(two.stdout())?.[0] ?? '', String(what));
      const { token } = await one.client();
      deepEqual(
        [
          (await one.call('GET', '/policies', { token })).status,
          (await two.call('GET', '/policies', { token })).status,
        ],
        [200, 401],
      );
      await one.stop();
      equal(
        (await two.call('GET', '/policies', { token: (await two.client()).token })).status,
        200,
        'the other goes on',
      );
    });
  });
});
