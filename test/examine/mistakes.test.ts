import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Running } from '../../src/app.ts';
import { examine, type StageResult } from '../../src/examine/examine.ts';
import { reportOf } from '../../src/examine/report.ts';
import type { Counterexample } from '../../src/library/examination.ts';
import { altered, type Passing } from './altered.ts';
import { startExamined } from './examined.ts';

type Alter = (passing: Passing) => void;

/** Another body, another header, another status: on the answers that `is` tells. */
const body =
  (is: (passing: Passing) => boolean, change: (body: Record<string, unknown>) => void): Alter =>
  (passing) => {
    if (!is(passing)) return;
    const value = JSON.parse(passing.body);
    change(value);
    passing.body = JSON.stringify(value);
  };
const text =
  (from: string, to: string): Alter =>
  (passing) => {
    passing.body = passing.body.replace(from, to);
  };
const header =
  (is: (passing: Passing) => boolean, name: string, value?: string): Alter =>
  ({ headers, ...passing }) => {
    if (!is({ headers, ...passing })) return;
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  };
const status =
  (is: (passing: Passing) => boolean, value: number): Alter =>
  (passing) => {
    if (is(passing)) passing.status = value;
  };

const any = () => true;
const isOptions = ({ path, status }: Passing) => path.endsWith('/coverage-options') && status === 200;
const isProblem = ({ status }: Passing) => status >= 400;
const isNew = ({ path, status }: Passing) => path.endsWith('/policies') && status === 201;
const isRead = ({ path, status, method }: Passing) => method === 'GET' && path.includes('/pol-') && status === 200;
const hasStatus = (wanted: number) => (passing: Passing) => passing.status === wanted;
const isHidden = ({ path, status }: Passing) => path.includes('/pol-') && status === 404;

/** A mistake of a service, the stage that finds it, where, and in how many calls at most. */
const mistakes: [what: string, alter: Alter, stage: string, place: string, calls: number][] = [
  ['a term that is wrong', text('P3M', 'P4M'), 'coverage-options', '/options/1/term', 1],
  [
    'an option that is missing',
    body(isOptions, (of) => (of.options as object[]).pop()),
    'coverage-options',
    '/options',
    1,
  ],
  ['text in place of JSON', header(any, 'content-type', 'text/plain'), 'coverage-options', 'header:Content-Type', 1],
  ['an unknown address that is 200', status(hasStatus(404), 200), 'unknown-addresses', 'status', 1],
  ['405 without Allow', header(any, 'allow'), 'unknown-addresses', 'header:Allow', 1],
  [
    'a problem in plain JSON',
    header(isProblem, 'content-type', 'application/json'),
    'problems',
    'header:Content-Type',
    1,
  ],
  ['a problem of another type', text('/problems/not-found', '/problems/unknown'), 'problems', '/type', 1],
  ['401 without a challenge', header(any, 'www-authenticate'), 'problems', 'header:WWW-Authenticate', 1],
  ['a client without its prefix', text('"client_id":"demo-', '"client_id":"'), 'demo-clients', '/client_id', 1],
  ['a token that may be stored', header(any, 'cache-control'), 'token', 'header:Cache-Control', 2],
  ['a token that lasts two hours', text('3600', '7200'), 'token', '/expires_in', 2],
  ['a token that is no JWT', text('"access_token":"eyJ', '"access_token":"x.eyJ'), 'token', '/access_token', 2],
  [
    'a challenge without the scope',
    header(hasStatus(403), 'www-authenticate', 'Bearer'),
    'scopes',
    'header:WWW-Authenticate',
    3,
  ],
  ['a creation that is 200', status(isNew, 200), 'create', 'status', 3],
  [
    'a last day that is wrong',
    body(isNew, (of) => void Object.assign(of, { endDate: of.startDate })),
    'create',
    '/endDate',
    3,
  ],
  [
    'a Location that leads elsewhere',
    header(isNew, 'location', '/insurer/v1/policies/1'),
    'create',
    'header:Location',
    3,
  ],
  [
    'an instant of long ago',
    body(isNew, (of) => void Object.assign(of, { createdAt: '2020-01-01T00:00:00Z' })),
    'create',
    '/createdAt',
    3,
  ],
  ['a policy of another that is shown', status(isHidden, 200), 'read', 'status', 3],
  ['a holder that is lost', body(isRead, (of) => void Object.assign(of, { holder: null })), 'read', '/holder', 4],
  ['an id that changes', body(isRead, (of) => void Object.assign(of, { id: `${of.id}x` })), 'read', '/id', 4],
];

