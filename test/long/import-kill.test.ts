import { deepEqual, equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { type Program, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

/*
 * The program is killed while it works imports off, and makes a statement. Each row that was accepted must come to its end, and
 * once; a statement that was accepted is made, and is the file that it would have been.
 */

/** IMPORT_KILLS asks for more. */
const rounds = Number(process.env.IMPORT_KILLS ?? 10);
const size = 400;

/** Seconds that a round takes at the most, on a busy machine. */
const secondsEach = 10;

/** Milliseconds for an import and a statement to be completed after a start. */
const patience = 60_000;

interface Row {
  status: string;
  policyId: string | null;
}

interface Made {
  status: string;
  count: number;
}

forEachEngine((engine) => {
  test('Decisions, policies, statements: whenever the program is killed, no row of an import is lost, none is done twice, and a statement is made', {
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

    /** One whose policies never change, so each of its statements is the same file. */
    const steady = { Authorization: `Bearer ${(await program.client()).token}`, 'Content-Type': 'application/json' };
    const month = new Date().toISOString().slice(0, 7);
    for (let fleet = 0; fleet < 10; fleet += 1) {
      const policies = Array.from({ length: 100 }, (_, at) => ({ regNumber: `S-${fleet}-X-${at}` }));
      const body = JSON.stringify({ policies });
      const answer = await fetch(`${program.url}/range/v1/me/fleet`, { method: 'POST', headers: steady, body });
      equal(answer.status, 201);
    }
    const ask = async () => {
      const body = JSON.stringify({ month, format: 'csv' });
      const answer = await fetch(`${program.url}/insurer/v1/statements`, { method: 'POST', headers: steady, body });
      equal(answer.status, 202);
      return ((await answer.json()) as { id: string }).id;
    };
    /** The digest of a statement's file once it is made; `left` says whether it was still to be made. */
    const made = async (id: string) => {
      const address = `${program.url}/insurer/v1/statements/${id}`;
      const late = Date.now() + patience;
      for (let left = false; ; left = true) {
        const { status, count } = (await (await fetch(address, { headers: steady })).json()) as Made;
        if (status !== 'completed') {
          if (Date.now() > late) throw new Error(`the statement ${id} is not made`);
          await pause(50);
          continue;
        }
        equal(count, 1000);
        const file = await fetch(`${address}/content`, { headers: { ...steady, 'Accept-Encoding': 'identity' } });
        const sum = createHash('sha256').update(Buffer.from(await file.arrayBuffer()));
        const digest = `sha-256=:${sum.digest('base64')}:`;
        equal(file.headers.get('content-digest'), digest);
        return { digest, left };
      }
    };
    const undisturbed = (await made(await ask())).digest;
    let interrupted = 0;
    let unmade = 0;
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
      const statement = await ask();
      await pause(Math.random() * 60);
      program.child.kill('SIGKILL');
      await program.exit;
      program = await startProgram(t, where, { environment });
      const { digest, left } = await made(statement);
      equal(digest, undisturbed);
      if (left) unmade += 1;
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
    t.diagnostic(`${rounds} kills; after the start ${interrupted} imports were open, and ${unmade} statements`);
  });
});
