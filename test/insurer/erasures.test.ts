import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { backUp } from '../../src/process/backup.ts';
import { day } from '../../src/time/units.ts';
import { files, upload } from '../support/documents.ts';
import { forEachEngine } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { type Answer, type LPlate, problem, startWithClient, testSecrets } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { Receiver } from '../support/receiver.ts';
import { alter, countStored, stored } from '../support/stored.ts';
import { claimOn } from '../support/topic.ts';
import { until } from '../support/until.ts';

const part = 'Quillfeather';
const name = `Zoë ${part} “Zyx”`;

const erase = (lplate: LPlate, token: string, holder: string, headers: Record<string, string> = {}) =>
  lplate.call('POST', '/erasures', { token, json: { holder }, headers });

async function completed(lplate: LPlate, token: string, { json, text }: Answer) {
  match(json.id, /^era-/, text);
  let job = json;
  // Where others may have calls to write, it begins a little later.
  lplate.clock.advance(3000);
  await until(async () => {
    job = (await lplate.call('GET', `/erasures/${json.id}`, { token })).json;
    return job.status === 'completed';
  }, 'the erasure is completed');
  return job;
}

const touched = (job: { touched: { what: string; count: number }[] }) =>
  Object.fromEntries(job.touched.filter(({ count }) => count > 0).map(({ what, count }) => [what, count]));

/** How the part of the name that nothing else has may be written. */
const forms = [
  part,
  ...[0, 1, 2].map((at) =>
    Buffer.from(' '.repeat(at) + part)
      .toString('base64')
      .slice(at + 1, -4),
  ),
  Buffer.from(part).toString('hex'),
  [...part].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join(''),
  [...part].map((each) => `%${each.charCodeAt(0).toString(16)}`).join(''),
  [...part].join('\0'),
].map((each) => each.toLowerCase());

const hasName = (text: string) => forms.some((form) => text.toLowerCase().includes(form));

/** The tables and columns that have the name. */
async function placesOf(lplate: LPlate): Promise<string[]> {
  const statement = lplate.config.databaseUrl
    ? `select table_name as name from information_schema.tables where table_schema = 'public'`
    : `select name from sqlite_schema where type = 'table'`;
  const found: string[] = [];
  for (const { name: table } of await stored<{ name: string }>(lplate, statement))
    for (const row of await stored(lplate, `select * from ${table}`))
      for (const [column, value] of Object.entries(row)) {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
        if (hasName(text)) found.push(`${table}.${column}`);
      }
  return [...new Set(found)].toSorted();
}

/** The files of a folder that have the name. */
async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!each.isFile()) continue;
    if (hasName((await readFile(join(each.parentPath, each.name))).toString('latin1'))) found.push(each.name);
  }
  return found;
}

