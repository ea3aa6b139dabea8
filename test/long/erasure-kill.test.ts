import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { type Program, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

/* The program is killed while it erases a name. The erasure must go on after the next start, and leave nothing. */

/** ERASURE_KILLS asks for more. */
const rounds = Number(process.env.ERASURE_KILLS ?? 5);
const fleets = 20;

/** Seconds that a round takes at the most, on a busy machine. */
const secondsEach = 20;

/** Milliseconds for an erasure to be completed after a start. */
const patience = 60_000;

interface Job {
  status: string;
  touched: { what: string; count: number }[];
}

forEachEngine((engine) => {
  test('Decisions, sync: whenever the program is killed, an erasure goes on, and touches no policy twice', {
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
      const { token } = await program.client();
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const post = (path: string, body: object) =>
        fetch(`${program.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const get = async (path: string) => (await fetch(`${program.url}${path}`, { headers })).json();
      for (let fleet = 0; fleet < fleets; fleet += 1) {
        const policies = Array.from({ length: 100 }, (_, at) => ({
          regNumber: `K-${round}-${fleet}-X-${at}`,
          holder: 'Ada',
        }));
        equal((await post('/range/v1/me/fleet', { policies })).status, 201);
      }
      const answer = await post('/insurer/v1/erasures', { holder: 'Ada' });
      equal(answer.status, 202);
      const { id } = (await answer.json()) as { id: string };
      // On PostgreSQL it begins after two seconds.
      await pause((engine.name === 'postgres' ? 2000 : 0) + Math.random() * 150);
      program.child.kill('SIGKILL');
      await program.exit;
      program = await startProgram(t, where, { environment });
      const late = Date.now() + patience;
      let job: Job;
      for (let first = true; ; first = false) {
        job = (await get(`/insurer/v1/erasures/${id}`)) as Job;
        if (job.status === 'completed') break;
        if (first && job.status === 'running') interrupted += 1;
        if (Date.now() > late) throw new Error(`round ${round}: the erasure is not completed`);
        await pause(20);
      }
      equal(job.touched.find(({ what }) => what === 'policies')?.count, fleets * 100);
      for (let page = 1; page <= fleets / 5; page += 1) {
        const { items } = (await get(`/insurer/v1/policies?pageSize=500&page=${page}`)) as {
          items: { holder: string }[];
        };
        deepEqual([...new Set(items.map(({ holder }) => holder))], ['erased']);
      }
    }
    t.diagnostic(`${rounds} kills, ${interrupted} erasures were under way after the start`);
  });
});
