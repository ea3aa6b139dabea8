import { deepEqual, equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { startWithClient } from '../support/lplate.ts';
import { root } from '../support/program.ts';

onSqlite((engine) => {
  test('Decisions, changes since: a policy that changes while the pages of one instant are read hides no other one', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { rateLimitPerMinute: 1000 });
    const { id, secret, token } = client;
    // The clock stands still, so all bear one instant: three pages of it.
    for (let at = 0; at < 250; at += 1) {
      await lplate.call('POST', '/policies', { token, json: { regNumber: `SY-${at}` } });
    }
    lplate.clock.advance(1000);
    const list = async () => (await lplate.call('GET', '/policies?pageSize=500', { token })).json.items;
    const change = async () => {
      const first = (await list()).toSorted((one: { id: string }, other: { id: string }) =>
        one.id < other.id ? -1 : 1,
      )[0];
      await lplate.call('PUT', `/policies/${first.id}`, { token, json: { holder: 'Grace Example' } });
    };

    const folder = await mkdtemp(join(tmpdir(), 'l-plate-sync-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'credentials.json'), JSON.stringify({ client_id: id, client_secret: secret }));
    let changes = 0;
    const between = createServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const piece of request) body.push(piece);
      if (request.url?.includes('page=2') && changes === 0) {
        changes += 1;
        await change();
      }
      const { authorization = '', 'content-type': type = '' } = request.headers;
      const answer = await fetch(lplate.url + request.url, {
        method: request.method as string,
        headers: { authorization, ...(type && { 'content-type': type }) },
        body: body.length > 0 ? Buffer.concat(body) : null,
      });
      response.writeHead(answer.status).end(await answer.text());
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    t.after(() => between.close());
    const environment = { LPLATE_URL: `http://127.0.0.1:${(between.address() as AddressInfo).port}` };
    const said = await new Promise<string>((resolve, reject) =>
      execFile(
        process.execPath,
        [join(root, 'examples/sync-policies.js')],
        { cwd: folder, env: { ...process.env, ...environment } },
        (error, stdout, stderr) => (error && error.code !== 1 ? reject(new Error(stderr)) : resolve(stdout)),
      ),
    );
    equal(changes, 1);
    // The one that changed was seen twice.
    equal(said, '251 changed, 250 here, 250 there\n');
    const { policies } = JSON.parse(await readFile(join(folder, 'policies.json'), 'utf8'));
    deepEqual(policies, Object.fromEntries((await list()).map((each: { id: string }) => [each.id, each])));
  });
});
