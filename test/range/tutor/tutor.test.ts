import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { bundledSdk, bundleSdk } from '../../../package/mcp-sdk.js';
import { guides } from '../../../src/navigation.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { forEachEngine, onSqlite } from '../../support/engines.ts';
import { type LPlate, problem, startWithClient, type TestClient } from '../../support/lplate.ts';
import { idOf, trainerToken } from '../range.ts';

const path = '/range/v1/mcp';

const everyLesson = topics.flatMap(({ lessons }) => lessons);

/** The official client, connected with a token. */
async function assistant(t: TestContext, lplate: LPlate, token: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(lplate.url + path), { requestInit: { headers } }));
  t.after(() => client.close());
  async function use(name: string, args: Record<string, unknown> = {}) {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return { text: first?.text ?? '', isError };
  }
  return { client, use, json: async (name: string, args = {}) => JSON.parse((await use(name, args)).text) };
}

/** A message as bytes, without the client's care. Its answer is compared with the description. */
function post(lplate: LPlate, token: string, body: string, headers: Record<string, string> = {}) {
  const accepted = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return lplate.call('POST', path, { token, body, headers: { ...accepted, ...headers } });
}

const insure = (lplate: LPlate, { token }: TestClient, regNumber: string) =>
  lplate.call('POST', '/policies', { token, json: { regNumber } });

forEachEngine((engine) => {
  test('Decisions, range: the official client lists and calls every tool of the tutor', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const refused = idOf(await insure(lplate, client, 'no plate at all'));
    const accepted = idOf(await insure(lplate, client, 'AB-1234'));
    const { client: mcp, use, json } = await assistant(t, lplate, token);
    const calls: Record<string, Record<string, unknown>> = {
      list_exchanges: { status: '4xx', path: '/insurer' },
      read_exchange: { id: refused },
      compare_exchanges: { one: refused, other: accepted },
      explain_problem: { type: 'https://lplate.example/problems/validation-error' },
      list_lessons: {},
      open_lesson: { lesson: 'token-by-form' },
      read_lesson: {},
      take_hint: { lesson: 'token-by-form' },
      list_drills: {},
      start_drill: { name: 'delay', minutes: 1 },
      end_drill: { name: 'delay' },
      read_clock: {},
      move_clock: { advance: 'PT1M' },
      list_guides: {},
      read_guide: { name: 'range' },
    };
    const { tools } = await mcp.listTools();
    deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls).sort());
    const found: Record<string, string> = {};
    for (const [name, args] of Object.entries(calls)) {
      const { text, isError } = await use(name, args);
      equal(isError, false, `${name}: ${text}`);
      found[name] = text;
    }
    equal(JSON.parse(found.list_exchanges as string).items[0].id, refused);
    equal(JSON.parse(found.read_exchange as string).problem, 'validation-error');
    ok(JSON.parse(found.compare_exchanges as string).some(({ where }: { where: string }) => where === 'status'));
    match(found.explain_problem as string, /"remedy":/);
    equal(JSON.parse(found.read_lesson as string).id, 'token-by-form');
    equal((await json('read_lesson', { lesson: 'token-by-form' })).hintsTaken.length, 1);
    equal(JSON.parse(found.move_clock as string).aheadSeconds, 60);
    match(found.read_guide as string, /^# /);
  });

  test('Decisions, range: the tutor shows a client nothing of another', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const id = idOf(await insure(lplate, client, 'AB-1234'));
    const { use, json } = await assistant(t, lplate, (await lplate.client()).token);
    const { text, isError } = await use('read_exchange', { id });
    deepEqual([isError, JSON.parse(text).status], [true, 404]);
    const { items } = await json('list_exchanges', { path: '/insurer/v1/policies' });
    deepEqual(items, []);
  });
});

