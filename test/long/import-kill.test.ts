import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { type Program, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

/* The program is killed while it works imports off. Each row that was accepted must come to its end, and once. */

/** IMPORT_KILLS asks for more. */
const rounds = Number(process.env.IMPORT_KILLS ?? 10);
const size = 400;

/** Seconds that a round takes at the most, on a busy machine. */
const secondsEach = 10;

/** Milliseconds for an import to be completed after a start. */
const patience = 60_000;

interface Row {
  status: string;
  policyId: string | null;
}

forEachEngine((engine) => {
  test('Decisions, policies: whenever the program is killed, no row of an import is lost, and none is done twice', {
    timeout: patience + rounds * secondsEach * 1000,
  }, async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = {
      PORT: String(await steadyPort()),
      RATE_LIMIT_PER_MINUTE: '1000000',
      POLICIES_PER_CLIENT: '1000000',
    };
    let program: Program = await startProgram(t, where, { environment });
    let interrupted = 0;
    for (let round = 0; round < rounds; round += 1) {
      // One for each round, so that all policies of the client are of one import.
      const { token } = await program.client();
      const headers = { Authorization: `Bearer ${token}` };
      const get = async (path: string) => (await fetch(`${program.url}/insurer/v1${path}`, { headers })).json();
      // Each fifth row is of the vehicle before it, and so is refused.
      const plate = (at: number) => `K-${round}-X-${at % 5 === 4 ? at - 1 : at}`;
      const body = Array.from({ length: size }, (_, at) => `{"regNumber":"${plate(at)}"}\n`).join('');
      const answer = await fetch(`${program.url}/insurer/v1/policy-imports`, {
        ...{ method: 'POST', body },
        headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
      });
      equal(answer.status, 202);
      const { id } = (await answer.json()) as { id: string };
      await pause(Math.random() * 60);
      program.child.kill('SIGKILL');
      await program.exit;
      program = await startProgram(t, where, { environment });
      const late = Date.now() + patience;
      let first = true;
      for (;;) {
        const { status } = (await get(`/policy-imports/${id}`)) as { status: string };
        if (status === 'completed') break;
        if (first) interrupted += 1;
        first = false;
        if (Date.now() > late) throw new Error(`round ${round}: the import is not completed`);
        await pause(50);
      }
      const rows = (await get(`/policy-imports/${id}/rows?pageSize=500`)) as { items: Row[] };
      const policies = (await get('/policies?pageSize=500')) as { items: { id: string }[]; totalItems: number };
      equal(rows.items.length, size);
      const expected = rows.items.map((_, at) => (at % 5 === 4 ? 'refused' : 'created'));
      deepEqual(
        rows.items.map(({ status }) => status),
        expected,
      );
      const created = rows.items.flatMap(({ policyId }) => policyId ?? []);
      deepEqual(
        created,
        policies.items.map((policy) => policy.id),
      );
      equal(policies.totalItems, created.length);
    }
    t.diagnostic(`${rounds} kills, ${interrupted} imports were open after the start`);
  });
});
