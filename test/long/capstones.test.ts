import { deepEqual, equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { root, startProgram } from '../support/program.ts';

onSqlite((engine) => {
  test('Capstones: the example gets 100 in each, in real time and with the limits of the product', async (t) => {
    const location = await engine.location();
    const program = await startProgram(t, location, { environment: { RATE_LIMIT_PER_MINUTE: '60' } });
    const example = spawn(process.execPath, [join(root, 'examples/capstones.js')], {
      env: { ...process.env, LPLATE_URL: program.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => example.kill());
    const [said, [code]] = await Promise.all([text(example.stdout), once(example, 'exit')]);
    deepEqual(said.trim().split('\n').slice(1), [
      'bad-line: 100 of 100',
      'month-end: 100 of 100',
      'night-shift: 100 of 100',
      'moving-day: 100 of 100',
    ]);
    equal(code, 0);
  });
});
