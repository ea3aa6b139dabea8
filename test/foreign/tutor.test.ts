import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { bundledSdk, bundleSdk } from '../../package/mcp-sdk.js';
import { guides } from '../../src/navigation.ts';
import { tutorCalls } from '../support/tutor-calls.ts';
import { nodeFolder, ownTypesAlone, told, typescript } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { node } from './support/tools.ts';

/** The tutor's address, the token of a client that has made a call which was refused and one which was not, and a call of each tool. */
async function given({ origin, program }: Place) {
  const { token } = await program.client();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const insure = async (regNumber: string) => {
    const body = JSON.stringify({ regNumber });
    const { headers: told } = await fetch(`${origin}/insurer/v1/policies`, { method: 'POST', headers, body });
    return told.get('x-request-id') ?? '';
  };
  const calls = tutorCalls(await insure('no plate at all'), await insure('AB-1234'));
  return { url: `${origin}/range/v1/mcp`, token, calls };
}

describe('Decisions, range: the tutor', () => {
  toolTest(['@modelcontextprotocol/client'], 'the official client calls every tool', async (place) => {
    await nodeFolder(place);
    const { url, token, calls } = await given(place);
    const args = [url, token, JSON.stringify(calls)];
    const { tools, failed, read, messages } = told(await typescript(place, 'tutor.ts', args, ownTypesAlone)) as {
      tools: string[];
      failed: string[];
      read: number[];
      messages: number[];
    };
    assert.deepEqual(tools.sort(), Object.keys(calls).sort());
    assert.deepEqual(failed, []);
    assert.ok(read.length > guides.length + 6 && read.every((length) => length > 500), String(read));
    assert.deepEqual(messages, [1, 1]);
  });

  toolTest(['@modelcontextprotocol/inspector'], 'the inspector finds nothing amiss in any tool', async (place) => {
    const { url, token, calls } = await given(place);
    async function inspect(method: string, ...rest: string[]) {
      const script = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';
      const server = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
      const environment = { HOME: place.folder };
      return JSON.parse((await node(script, [...server, '--method', method, ...rest], { environment })).stdout);
    }
    const { tools } = await inspect('tools/list', '--strict');
    assert.deepEqual(tools.map(({ name }: { name: string }) => name).sort(), Object.keys(calls).sort());
    for (const [name, args] of Object.entries(calls)) {
      const pairs = Object.entries(args).flatMap(([member, value]) => ['--tool-arg', `${member}=${value}`]);
      const { content, isError = false } = await inspect('tools/call', '--tool-name', name, ...pairs);
      assert.equal(isError, false, `${name}: ${content[0].text}`);
    }
    const { resources } = await inspect('resources/list');
    for (const kind of [/openapi/, /asyncapi/, /wsdl/, /guides/]) {
      const { uri } = resources.find((each: { uri: string }) => kind.test(each.uri));
      assert.ok((await inspect('resources/read', '--uri', uri)).contents[0].text.length > 500, uri);
    }
    for (const { name } of (await inspect('prompts/list')).prompts)
      assert.equal((await inspect('prompts/get', '--prompt-name', name)).messages.length, 1);
  });

  const skip = process.env.CLIENTS_RUNTIMES === undefined && 'not started by npm run test:clients';
  test('the SDK in the sources is what its lock file makes', { skip }, async () => {
    assert.equal(await readFile(bundledSdk, 'utf8'), await bundleSdk());
  });
});
