import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import type { ProblemEntry } from '../../src/http/problems/problem-entry.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { problems } from '../support/problems.ts';

const entries = Object.entries(problems) as [string, ProblemEntry][];

const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0);
const skip =
  missing.length > 0 && `NO ${missing.join(' AND NO ').toUpperCase()}: the examples of the pages are not run`;
if (skip) console.error(`\n*** ${skip} ***\n`);

onSqlite((engine) => {
  let lplate: LPlate;

  before(async () => {
    // The example of request-timeout waits until the server gives up: by default half a minute.
    lplate = await startLPlate(engine, { requestTimeoutSeconds: 1 });
  });
  after(() => lplate.close());

  const page = async (identifier: string) => {
    const response = await fetch(`${lplate.url}/problems/${identifier}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    return response.text();
  };

  describe('Problem pages', () => {
    test('Errors, 1: each problem has a page that tells its meaning, cause and remedy, and how to see it', async () => {
      for (const [identifier, { status, title }] of entries) {
        const text = visible(await page(identifier));
        const parts = [
          title,
          `${status} · ${identifier}`,
          'What it means',
          'Why it happens',
          'How to fix it',
          'See it',
        ];
        const places = parts.map((part) => text.indexOf(part));
        assert(!places.includes(-1), `${identifier}: ${text}`);
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        assert(!text.includes('`'), `${identifier} shows a backtick`);
      }
    });

    test('Errors, 1: the texts are there in full, in sentences, short, and leave nothing to be filled in', () => {
      for (const [identifier, { title, meaning, cause, remedy }] of entries) {
        assert.doesNotMatch(title, /\.$/, identifier);
        for (const text of [meaning, cause, remedy]) {
          assert.match(text, /^[A-Z`].*\.$/, identifier);
          assert(text.length <= 180, `${identifier}: ${text.length} characters`);
          assert.equal(text.split('`').length % 2, 1, `${identifier} has an odd backtick`);
        }
      }
    });

    test('Errors, 1: the list of problems leads to each page', async () => {
      const list = await (await fetch(`${lplate.url}/problems`)).text();
      const linked = [...list.matchAll(/href="\/problems\/([a-z-]+)"/g)].map(([, identifier]) => identifier);
      assert.deepEqual(
        linked,
        entries.map(([identifier]) => identifier),
      );
    });

    test('Decisions, pages: the list of problems is JSON for programs, with the address of each page', async () => {
      const answer = await fetch(`${lplate.url}/problems`, { headers: { Accept: 'application/json' } });
      assert.match(answer.headers.get('vary') ?? '', /^Accept, Host/);
      const listed = entries.map(([identifier, { status, title }]) => ({
        ...{ identifier, status, title, url: `${lplate.url}/problems/${identifier}` },
      }));
      assert.deepEqual(await answer.json(), { problems: listed });
      const page = await fetch(`${lplate.url}/problems`, { headers: { Accept: 'text/html,*/*;q=0.8' } });
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    });

    test('Errors, 1: a problem that does not exist has no page', async () => {
      for (const name of ['nothing', '__proto__', 'constructor', 'duplicate-policy%00', '<script>']) {
        const response = await fetch(`${lplate.url}/problems/${name}`);
        assert.equal(response.status, 404);
        assert.match(((await response.json()) as { type: string }).type, /\/problems\/not-found$/);
      }
    });

    test('Errors, 1: where a page shows no example, it says so and the cause says why', async () => {
      const without = entries.filter(([, { example }]) => example === null).map(([identifier]) => identifier);
      assert.deepEqual(without, ['internal-error']);
      for (const identifier of without) {
        const text = await page(identifier);
        assert.match(text, /no example is given/);
        assert.doesNotMatch(text, /<pre/);
      }
    });
  });

  describe('Their examples, copied from the page and run by a shell', { skip }, () => {
    // An event of this very millisecond would not be older than what a client skips.
    before(async () => {
      // The fleet gets claims, which then move: the cursor of an example has missed their events.
      for (const seconds of [1, 60]) {
        lplate.clock.advance(seconds * 1000);
        await lplate.catchUp();
      }
    });

    for (const [identifier, { example, status }] of entries) {
      if (example === null) continue;
      test(`Errors: the example of ${identifier} ends in that very problem`, async () => {
        const copied = await exampleOf(identifier);
        const output = await run(copied);
        const [head, body] = output.slice(output.lastIndexOf('HTTP/1.1 ')).split('\r\n\r\n');
        assert.match(head ?? '', new RegExp(`^HTTP/1\\.1 ${status} `), output);
        assert.equal(JSON.parse(body ?? '').type, `${lplate.config.publicUrl}/problems/${identifier}`);
      });
    }

    test('Errors: an example leaves the variables of the shell that it is pasted into as they are', async () => {
      for (const identifier of ['duplicate-policy', 'insufficient-scope', 'client-not-found']) {
        const copied = await exampleOf(identifier);
        const output = await run(`TOKEN=mine BASE=mine PLATE=mine\n${copied}\necho "after: $TOKEN $BASE $PLATE"`);
        assert.match(output, /after: mine mine mine\n$/);
      }
    });

    test('Errors: an example can be run again and gives the same', async () => {
      for (const identifier of ['duplicate-policy', 'policy-immutable', 'rate-limit-exceeded']) {
        const copied = await exampleOf(identifier);
        for (const output of [await run(copied), await run(copied)]) {
          assert.match(output, new RegExp(`/problems/${identifier}"[^\\n]*$`));
        }
      }
    });
  });

  async function exampleOf(identifier: string): Promise<string> {
    const [, escaped] = /<pre id="example"[^>]*>([\s\S]*?)<\/pre>/.exec(await page(identifier)) ?? [];
    assert(escaped, `${identifier} shows no example`);
    return unescaped(escaped);
  }
});

/** What a reader sees of a page. */
const visible = (page: string) =>
  unescaped(page.replace(/<style>[\s\S]*?<\/style>/, '').replaceAll(/<[^>]*>/g, '')).replaceAll(/\s+/g, ' ');

const unescaped = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** What the banner shows, for examples that say so. */
const shown = { TRAINER_TOKEN: testSecrets.trainerToken, READER_CLIENT_SECRET: testSecrets.readerClientSecret };

/** Standard output of shell lines. The examples talk to this machine alone, so no proxy has a part in it. */
function run(lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-c', lines], {
      env: { ...process.env, ...shown, no_proxy: '*', HOME: '/nonexistent' },
    });
    let output = '';
    shell.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    shell.stderr.resume();
    shell.on('error', reject).on('close', () => resolve(output));
  });
}
