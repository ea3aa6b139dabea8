import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import { root } from '../support/program.ts';
import { programPath } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, dotnet, jdk, python } from './support/tools.ts';

/* The clients of examples/ in other languages, each against the real program. */

const example = (name: string) => join(root, 'examples', name);

/**
 * An L-Plate whose token expires once and which is busy once: of the calls with a token the second is answered with 401
 * and the fourth with 429. What they were is in `refused`.
 */
async function moody(t: TestContext, { program }: Place): Promise<{ url: string; refused: string[] }> {
  const refused: string[] = [];
  let authorized = 0;
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    if (headers.authorization !== undefined) authorized += 1;
    const status = headers.authorization === undefined ? undefined : { 2: 401, 4: 429 }[authorized];
    if (status !== undefined) {
      refused.push(`${status} ${method} ${path}`);
      request.resume();
      response.writeHead(status, { ...(status === 429 && { 'Retry-After': '1' }), 'Content-Length': 0 }).end();
      return;
    }
    // With the Host of the caller, so that links lead back here.
    const { hostname, port } = new URL(program.url);
    const forwarded = send({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, refused };
}

const walked = `insured: PLATE
holder: Grace Example
policies: 3
again: 409
cancelled: cancelled
claim: REGISTERED
event: UNDER_REVIEW
vehicle: 200
`;

/** Runs a program with the address and the key that it is given, and checks what it tells. */
async function walks(place: Place, run: (environment: Record<string, string>) => Promise<Called>): Promise<void> {
  const { url, refused } = await moody(place.t, place);
  const { stdout } = await run({ LPLATE_URL: url });
  assert.equal(stdout.replaceAll('\r', '').replace(/[A-Z]{2}-\d{4}/, 'PLATE'), walked);
  assert.deepEqual(
    refused.map((line) => line.slice(0, 3)),
    ['401', '429'],
  );
}

/** With the key the signed check is the last line. */
async function signs(place: Place, run: (environment: Record<string, string>) => Promise<Called>): Promise<void> {
  const { stdout } = await run({ LPLATE_URL: place.origin, HMAC_SECRET: place.program.secrets.hmacSecret });
  assert.match(stdout.replaceAll('\r', ''), /\nsigned: false\n$/i);
}

describe('Examples: a client renews its token, waits for Retry-After, reads all pages and signs', () => {
  toolTest(['requests'], 'walk.py', async (place) => {
    const run = (environment: Record<string, string>) => python([example('walk.py')], { environment });
    await walks(place, run);
    await signs(place, run);
  });

  // A library of Java's runtime, so that the runtime is there.
  toolTest(['openapi-generator-cli'], 'Walk.java, by java alone', async (place) => {
    const run = (environment: Record<string, string>) => call(jdk('java'), [example('Walk.java')], { environment });
    await walks(place, run);
    await signs(place, run);
  });

  // The runtime here wants an old OpenSSL to sign, so that part is only compiled.
  toolTest(['dotnetcore2'], 'walk.cs, by mcs and .NET Core 3.1', async (place) => {
    const program = join(place.folder, 'walk.dll');
    const { compile, host } = await dotnet();
    await compile(program, [example('walk.cs'), programPath('Entry.cs')]);
    await walks(place, (environment) => call(host, [program], { environment }));
  });

  toolTest(['tree-sitter-powershell'], 'walk.ps1: its syntax only', async ({ folder }) => {
    const broken = join(folder, 'broken.ps1');
    await writeFile(broken, `${await readFile(example('walk.ps1'), 'utf8')}\n}`);
    const check = async (path: string) => (await python([programPath('powershell-syntax.py'), path])).stdout.trim();
    assert.equal(await check(example('walk.ps1')), 'no error');
    assert.notEqual(await check(broken), 'no error');
  });
});
