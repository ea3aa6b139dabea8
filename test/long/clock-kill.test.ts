import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

const path = '/../../range/v1/me/clock';
const rounds = 10;

forEachEngine((engine) => {
  test('Decisions, the range: a clock that was moved stays so when the program is killed at once, and where the range is off', async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = { PORT: String(await steadyPort()) };
    let program = await startProgram(t, where, { environment });
    const { id, secret, token } = await program.client();
    for (let round = 1; round <= rounds; round += 1) {
      const moved = await program.call('POST', path, { token, json: { advance: 'PT1M' } });
      await program.stop('SIGKILL');
      equal(moved.json.aheadSeconds, 60 * round, JSON.stringify(moved.json));
      program = await startProgram(t, where, { environment });
      equal((await program.call('GET', path, { token })).json.aheadSeconds, 60 * round);
    }
    const { status } = await program.call('POST', path, { token, json: { advance: 'P40D' } });
    equal(status, 200);
    await program.stop();

    program = await startProgram(t, where, { environment: { ...environment, RANGE: 'off' } });
    equal((await program.call('GET', path, { token })).status, 404);
    equal((await program.call('GET', '/policies', { token })).status, 401, 'the token has expired');
    const later = await program.token(id, secret);
    const created = await program.call('POST', '/policies', { token: later, json: { regNumber: 'OFF-1' } });
    ok(Date.parse(created.json.createdAt) - Date.now() > 39 * 24 * 3_600_000, created.json.createdAt);
  });
});
