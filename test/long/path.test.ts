import { equal, match, ok } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { root, startProgram } from '../support/program.ts';

/** Seconds that the whole path may take. */
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

onSqlite((engine) => {
  // They wait most of the time.
  describe('Lessons: the examples solve all of them on a fresh start with the default limits, in less than three minutes', {
    concurrency: true,
  }, () => {
    for (const [name, { command, file, told, ...options }] of Object.entries(programs)) {
      test(`in ${name}`, options, async (t) => {
        const environment = { RATE_LIMIT_PER_MINUTE: '60' };
        const program = await startProgram(t, await engine.location(), { environment });
        const begun = performance.now();
        const walk = spawn(command, [join(root, 'examples', file)], {
          env: { ...process.env, LPLATE_URL: program.url, HMAC_SECRET: program.secrets.hmacSecret },
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
        ok(seconds < longest, `${seconds} s`);
      });
    }
  });
});
