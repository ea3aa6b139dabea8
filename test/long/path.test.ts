import { equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { root, startProgram } from '../support/program.ts';

/** Seconds that the whole path may take. */
const longest = 180;

onSqlite((engine) => {
  test('Lessons: the example solves all of them on a fresh start with the default limits, in less than three minutes', async (t) => {
    const environment = { RATE_LIMIT_PER_MINUTE: '60' };
    const program = await startProgram(t, await engine.location(), { environment });
    const begun = performance.now();
    const walk = spawn(process.execPath, [join(root, 'examples/walk-the-path.js')], {
      env: { LPLATE_URL: program.url, HMAC_SECRET: program.secrets.hmacSecret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => walk.kill());
    const [told, [code]] = await Promise.all([text(walk.stdout), once(walk, 'exit')]);
    const seconds = Math.round((performance.now() - begun) / 1000);
    t.diagnostic(`${seconds} s`);
    equal(code, 0, told);
    match(told, /\n(\d+) of \1 lessons are solved\.\n$/);
    ok(seconds < longest, `${seconds} s`);
  });
});