/** Sends the name to wherever a text can be sent. */
async function spread(
  t: TestContext,
  lplate: LPlate,
  client: { id: string; token: string },
): Promise<{ policyId: string; receiver: Receiver }> {
  const { token } = client;
  const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    lplate.call(method, path, { token, headers, ...(json !== undefined && { json }) });
  const raw = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    lplate.call('POST', path, { token, body, headers: { 'Content-Type': 'application/json', ...headers } });
  const receiver = await Receiver.open(t);
  receiver.answer = () => ({ status: 500, body: `no ${name}` });
  const { json: subscription } = await call('POST', '/claims/v1/subscriptions', { url: receiver.url });
  await call('PUT', '/range/v1/me/open-lesson', { lessonId: 'find-one' });

  const { json: first } = await call(
    'POST',
    '/policies',
    { regNumber: 'ER-1', holder: ` ${name} ` },
    { 'Idempotency-Key': 'k-1' },
  );
  const { json: second } = await call('POST', '/policies', { regNumber: 'ER-2', holder: 'Somebody Else' });
  await call('PUT', `/policies/${second.id}`, { holder: name });
  await call('POST', `/policies/${second.id}/cancel`);
  for (let at = 0; at < 60; at += 1)
    await call('POST', '/policies', { regNumber: `ER-X-${at}`, holder: at % 3 === 0 ? name : `Other ${at}` });
  await call('GET', '/policies?pageSize=500');
  await call('POST', '/range/v1/me/fleet', { policies: [{ regNumber: 'ER-F', holder: name }] });

  await call('POST', '/policies', { regNumber: name, holder: name });
  await call('POST', '/policies', { regNumber: 'ER-1', holdr: name });
  await raw('/policies', `{"holder":"${name}",`);
  await raw(
    '/policies',
    `{"regNumber":"","holder":"Zo\\u00eb ${[...part].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')} “Zyx”"}`,
  );
  await raw('/policies', Buffer.from(`{"holder":"Zoë ${part} “Zyx”"}`, 'utf16le') as Uint8Array<ArrayBuffer>);
  await call('GET', `/policies/${encodeURIComponent(name)}`);
  await call('GET', `/policies?holder=${[...Buffer.from(name)].map((each) => `%${each.toString(16)}`).join('')}`);
  await call('GET', '/policies', undefined, { 'X-Note': Buffer.from(name).toString('base64') });
  await send(`${lplate.url}/insurer/v1/policies`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ regNumber: 'ER-3', holder: name }),
  });
  await raw('/vehicle-registry/v1', `<a><!-- ${name} --></a>`, { 'Content-Type': 'text/xml', SOAPAction: '' });

  const lines = (...rows: unknown[]) => rows.map((each) => JSON.stringify(each)).join('\n');
  const ndjson = { 'Content-Type': 'application/x-ndjson' };
  await raw(
    '/policy-imports',
    lines({ regNumber: 'ER-4', holder: name }, { regNumber: '', holder: name }, { regNumber: name }),
    ndjson,
  );
  await call('POST', '/range/v1/me/drills', { name: 'slow-imports', parameters: { groupSeconds: 60 } });
  await raw('/policy-imports', lines({ regNumber: 'ER-5', holder: name }), ndjson);

  const claimId = await claimOn(lplate, token, first.id);
  const documents = { token, path: `/claims/v1/claims/${claimId}/documents` };
  await upload(lplate, documents, files.png, `${name}.png`, { 'Idempotency-Key': 'k-2' });
  await upload(lplate, documents, Buffer.concat([files.pdf, Buffer.from(name)]), 'a.pdf');
  lplate.clock.advance(10_000);
  await lplate.catchUp();
  const event = (await call('GET', '/claims/v1/topics/claims.status-changed')).json.events[0];
  await call('POST', `/claims/v1/subscriptions/${subscription.id}/test`, {
    ...(event && { payload: { ...event, source: name } }),
  });
  await until(() => receiver.calls.length > 0, 'a webhook was called');
  await call('POST', '/range/v1/me/help', { message: `Who is ${name}?` });
  await lplate.call('PUT', `/range/v1/trainer/learners/${client.id}/note`, {
    token: testSecrets.trainerToken,
    json: { text: `${name} is yours` },
  });
  await call('POST', '/erasures', { holder: name, Holder: name });
  await call('POST', '/erasures', { holdr: name });
  await call('GET', '/range/v1/me/exchanges');
  return { policyId: first.id, receiver };
}

/** What is there for the trainer and the learner to take away. */
const exportsOf = (lplate: LPlate, token: string) =>
  [
    ...['learners', 'lessons', 'exchanges'].flatMap((what) =>
      ['csv', 'json'].map((format) => ({
        path: `/range/v1/trainer/export?what=${what}&format=${format}`,
        token: testSecrets.trainerToken,
      })),
    ),
    ...['/range/v1/me/exchanges.har', '/range/v1/me', '/policies?pageSize=500'].map((path) => ({ path, token })),
  ].map(async ({ path, token }) => ({ path, answer: await lplate.call('GET', path, { token }) }));

