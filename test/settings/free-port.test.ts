import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onPostgres, onSqlite } from '../support/engines.ts';
import { type Program, startProgram } from '../support/program.ts';

const free = { environment: { PORT: '0' } };

/** Checks that whatever the program publishes names the port that it listens on, and returns that port. */
async function published(program: Program): Promise<number> {
  const port = Number(new URL(program.url).port);
  assert.ok(port > 0);
  const origin = `http://localhost:${port}`;
  const places = [...program.stdout().matchAll(/ (http:\/\/localhost\S*)$/gm)].map(([, url]) => url as string);
  assert.ok(places.length > 10, 'the banner lists the addresses');
  for (const place of [...places, /^Open (\S+) /m.exec(program.stdout())?.[1]]) {
    assert.equal(new URL(place as string).origin, origin);
  }
  const documents = [
    ...['/', '/problems/not-found', '/.well-known/oauth-authorization-server', '/insurer/v1/policies'],
    ...['/insurer/v0/openapi.yaml', '/insurer/v1/openapi.yaml', '/vehicle-registry/v1?wsdl'],
    ...['/vehicle-registry/v2/openapi.yaml', '/claims/v1/openapi.yaml', '/claims/v1/asyncapi.yaml'],
  ];
  for (const path of documents) {
    const text = await (await fetch(origin + path)).text();
    const named = [...text.matchAll(/http:\/\/localhost:?\d*/g)].map(([url]) => url);
    assert.deepEqual([...new Set(named)], [origin], path);
  }
  // The issuer of a token is such an address, too.
  const { token } = await program.client();
  const [, payload = ''] = token.split('.');
  assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).iss, program.url);
  return port;
}

onSqlite((engine) => {
  test('Decisions, start-up: with port 0 the program takes a free one, and every address it shows or publishes names it', async (t) => {
    const programs = await Promise.all(
      [1, 2].map(async () => startProgram(t, await engine.location(), { args: ['--port', '0'] })),
    );
    const ports = await Promise.all(programs.map(published));
    assert.notEqual(ports[0], ports[1]);
  });

  test('Decisions, start-up: a public URL that is set stays as it is with port 0', async (t) => {
    const environment = { ...free.environment, PUBLIC_URL: 'https://insurer.example' };
    const program = await startProgram(t, await engine.location(), { environment });
    assert.match(program.stdout(), /^Open https:\/\/insurer\.example for/m);
    assert.equal((await program.call('GET', '/coverage-options')).status, 200);
  });

  test('Decisions, start-up: with port 0 an address of another machine ends the start as with any port', async (t) => {
    const environment = { ...free.environment, HOST: '192.0.2.1' };
    await assert.rejects(startProgram(t, await engine.location(), { environment }), /Can't listen on 192\.0\.2\.1/);
  });
});

onPostgres((engine) => {
  test('Decisions, more than one node: with port 0 the workers share the port that the first of them took, and one that comes later does too', async (t) => {
    const program = await startProgram(t, await engine.location(), { ...free, args: ['--workers', '2'] });
    await published(program);
    const workers = () =>
      execFileSync('pgrep', ['-P', String(program.child.pid)], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map(Number);
    // All of them at once, so that nobody keeps the port open for the next.
    for (const worker of workers()) process.kill(worker, 'SIGKILL');
    const deadline = Date.now() + 30_000;
    for (let answered = 0; answered < 8; ) {
      assert.ok(Date.now() < deadline, 'no worker took the place of those that died');
      // Node.js does not hand a connection on that it gave to a worker in the moment of its death: that one waits in vain.
      const options = { headers: { Connection: 'close' }, signal: AbortSignal.timeout(2000) };
      const answer = await fetch(`${program.url}/healthz`, options).catch(() => undefined);
      if (answer?.ok) answered += 1;
      else await pause(50);
    }
    await published(program);
  });
});
