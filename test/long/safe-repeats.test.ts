import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import { type ProgramAnswer, startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

const rounds = 30;
const writers = 8;

const policiesPath = '/insurer/v1/policies';
const claimsPath = '/claims/v1/claims';

/** A request that is repeated until its answer comes. */
interface Request {
  readonly path: string;
  readonly key: string;
  readonly json: object;
  /** How often it got no answer. */
  lost: number;
  /** What came first. */
  answer?: ProgramAnswer;
}

forEachEngine((engine) => {
  test('Decisions, idempotency: whenever the program is killed, a repeated request has made one thing, and its answer is the first', async (t) => {
    const where = await engine.location();
    // Tokens are for one address, so it stays the same.
    const environment = { PORT: String(await steadyPort()) };
    let program = await startProgram(t, where, { environment });
    const { token } = await program.client();
    const policy = await program.call('POST', '/policies', { token, json: { regNumber: 'KILL-0' } });
    const requests: Request[] = [];

    async function call(path: string, init: RequestInit = {}): Promise<ProgramAnswer> {
      const headers = new Headers({ ...init.headers, Authorization: `Bearer ${token}` });
      const answer = await fetch(`${program.url}${path}`, { ...init, headers });
      return { status: answer.status, headers: answer.headers, json: await answer.json() };
    }

    const send = ({ path, key, json }: Request): Promise<ProgramAnswer> =>
      call(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify(json),
      });

    /** Until the program is gone. Lost ones come first: their senders have waited longest. */
    async function write(lost: Request[]): Promise<void> {
      for (;;) {
        const request = lost.pop() ?? next();
        try {
          const answer = await send(request);
          assert.equal(answer.status, 201, JSON.stringify(answer.json));
          request.answer = answer;
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          request.lost += 1;
          return;
        }
      }
    }

    function next(): Request {
      const n = requests.length + 1;
      const claim = { path: claimsPath, json: { policyNumber: policy.json.id, paceSeconds: 3600 } };
      const made = n % 2 === 0 ? claim : { path: policiesPath, json: { regNumber: `KILL-${n}` } };
      const request: Request = { ...made, key: `key-${n}`, lost: 0 };
      requests.push(request);
      return request;
    }

    const total = async (path: string): Promise<number> => (await call(path)).json.totalItems;

    let doneAndLost = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [policies, claims] = [await total(policiesPath), await total(claimsPath)];
      const answered = requests.filter(({ answer }) => answer).length;
      // Those without an answer that were carried out all the same.
      doneAndLost += policies - 1 + claims - answered;
      const lost = requests.filter(({ answer }) => !answer);
      const writing = Array.from({ length: writers }, () => write(lost));
      await pause(50 + Math.random() * 200);
      program.child.kill('SIGKILL');
      await program.exit;
      await Promise.all(writing);
      program = await startProgram(t, where, { environment });
    }
    for (const request of requests) {
      const { status, json, headers } = await send(request);
      assert.equal(status, 201, JSON.stringify(json));
      if (!request.answer) continue;
      assert.equal(headers.get('idempotency-replayed'), 'true');
      assert.deepEqual(json, request.answer.json);
    }
    const [policies, claims] = [await total(policiesPath), await total(claimsPath)];
    assert.equal(policies - 1 + claims, requests.length, 'one is there for each request');
    const repeated = requests.filter(({ lost }) => lost > 0).length;
    t.diagnostic(
      `${requests.length} requests, ${repeated} without an answer, of which ${doneAndLost} were carried out`,
    );
    assert.ok(repeated > 0, 'no request was cut, so this shows nothing');
  });
});