onSqlite((engine) => {
  test('Decisions, range: the tutor has the descriptions and guides as resources, and two prompts', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const { client } = await assistant(t, lplate, token);
    const { resources } = await client.listResources();
    ok(resources.length > guides.length + 6);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      ok((contents[0] as { text: string }).text.length > 500, uri);
    }
    const { prompts } = await client.listPrompts();
    deepEqual(
      prompts.map(({ title }) => title),
      ['Explain my last refusal', 'Review my integration'],
    );
    for (const { name } of prompts) equal((await client.getPrompt({ name })).messages.length, 1);
  });

  test('Decisions, range: an assistant solves no lesson itself, and what it reads brings a learner through one', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const { use, json } = await assistant(t, lplate, token);
    await use('open_lesson', { lesson: 'find-one' });
    const state = async () => (await json('read_lesson', { lesson: 'find-one' })).state;
    await lplate.call('POST', '/range/v1/me/fleet', { token });
    await lplate.call('GET', '/policies', { token });
    const { lastWord, lastMiss, state: before } = await json('read_lesson');
    ok(lastWord ?? lastMiss, 'it is told what the last call lacked');
    await insure(lplate, client, 'AB-1234');
    for (const { name } of guides) await use('read_guide', { name });
    equal(await state(), before, 'no tool is a call of the client');
    await lplate.call('GET', '/policies?regNumber=AB-1234', { token });
    equal(await state(), 'solved');
  });

  test('Decisions, range: in 200 tries the tutor tells no answer, and calls no route that has one', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const { client: mcp, use } = await assistant(t, lplate, token);
    const asked = everyLesson.filter(({ asks }) => asks);
    ok(asked.length > 5);
    let tries = 0;
    for (const name of ['solve', 'send_answer', 'read_solution']) {
      for (const { id } of asked) {
        tries += 1;
        await mcp.callTool({ name, arguments: { lesson: id } }).then(
          () => ok(false, name),
          () => {},
        );
      }
    }
    const paths = ['token-by-form/solution', 'token-by-form%2Fsolution', '../answers', './x/../../answers'];
    for (const lesson of paths) {
      for (const name of ['read_lesson', 'open_lesson', 'take_hint']) {
        tries += 1;
        equal((await use(name, { lesson })).isError, true, lesson);
      }
    }
    while (tries < 200) {
      const lesson = everyLesson[tries % everyLesson.length]?.id as string;
      const { text } = await use(tries % 2 === 0 ? 'read_lesson' : 'open_lesson', { lesson });
      tries += 1;
      equal(/"remember"|"without"|"code":\[/.test(text), false, lesson);
    }
    const routes = new Set(lplate.log.map((line) => JSON.parse(line)).map(({ route }) => route as string));
    const reached = [...routes].filter((route) => route?.startsWith('/range'));
    ok(reached.length > 3);
    deepEqual(
      reached.filter((route) => /answers|solution|trainer/.test(route)),
      [],
    );
    equal((await lplate.call('GET', '/range/v1/me', { token: client.token })).status, 200);
  });

  test('Decisions, range: what the tutor does counts as calls of the range, and is in the log of the service', async (t) => {
    const { lplate, client, token } = await startWithClient(t, engine);
    const { use } = await assistant(t, lplate, token);
    await use('read_clock');
    const lines = lplate.log.map((line) => JSON.parse(line)).filter((line) => line.client === client.id);
    const routes = lines.map(({ route }) => route);
    deepEqual(routes.slice(-2).sort(), ['/range/v1/mcp', '/range/v1/me/clock']);
  });

  test('Decisions, range: what is wrong is told, by JSON-RPC inside of a message and by a problem outside', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    deepEqual(problem(await lplate.call('POST', path)), [401, 'missing-token']);
    deepEqual(problem(await lplate.call('POST', path, { token: trainerToken })), [401, 'invalid-token']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await lplate.call(method, path, { token });
      deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], method);
    }
    deepEqual(problem(await lplate.call('POST', path, { token, body: 'x'.repeat(70_000) })), [
      413,
      'payload-too-large',
    ]);
    const told = async (body: string, headers = {}) => {
      const answer = await post(lplate, token, body, headers);
      return [answer.status, JSON.parse(/\{.*\}/s.exec(answer.text)?.[0] ?? '{}').error?.code];
    };
    const call = (method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    deepEqual(await told('{'), [400, -32700]);
    deepEqual(await told('{}'), [400, -32600]);
    deepEqual(await told(` [${call('ping')}]`), [400, -32600]);
    deepEqual(await told(call('none')), [200, -32601]);
    deepEqual(await told(call('tools/call', { name: 'none' })), [200, -32602]);
    deepEqual(await told(call('resources/read', { uri: 'file:///etc/passwd' })), [200, -32602]);
    deepEqual(await told(call('prompts/get', { name: 'none' })), [200, -32602]);
    deepEqual(await told(call('ping'), { Origin: lplate.url, Accept: '*/*' }), [200, undefined]);
    const refused = async (headers: Record<string, string>) =>
      problem(await post(lplate, token, call('ping'), headers));
    deepEqual(await refused({ 'Content-Type': 'text/plain' }), [415, 'unsupported-media-type']);
    deepEqual(await refused({ Origin: 'https://elsewhere.example' }), [403, 'foreign-origin']);
    deepEqual(await refused({ Origin: 'null' }), [403, 'foreign-origin']);
  });

  test('Decisions, range: the wrong arguments of a tool are told what is wrong with them', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const { use } = await assistant(t, lplate, token);
    const told = async (name: string, args: Record<string, unknown>) => {
      const { isError, text } = await use(name, args);
      equal(isError, true, text);
      return text;
    };
    match(await told('read_exchange', {}), /must have required property 'id'/);
    match(await told('read_lesson', { lesson: 7 }), /arguments\/lesson are wrong: must be string/);
    match(await told('read_lesson', {}), /No lesson is open/);
    match(await told('explain_problem', { type: 'validation-eror' }), /Did you mean validation-error/);
    match(await told('explain_problem', { type: 'constructor' }), /no such problem/);
    match(await told('read_guide', { name: '../settings' }), /no such|not-found/i);
    match(await told('start_drill', { name: 'none' }), /validation-error/);
    match(await told('move_clock', { advance: 'an hour' }), /validation-error/);
  });

  test('Decisions, range: nothing that is sent to the tutor makes it fail', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const methods = ['initialize', 'tools/call', 'tools/list', 'resources/read', 'prompts/get', 'subscriptions/listen'];
    const names = ['list_exchanges', 'read_exchange', 'compare_exchanges', 'explain_problem', 'start_drill'];
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
        method: fc.oneof(fc.constantFrom(...methods), fc.string()),
        params: fc.oneof(
          fc.record({ name: fc.constantFrom(...names), arguments: fc.jsonValue() }),
          fc.record({ _meta: fc.jsonValue(), uri: fc.string() }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      message.map((each) => JSON.stringify(each)),
      fc.array(message, { maxLength: 3 }).map((each) => JSON.stringify(each)),
      fc.json(),
      fc.string(),
    );
    const version = fc.constantFrom('2025-06-18', '2026-07-28', 'none');
    await fc.assert(
      fc.asyncProperty(body, version, async (text, protocol) => {
        const answer = await post(lplate, token, text, { 'MCP-Protocol-Version': protocol });
        ok(answer.status < 500, `${answer.status} to ${text}`);
      }),
      { numRuns: 300 },
    );
  });

  test('Decisions, range: with --mcp off there is no tutor', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { mcp: 'off' });
    const answer = await fetch(lplate.url + path, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
    deepEqual([answer.status, ((await answer.json()) as { title: string }).title], [404, 'No such path']);
  });
});

test('Decisions, range: the SDK in the sources is the one of the lock file', async () => {
  equal(await readFile(new URL(`../../../${bundledSdk}`, import.meta.url), 'utf8'), (await bundleSdk()).text);
});