forEachEngine((engine) => {
  test('Decisions, sync: whoever erases a holder finds the name nowhere afterwards: not in a row, a byte of a file, an export, a backup, the log', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const { policyId, receiver } = await spread(t, lplate, client);
    deepEqual(await placesOf(lplate), [
      ...['claim_documents.content', 'claim_documents.name', 'deliveries.kept_attempts', 'deliveries.payload'],
      ...['exchanges.details', 'exchanges.path', 'exchanges.summary', 'kept_answers.answer'],
      ...['learners.help', 'learners.note', 'lesson_progress.proof', 'lesson_progress.steps', 'policies.holder'],
      ...['policy_import_rows.problem', 'policy_imports.lines'],
    ]);

    receiver.answer = () => 204;
    const key = { 'Idempotency-Key': 'e-1' };
    const job = await completed(lplate, token, await erase(lplate, token, ` ${name} `, key));
    deepEqual(
      job.kept.map(({ what, count }: { what: string; count: number }) => [what, count]),
      [['documents of claims', 1]],
    );
    const { exchanges, ...counts } = touched(job);
    ok(Number(exchanges) > 30, `${exchanges} exchanges`);
    deepEqual(counts, {
      'kept answers': 2,
      subscriptions: 2,
      'documents of claims': 2,
      policies: 24,
      'policy imports': 3,
      lessons: 3,
      learner: 1,
    });

    deepEqual(await placesOf(lplate), []);
    for (const each of exportsOf(lplate, token)) {
      const { path, answer } = await each;
      equal(answer.status, 200, path);
      ok(!hasName(answer.text), path);
    }
    ok(!lplate.log.some(hasName));
    if (!lplate.config.databaseUrl) {
      deepEqual(await filesOf(lplate.config.dataDir), []);
      const copy = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
      t.after(() => rm(copy, { recursive: true, force: true }));
      await backUp(join(copy, 'backup'), lplate.config, () => '');
      deepEqual(await filesOf(copy), []);
    }

    const again = await erase(lplate, token, name, key);
    deepEqual([again.json.id, again.headers.get('idempotency-replayed')], [job.id, 'true']);
    // The call itself is in the log, without its body.
    await lplate.call('GET', '/range/v1/me/exchanges', { token });
    deepEqual(await placesOf(lplate), []);
    deepEqual(problem(await erase(lplate, token, 'Somebody Else', key)), [422, 'idempotency-key-reused']);
    const repeated = await lplate.call('POST', '/policies', {
      ...{ token, json: { regNumber: 'ER-1', holder: name }, headers: { 'Idempotency-Key': 'k-1' } },
    });
    deepEqual([repeated.json.id, repeated.json.holder], [policyId, 'erased']);
    await lplate.call('DELETE', '/range/v1/me/drills', { token });
  });

  test('Decisions, sync: an erasure changes the policies of its client alone, whatever their status, as a write does', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const other = await lplate.client();
    const insure = async (regNumber: string, holder: string, by = token) =>
      (await lplate.call('POST', '/policies', { token: by, json: { regNumber, holder } })).json;
    const [active, cancelled] = [await insure('OWN-1', name), await insure('OWN-2', name)];
    await lplate.call('POST', `/policies/${cancelled.id}/cancel`, { token });
    const stays = [
      { by: other.token, policy: await insure('OWN-3', name, other.token) },
      { by: token, policy: await insure('OWN-4', name.toUpperCase()) },
      { by: token, policy: await insure('OWN-5', `${name} Jr`) },
    ];
    const person = (await lplate.call('GET', '/range/v1/me/people', { token })).json.items[0].name;
    await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: person } });
    const read = (id: string, by = token) => lplate.call('GET', `/policies/${id}`, { token: by });
    const tag = (await read(active.id)).headers.get('etag') as string;
    lplate.clock.advance(60_000);

    deepEqual(problem(await erase(lplate, token, '  ')), [400, 'validation-error']);
    const accepted = await erase(lplate, token, name);
    deepEqual(
      [accepted.status, accepted.json.status, accepted.json.touched, accepted.json.kept],
      [202, 'accepted', [], []],
    );
    equal(accepted.headers.get('location'), `${lplate.config.publicUrl}/insurer/v1/erasures/${accepted.json.id}`);
    equal(accepted.headers.get('retry-after'), '2');
    const job = await completed(lplate, token, accepted);
    equal(touched(job).policies, 2);
    deepEqual(problem(await lplate.call('GET', `/erasures/${job.id}`, { token: other.token })), [
      404,
      'erasure-not-found',
    ]);
    deepEqual(problem(await lplate.call('GET', '/erasures/pol-1', { token })), [404, 'erasure-not-found']);

    const [first, second] = [await read(active.id), await read(cancelled.id)];
    deepEqual([first.json.holder, first.json.status], ['erased', 'active']);
    deepEqual([second.json.holder, second.json.status], ['erased', 'cancelled']);
    for (const { by, policy } of stays) deepEqual((await read(policy.id, by)).json, policy);
    ok(first.headers.get('etag') !== tag);
    const stale = { token, json: { holder: 'New' }, headers: { 'If-Match': tag } };
    deepEqual(problem(await lplate.call('PUT', `/policies/${active.id}`, stale)), [412, 'precondition-failed']);
    const since = `/policies?updatedSince=${job.createdAt}`;
    deepEqual(
      (await lplate.call('GET', since, { token })).json.items.map(({ id }: { id: string }) => id).toSorted(),
      [active.id, cancelled.id].toSorted(),
    );

    const { kept } = await completed(lplate, token, await erase(lplate, token, person));
    deepEqual(
      kept.map(({ what, count }: { what: string; count: number }) => [what, count]),
      [
        ['people', 1],
        ['nickname', 1],
      ],
    );
  });

  test('Decisions, sync: who writes while a holder is erased loses nothing, and no byte of the name is left', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { policiesPerClient: 2000 });
    for (let at = 0; at < 15; at += 1) {
      const policies = Array.from({ length: 100 }, (_, n) => ({
        regNumber: `W-${at}-X-${n}`,
        holder: n % 7 === 0 ? `Other ${n}` : `${part} ${'x'.repeat(n % 40)}`.trim(),
      }));
      const { status, text } = await lplate.call('POST', '/range/v1/me/fleet', { token, json: { policies } });
      equal(status, 201, text);
    }
    const { json: list } = await lplate.call('GET', '/policies?pageSize=500', { token });
    const written = list.items.filter((_: unknown, at: number) => at % 10 === 0);
    const holders = Array.from({ length: 40 }, (_, n) => `${part} ${'x'.repeat(n)}`.trim());
    const jobs: Answer[] = [];
    for (const holder of holders.slice(0, 20)) jobs.push(await erase(lplate, token, holder));
    await Promise.all(
      written.map(async ({ id }: { id: string }, at: number) => {
        const { status } = await lplate.call('PUT', `/policies/${id}`, { token, json: { holder: `New ${at}` } });
        equal(status, 200);
      }),
    );
    for (const job of jobs) await completed(lplate, token, job);
    for (const holder of holders.slice(20)) await completed(lplate, token, await erase(lplate, token, holder));
    for (const [at, { id }] of written.entries())
      equal((await lplate.call('GET', `/policies/${id}`, { token })).json.holder, `New ${at}`);
    deepEqual(await placesOf(lplate), []);
    if (!lplate.config.databaseUrl) deepEqual(await filesOf(lplate.config.dataDir), []);
    ok((await metric(lplate, 'lplate_erased_rows_total')) >= 1000);
    equal(await metric(lplate, 'lplate_open_erasures'), 0);
  });

  test('Decisions, sync: 20 erasures of a client are kept: the oldest completed one goes, and with 20 open ones there is no other', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const first = await completed(lplate, token, await erase(lplate, token, 'Nobody 0'));
    for (let at = 1; at < 20; at += 1) await completed(lplate, token, await erase(lplate, token, `Nobody ${at}`));
    const last = await completed(lplate, token, await erase(lplate, token, 'Nobody 20'));
    equal((await lplate.call('GET', `/erasures/${first.id}`, { token })).status, 404);
    await alter(lplate, 'update erasures set completed_at = null');
    deepEqual(problem(await erase(lplate, token, 'Nobody 21')), [429, 'quota-exceeded']);
    await alter(lplate, 'update erasures set completed_at = created_at');
    lplate.clock.advance(7 * day + 1000);
    const again = await lplate.token(client.id, client.secret);
    equal((await lplate.call('GET', `/erasures/${last.id}`, { token: again })).status, 404);
    await lplate.housekeeping();
    equal(await countStored(lplate, 'erasures'), 0);
  });
});