let shared: Running;
before(async () => {
  shared = await startExamined();
});
after(() => shared.close());

/** The first stage that fails where the answers of L-Plate are altered. Each seed has vehicles of its own. */
async function found(t: TestContext, stage: string, alter: Alter, seed: number): Promise<Counterexample> {
  const service = await altered(t, shared.url, alter);
  const [result] = reportOf(await examine(service.url, { stages: [stage], seed })).stages;
  ok(result?.counterexample, 'nothing was found');
  return result.counterexample;
}

for (const [seed, [what, alter, stage, place, calls]] of mistakes.entries())
  test(`Examinations: ${what} is found by the stage ${stage}, in at most ${calls} calls`, async (t) => {
    const counterexample = await found(t, stage, alter, seed);
    equal(counterexample.place, place);
    ok(counterexample.calls <= calls, counterexample.commands);
    match(counterexample.says, /^[^\n]+\.$/);
  });

test('Examinations: all headers that are missing are told in one sentence', async (t) => {
  const alter: Alter = ({ headers }) => {
    delete headers.location;
    delete headers.etag;
  };
  const { place, says } = await found(t, 'preconditions', alter, mistakes.length + 1);
  deepEqual([place, says], ['header:Location', 'The answer of your service has no header Location and ETag.']);
});

test('Examinations: a token that differs is shown by its claims, or not at all', async (t) => {
  const late = await found(t, 'token', text('3600', '7200'), mistakes.length + 2);
  for (const answer of [late.reference, late.yours]) {
    match(answer, /"access_token":"<a JWT with the claims \{[^\n]*"sub":"demo-[^\n]*>"/);
    doesNotMatch(answer, /eyJ/);
  }
  const cut = text('"access_token":"eyJ', '"access_token":"x.eyJ');
  const { says, yours } = await found(t, 'token', cut, mistakes.length + 3);
  match(says, /^The member \/access_token is no JWT: three parts /);
  match(yours, /"access_token":"<a token that is no JWT>"/);
});

test('Examinations: the commands of a row show the same when they are pasted', async (t) => {
  const alter = body(isRead, (of) => void Object.assign(of, { holder: 'It’s "wrong"' }));
  const { commands } = await found(t, 'read', alter, mistakes.length);
  const { stdout } = await promisify(execFile)('sh', ['-c', commands]);
  match(stdout, /^HTTP\/1\.1 200 [\s\S]*"holder":"It’s \\"wrong\\""/);
});

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const endless: Answering = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

/** Services that answer no call well, and what is said of them. */
const rude: [what: string, answer: Answering, says: RegExp][] = [
  ['closes', ({ socket }) => socket.destroy(), /closed the connection before its answer was complete/],
  [
    'closes in the middle',
    (_, of) => of.writeHead(200, { 'content-length': 10 }).write('{', () => of.destroy()),
    /closed/,
  ],
  ['sends without end', endless, /sent more than 5 MB/],
  [
    'sends HTML',
    (_, of) => of.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /is text\/html; application/,
  ],
  ['redirects', (_, of) => of.writeHead(302, { location: 'http://example.com/' }).end(), /answered 302; 200 is right/],
  ['has always too many calls', (_, of) => of.writeHead(429).end(), /answered 429; 200 is right/],
  ['sends what is no HTTP', ({ socket }) => socket.end('hello\r\n\r\n'), /sent what is no HTTP/],
  ['never answers', () => {}, /did not answer within 10 seconds/],
];

for (const [what, answer, says] of rude)
  test(`Examinations: a service that ${what} is told in a sentence`, async (t) => {
    const result = await resultOf(t, answer);
    equal(result.outcome, 'failed');
    match(result.failure?.difference.says ?? '', says);
    ok(result.calls <= 2);
  });

test('Examinations: where a row has no answer, no row beside it begins', async (t) => {
  const { failure, calls } = await resultOf(t, ({ socket }) => socket.destroy(), 'claim-states');
  match(failure?.difference.says ?? '', /closed the connection/);
  equal(calls, 1);
});

async function resultOf(t: TestContext, answer: Answering, stage = 'coverage-options'): Promise<StageResult> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/insurer/v1`;
  const { results } = await examine(url, { stages: [stage] });
  return results[0] as StageResult;
}
