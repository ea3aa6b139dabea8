import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import type { TestClient } from '../support/lplate.ts';
import {
  authorizationQuery,
  clientWithPeople,
  exchange,
  letIn,
  newChallenge,
  type PeopleService,
  refresh,
  serviceAt,
  type TestPerson,
  tokensFor,
} from '../support/people.ts';
import { startProgram } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';

const rounds = extent(1, 10);

/** Of these each program must have acknowledged so many before it is killed. */
const least = { exchanges: 8, refreshes: 8, withdrawals: 4 };

/** What came of one code, as far as answers tell. */
interface Flow {
  readonly code: string;
  readonly verifier: string;
  /** Refresh tokens that were got, and access tokens: latest last. */
  readonly got: { readonly access: string; readonly refresh: string }[];
  withdrawn: boolean;
  /** Something was asked for that nobody answered. */
  pending: boolean;
}

class Acknowledged {
  readonly flows: Flow[] = [];

  get times() {
    const exchanged = this.flows.filter(({ got }) => got.length > 0);
    return {
      exchanges: exchanged.length,
      refreshes: exchanged.reduce((sum, { got }) => sum + got.length - 1, 0),
      withdrawals: this.flows.filter(({ withdrawn }) => withdrawn).length,
    };
  }

  get enough(): boolean {
    const { times } = this;
    return (Object.keys(least) as (keyof typeof least)[]).every((each) => times[each] >= least[each]);
  }
}

const consentOf = (access: string) =>
  JSON.parse(String(Buffer.from(access.split('.')[1] as string, 'base64url'))).consent_id as string;

/** Lets an app in again and again, until the program is gone. */
async function go(service: PeopleService, client: TestClient, person: TestPerson, seen: Acknowledged): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const { verifier, challenge } = newChallenge();
    const redirect = await letIn(service, authorizationQuery(client.id, { code_challenge: challenge }), person);
    const flow: Flow = { code: redirect.get('code') as string, verifier, got: [], withdrawn: false, pending: true };
    seen.flows.push(flow);
    const keep = ({ status, json }: Awaited<ReturnType<typeof exchange>>) => {
      assert.equal(status, 200, JSON.stringify(json));
      flow.got.push({ access: json.access_token, refresh: json.refresh_token });
    };
    keep(await exchange(service, client, flow.code, verifier));
    for (let time = 0; time < turn % 3; time += 1)
      keep(await refresh(service, client, flow.got.at(-1)?.refresh as string));
    if (turn % 2 === 1) {
      const consent = consentOf(flow.got[0]?.access as string);
      const { token } = client;
      const { status } = await service.call('DELETE', `/range/v1/me/consents/${consent}`, { token });
      assert.equal(status, 204);
      flow.withdrawn = true;
    }
    flow.pending = false;
  }
}

onSqlite((engine) => {
  test('Decisions, people: whenever the program is killed, what it acknowledged of a consent stays', async (t) => {
    const where = await engine.location();
    const environment = { PORT: String(await steadyPort()) };
    let program = await startProgram(t, where, { environment });
    const service = serviceAt(program.url);
    const { client, people } = await clientWithPeople(service);
    for (let round = 0; round < rounds; round += 1) {
      const seen = new Acknowledged();
      const apps = Promise.allSettled(people.map((person) => go(service, client, person, seen)));
      while (!seen.enough && program.child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
      program.child.kill('SIGKILL');
      await program.exit;
      for (const { reason } of (await apps) as PromiseRejectedResult[])
        assert.ok(!(reason instanceof assert.AssertionError), reason);
      t.diagnostic(JSON.stringify(seen.times));

      program = await startProgram(t, where, { environment });
      for (const flow of seen.flows) await assertStays(service, client, flow);
    }
  });
});

onSqlite((engine) => {
  test('Decisions, drills: a person who is about to change their mind does so, also when the program is killed meanwhile', async (t) => {
    const where = await engine.location();
    const environment = { PORT: String(await steadyPort()) };
    const program = await startProgram(t, where, { environment });
    const service = serviceAt(program.url);
    const { client, ida } = await clientWithPeople(service);
    const { access_token: access } = await tokensFor(service, client, ida);
    const { token } = client;
    const { status } = await service.call('POST', '/range/v1/me/drills', {
      token,
      json: { name: 'consent-withdrawn' },
    });
    program.child.kill('SIGKILL');
    await program.exit;
    assert.equal(status, 201);
    await startProgram(t, where, { environment });
    assert.equal((await service.call('GET', '/policies', { token: access })).status, 200);
    await service.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT2M' } });
    const refused = await service.call('GET', '/policies', { token: access });
    assert.match(refused.json.detail, /^The person has changed their mind/);
  });
});

async function assertStays(service: PeopleService, client: TestClient, flow: Flow): Promise<void> {
  const { code, verifier, got, withdrawn, pending } = flow;
  const last = got.at(-1);
  if (!last) return;
  const read = async () => (await service.call('GET', '/policies', { token: last.access })).status;
  if (withdrawn || !pending) assert.equal(await read(), withdrawn ? 401 : 200);
  const next = await refresh(service, client, last.refresh);
  // What was asked for last may have been done, though nobody was told.
  if (withdrawn || !pending) assert.equal(next.status, withdrawn ? 400 : 200, next.text);
  // Each before it was used, as a code was that brought something.
  const used = got.length > 1 ? await refresh(service, client, got[0]?.refresh as string) : undefined;
  if (used) assert.equal(used.json.error, 'invalid_grant');
  const again = await exchange(service, client, code, verifier);
  assert.equal(again.json.error, 'invalid_grant');
  assert.equal(await read(), 401);
}
