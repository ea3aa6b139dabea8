import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bases, type Document, description } from '../../support/description.ts';
import { onSqlite } from '../../support/engines.ts';
import { problem, startLPlate, testSecrets } from '../../support/lplate.ts';

const others = [
  'application/x-ndjson',
  'application/jsonl',
  'text/csv',
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
];

onSqlite((engine) => {
  test('Errors, 1: a body of another type is told the type and the form that it takes, at every endpoint', async (t) => {
    const lplate = await startLPlate(t, engine, {
      rateLimitPerMinute: 10_000,
      trainerLimitPerMinute: 10_000,
    } as object);
    const client = await lplate.client();
    let tried = 0;
    for (const base of bases) {
      const { paths } = await description(base);
      for (const [path, operations] of Object.entries<Document>(paths)) {
        for (const [method, operation] of Object.entries<Document>(operations)) {
          const types = Object.keys(operation.requestBody?.content ?? {});
          if (types.length !== 1 || path.includes('/signed/')) continue;
          const token = path.startsWith('/trainer') ? testSecrets.trainerToken : client.token;
          for (const type of others.filter((each) => !each.startsWith(types[0] as string))) {
            const target = base + path.replaceAll(/\{\w+\}/g, 'demo-none');
            const answer = await lplate.call(method.toUpperCase(), target, {
              token,
              body: '{}\n{}',
              headers: { 'Content-Type': type },
            });
            const what = `${type} to ${method} ${target}: ${answer.text}`;
            assert.deepEqual(problem(answer), [415, 'unsupported-media-type'], what);
            assert.ok(answer.json.detail.includes(`Send it as ${types[0]}. The body must`), what);
            const several = /json|csv|multipart/.test(type) && types[0] === 'application/json';
            assert.equal(/One object a request|Several at once/.test(answer.json.detail), several, what);
            tried += 1;
          }
        }
      }
    }
    assert.ok(tried > 50, `${tried}`);
  });

  test('Errors, 1: who does what the refusal of an import says has it', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
    const rows = [{ regNumber: 'MT-1' }, { regNumber: 'MT-2' }];
    const send = (path: string, body: string, type: string) =>
      lplate.call('POST', path, { token, body, headers: { 'Content-Type': type } });
    const lost = await send('/policies/import', JSON.stringify(rows), 'application/json');
    const [, path] = /Did you mean POST (\S+)\?/.exec(lost.json.detail) as unknown as [string, string];
    const array = await send(path, JSON.stringify(rows), 'application/json');
    const [, type] = /header Content-Type: (\S+)\./.exec(array.json.detail) as unknown as [string, string];
    assert.match(array.json.detail, /one JSON object a line/);
    const accepted = await send(path, rows.map((row) => JSON.stringify(row)).join('\n'), type);
    await lplate.catchUp();
    const { json } = await lplate.call('GET', `/policy-imports/${accepted.json.id}`, { token });
    assert.deepEqual([accepted.status, json.created, json.refused], [202, 2, 0]);
  });
});
