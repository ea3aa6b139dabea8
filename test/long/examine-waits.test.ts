import { equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Running } from '../../src/app.ts';
import { examine } from '../../src/examine/examine.ts';
import { reportOf } from '../../src/examine/report.ts';
import { Receiver } from '../../src/examine/waits/receiver.ts';
import { altered } from '../examine/altered.ts';
import { startExamined } from '../examine/examined.ts';

/* Stages that wait for what comes by itself. */

let shared: Running;
before(async () => {
  shared = await startExamined();
});
after(() => shared.close());

test('Examinations: a row that waits is told as commands that wait, and show the same when they are pasted', async (t) => {
  const service = await altered(t, shared.url, (passing) => {
    if (passing.path.includes('/topics/')) passing.body = passing.body.replaceAll('"REGISTERED"', '"OPENED"');
  });
  const [result] = reportOf(await examine(service.url, { stages: ['event-batches'], seed: 1 })).stages;
  const { calls, commands = '', says } = result?.counterexample ?? {};
  match(says ?? '', /\/previousStatus is "OPENED"; "REGISTERED" is right\.$/);
  ok(Number(calls) <= 6, commands);
  const { stdout } = await promisify(execFile)('sh', ['-c', commands]);
  match(stdout, /^HTTP\/1\.1 200 [\s\S]*"previousStatus":"OPENED"/);
});

/** L-Plate, whose streams are answered by others. */
async function streaming(t: TestContext, answer: (response: ServerResponse) => void): Promise<string> {
  const whole = await altered(t, shared.url);
  const server = createServer((request, response) => {
    if (request.headers.accept === 'text/event-stream' && request.headers.authorization) return answer(response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { authorization, 'content-type': type } = request.headers;
      const made = await fetch(new URL(request.url ?? '', whole.url), {
        method: request.method ?? 'GET',
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const headers = Object.fromEntries(
        [...made.headers].filter(([name]) => !/^(connection|content-length)$/.test(name)),
      );
      response.writeHead(made.status, headers).end(await made.text());
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/insurer/v1`;
}

const head = { 'content-type': 'text/event-stream' };

const endless = (response: ServerResponse) => {
  response.writeHead(200, head);
  const more = () => {
    while (!response.destroyed && response.write(': still here\n'.repeat(1000)));
  };
  response.on('drain', more);
  more();
};

/** Streams that say nothing well, and what is said of them. */
const rude: [what: string, answer: (response: ServerResponse) => void, says: RegExp][] = [
  ['sends without end', endless, /sent more than 0\.2 MB/],
  ['closes', (response) => response.destroy(), /closed the connection before its answer was complete/],
  [
    'begins an event and no more',
    (of) => of.writeHead(200, head).write('data: {'),
    /has told no event by now; 1 is right/,
  ],
  [
    'sends what is no JSON',
    (of) => of.writeHead(200, head).write('id: 1\ndata: {\n\nid: 2\ndata: [\n\n'),
    /The data of an event of the stream are not JSON/,
  ],
];

for (const [what, answer, says] of rude)
  test(`Examinations: a stream that ${what} is told in a sentence`, async (t) => {
    const url = await streaming(t, answer);
    const { results } = await examine(url, { stages: ['event-stream'] });
    match(results[0]?.failure?.difference.says ?? '', says);
  });

test('Examinations: webhooks of a service on another machine are skipped: it could not call the receiver', async () => {
  // Of all addresses of this machine, one that is not loopback.
  const url = shared.url.replace('localhost', '0.0.0.0').replace('127.0.0.1', '0.0.0.0');
  const { results } = await examine(`${url}/insurer/v1`, { stages: ['webhooks'] });
  equal(results[0]?.outcome, 'skipped');
  match(results[0]?.why ?? '', /could not call a receiver on this one/);
});

test('Examinations: the receiver of webhooks takes calls of its hooks alone, and no more of them than it can compare', async (t) => {
  const receiver = new Receiver();
  await receiver.listen();
  t.after(() => receiver.close());
  const hook = receiver.address('yours', 'row');
  const post = (url: string, body = '{}') =>
    fetch(url, { method: 'POST', body }).then(
      ({ status }) => status,
      () => 'closed',
    );
  equal(await post(hook.replace('yours', 'others')), 404);
  equal((await fetch(hook)).status, 404);
  equal(await post(hook, 'x'.repeat(200_000)), 'closed');
  equal(await post(`${hook}/503`), 503);
  equal(await post(`${hook}/503`), 204);
  for (let call = 0; call < 60; call += 1) await post(hook);
  equal(receiver.callsOf(hook).length, 50);
});
