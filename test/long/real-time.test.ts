import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { askingEnvironment, files } from '../support/mutual-tls.ts';
import { root, startProgram } from '../support/program.ts';

/** Seconds that the whole path may take. It is judged with TEST_EXTENT=full: other tests run beside it else. */
const longest = 180;

const lacking = ['bash', 'curl', 'openssl'].find((name) => spawnSync(name, ['version']).error !== undefined);

/** The programs that need no more than most machines have; test/foreign has the others. */
const programs = {
  JavaScript: { command: process.execPath, file: 'walk-the-path.js', told: /\n(\d+) of \1 lessons are solved\.\n$/ },
  'bash, with curl, but those of webhooks': {
    ...{ command: 'bash', file: 'walk-the-path.sh', told: /\n\d+ of \d+ lessons are solved\.\n$/ },
    skip: lacking && `no ${lacking}`,
  },
};

/** A service that asks for client certificates has a lesson more. */
const withCertificate = {
  ...programs.JavaScript,
  service: askingEnvironment,
  walker: { NODE_EXTRA_CA_CERTS: files.authority, CLIENT_CERT: files.cert, CLIENT_KEY: files.key },
};

const walks: Record<string, Partial<typeof withCertificate> & typeof programs.JavaScript> = {
  ...programs,
  'JavaScript, with a client certificate': withCertificate,
};

onSqlite((engine) => {
  // They wait most of the time.
  describe('Examples, in real time and with the default limits', { concurrency: true }, () => {
    const start = async (t: TestContext, environment = {}) =>
      startProgram(t, await engine.location(), { environment: { RATE_LIMIT_PER_MINUTE: '60', ...environment } });

    for (const [name, { command, file, told, service, walker, ...options }] of Object.entries(walks)) {
      test(`Lessons: all are solved on a fresh start in less than three minutes, in ${name}`, options, async (t) => {
        const program = await start(t, service);
        const begun = performance.now();
        const walk = spawn(command, [join(root, 'examples', file)], {
          env: { ...process.env, ...walker, LPLATE_URL: program.url, HMAC_SECRET: program.secrets.hmacSecret },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        t.after(() => walk.kill());
        // So that one that stands still says how far it came.
        const late = setTimeout(() => walk.kill(), 2 * longest * 1000);
        t.after(() => clearTimeout(late));
        const [output, [code]] = await Promise.all([text(walk.stdout), once(walk, 'exit')]);
        const seconds = Math.round((performance.now() - begun) / 1000);
        t.diagnostic(`${seconds} s`);
        equal(code, 0, output);
        match(output, told);
        ok(seconds < extent(2 * longest, longest), `${seconds} s`);
      });
    }

    for (const [what, file] of [
      ['the example', 'capstones.js'],
      ['the example of level 2', 'two-workers.js'],
    ] as const) {
      // Two clients beside each other, since each capstone takes its time.
      for (const names of [
        ['moving-day', 'brokers-app', 'month-end'],
        ['bad-line', 'night-shift', 'night-job'],
      ])
        test(`Capstones: ${what} gets 100 in ${names.join(', ')}`, async (t) => {
          const program = await start(t);
          const example = spawn(process.execPath, [join(root, 'examples', file), ...names], {
            env: { ...process.env, LPLATE_URL: program.url },
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          t.after(() => example.kill());
          const [said, [code]] = await Promise.all([text(example.stdout), once(example, 'exit')]);
          deepEqual(
            said.trim().split('\n').slice(1),
            names.map((capstone) => `${capstone}: 100 of 100`),
          );
          equal(code, 0);
        });
    }
  });
});
