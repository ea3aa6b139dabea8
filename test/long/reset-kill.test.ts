import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

const rounds = 10;

/** So many that a reset takes several steps. */
const fleets = 14;

forEachEngine((engine) => {
  test('Decisions, the range: whenever the program is killed, a fleet is there whole or not at all, and a reset that began comes to its end', async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = { PORT: String(await steadyPort()) };
    let program = await startProgram(t, where, { environment });
    const { token } = await program.client();
    const headers = { Authorization: `Bearer ${token}` };
    const post = (path: string) => fetch(`${program.url}/range/v1/me${path}`, { method: 'POST', headers });
    const total = async (): Promise<number> => {
      const { json } = await program.call('GET', '/policies?pageSize=500', { token });
      assert.equal(json.items.length, Math.min(500, json.totalItems), 'numbers have no gaps');
      return json.totalItems;
    };
    async function kill(when: Promise<unknown>, calls: Promise<unknown>[]): Promise<void> {
      const over = Promise.allSettled(calls);
      await when;
      program.child.kill('SIGKILL');
      await program.exit;
      await over;
      program = await startProgram(t, where, { environment });
    }

    async function lessThan(count: number): Promise<void> {
      while ((await program.call('GET', '/policies?pageSize=1', { token })).json.totalItems === count);
    }

    let owned = 0;
    const seen = { whole: 0, gone: 0, under: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const make = () => Array.from({ length: fleets / 2 }, () => post('/fleet'));
      for (const { status } of await Promise.all(make())) assert.equal(status, 201);
      await kill(pause(Math.random() * 15), make());
      const before = owned;
      owned = await total();
      assert.equal(owned % 75, 0, `${owned} policies`);
      assert.ok(owned >= before + 75 * (fleets / 2), 'what was answered is there');

      const reset = post('/reset');
      // Every other time as soon as something is gone.
      await kill(round % 2 === 0 ? lessThan(owned) : pause(Math.random() * 40), [reset]);
      // Housekeeping, which begins with the program, goes on with it.
      let left = await total();
      if (left > 0 && left < owned) seen.under += 1;
      for (let tries = 100; left > 0 && left < owned && tries > 0; tries -= 1) {
        await pause(50);
        left = await total();
      }
      assert.ok(left === 0 || left === owned, `${left} of ${owned} policies are left`);
      seen[left === 0 ? 'gone' : 'whole'] += 1;
      owned = left;
    }
    t.diagnostic(`${rounds} resets: ${seen.whole} had not begun, ${seen.gone} ended, ${seen.under} of them later`);
    assert.equal((await post('/reset')).status, 204);
    assert.equal(await total(), 0);
  });
});
