import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LPlate, type TestClient, testSecrets } from '../../support/lplate.ts';
import { claimOn, insure, pass } from '../../support/topic.ts';

/*
 * A class in which every field that comes from outside has the worst that the service takes. Each begins with a mark of its
 * own, `~holder~`, by which a test finds it on the page.
 */

/** Runs if a page takes it for HTML, for a script or for an attribute. */
const markup = `<img src=x onerror=ran=1><script>ran=2</script>"' onfocus=ran=3 autofocus x='{{ran}}\${ran}`;

/** Turns what stands behind it round, where it is not kept apart. */
const turned = '\u202Etxt.\u05D0\u05D1\u05D2\u2067';

/** What fits into `most` characters. */
export function hostile(mark: string, most = 500): string {
  return `~${mark}~${turned}${markup}${'W'.repeat(most)}`.slice(0, most);
}

/** For where only printable ASCII without spaces is taken. */
const inOneWord = (mark: string) => `~${mark}~<img/src=x/onerror=ran=1><script>ran=2</script>'`;

/** For a header: bytes that are not UTF-8, and no character above them. */
const inHeader = (mark: string, length = 300) =>
  `~${mark}~<img src=x onerror=ran=1>\u00E9\u00FF"'${'W'.repeat(length)}`;

/** For an address: percent-encoded, with bytes that are not UTF-8. */
const inAddress = (mark: string) => `${encodeURIComponent(hostile(mark, 200))}%FF%C3%28`;

const base64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that nobody signed. */
export const hostileToken = [
  base64Url({ alg: 'ES256', kid: hostile('kid', 100), [hostile('head', 100)]: 1 }),
  base64Url({ sub: hostile('sub', 100), exp: 1e300, [hostile('claim', 100)]: { [hostile('inner', 60)]: [turned] } }),
  'W'.repeat(86),
].join('.');

/** Lessons of a class, the first of which nobody solves. */
export const hostileLessons = {
  path: ['hostile', 'proved', 'token-decoded'],
  own: [
    {
      ...{ id: 'hostile', title: hostile('title', 100), topic: hostile('topic', 100) },
      ...{
        goal: hostile('goal'),
        why: hostile('why'),
        hints: [hostile('hint'), `${hostile('code', 60)} \`curl ${markup}\``],
      },
      sections: [hostile('section', 100), 'constructor'],
      calls: [{ headers: { 'X-Never': '*' } }],
    },
    {
      ...{ id: 'proved', title: hostile('solved', 100), goal: 'Ask for what is not there.', why: hostile('reason') },
      ...{ buildsOn: ['hostile'], calls: [{ path: '/insurer/v1/policies/*', status: 404 }] },
    },
  ],
};

export interface HostileScene {
  readonly learner: TestClient;
  readonly policy: string;
  readonly claim: string;
  readonly subscription: string;
  /** The ids of exchanges, by what is hostile in them. */
  readonly exchanges: Readonly<
    Record<'address' | 'json' | 'bytes' | 'line' | 'form' | 'soap' | 'token' | 'signed', string>
  >;
}

export async function makeHostileScene(t: { after(end: () => void): void }, lplate: LPlate): Promise<HostileScene> {
  const learner = await lplate.client();
  const { id, token } = learner;
  const mine = `/for/${id}/insurer/v1`;
  const sent = async (path: string, body: string | Uint8Array | undefined, headers: Record<string, string>) =>
    send(lplate.url + path, body, headers);
  const json = { 'Content-Type': 'application/json' };
  const mustBe = async (method: string, path: string, status: number, options: Parameters<LPlate['call']>[2] = {}) => {
    const answer = await lplate.call(method, path, { token, ...options });
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };

  await mustBe('PATCH', '/range/v1/me', 200, { json: { nickname: hostile('nickname', 40) } });
  for (const nickname of [`~markup~${markup}`.slice(0, 40), 'W'.repeat(40)]) {
    const mate = await lplate.client();
    await mustBe('PATCH', '/range/v1/me', 200, { token: mate.token, json: { nickname } });
    await insure(lplate, mate.token);
  }
  const policy = await insure(lplate, token, 'HO-1');
  await mustBe('PUT', `/policies/${policy}`, 200, { json: { holder: hostile('holder', 100) } });
  await mustBe('POST', '/range/v1/me/lessons/hostile/hints', 200);
  const announcement = `${hostile('announcement', 600)}\n${turned}\n${'W'.repeat(300)}`;
  const trainer = { token: testSecrets.trainerToken };
  await mustBe('PUT', '/range/v1/trainer/announcement', 200, { ...trainer, json: { text: announcement } });
  // One that several learners share, so nobody is known to have called.
  await sent(`/insurer/v1/policies/${inOneWord('nobody')}`, undefined, {});

  await sent(`${mine}/policies/${encodeURIComponent(hostile('proof', 150))}`, undefined, {
    Authorization: `Bearer ${token}`,
  });
  const exchanges = {
    address: await sent(
      `${mine}/policies/${inOneWord('path')}?${inOneWord('query')}=${inAddress('parameter')}&${'w'.repeat(4000)}`,
      undefined,
      {
        ...{ Authorization: `Bearer ${token}`, 'User-Agent': inHeader('agent', 4000), Referer: inHeader('referer') },
        // A longer name is kept as its length only: it may be a secret.
        [`X-~name~!#$%&'*+.^_|${'w'.repeat(10)}`]: inHeader('value'),
      },
    ),
    json: await sent(
      `${mine}/policies`,
      JSON.stringify({
        ...{ regNumber: hostile('number', 300), holder: { [hostile('deep', 100)]: [turned] } },
        ...{
          [hostile('member', 100)]: hostile('text', 1000),
          coverageOption: hostile('option', 300),
          startDate: markup,
        },
      }),
      { ...json, Authorization: `Bearer ${token}`, 'Idempotency-Key': inOneWord('key') },
    ),
    bytes: await sent(`${mine}/policies`, Buffer.from(`~bytes~\u00FF\u00FE${markup}`, 'latin1'), {
      ...json,
      Authorization: `Bearer ${token}`,
    }),
    line: await sent(`${mine}/policies`, `{"holder":"~line~${'W'.repeat(16_000)}`, {
      ...json,
      Authorization: `Bearer ${token}`,
    }),
    form: await sent(
      `${mine}/auth/token`,
      new URLSearchParams({
        grant_type: hostile('grant'),
        client_id: hostile('id'),
        [hostile('field', 100)]: '1',
      }).toString(),
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    ),
    soap: await sent(
      `/for/${id}/vehicle-registry/v1`,
      `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>${hostile('soap', 300).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>`,
      { 'Content-Type': 'text/xml', SOAPAction: `"${inOneWord('action')}"` },
    ),
    token: await sent(`${mine}/policies`, undefined, { Authorization: `Bearer ${hostileToken}` }),
    signed: await sent(`${mine}/signed/policy-check`, JSON.stringify({ regNumber: hostile('body') }), {
      ...json,
      'X-Signature': inOneWord('signature'),
    }),
  };

  const hook = `${await receiver(t)}/~hook~${encodeURIComponent(markup + turned)}?${'w'.repeat(1000)}`;
  const { id: subscription } = await mustBe('POST', '/claims/v1/subscriptions', 201, { json: { url: hook } });
  const claim = await claimOn(lplate, token, policy, { paceSeconds: 1 });
  const form = new FormData();
  form.set(
    'file',
    new Blob(['%PDF-1.7\n']),
    `~document~${turned}<img src=x onerror=ran=1>"' onfocus=ran=3${'W'.repeat(60)}`,
  );
  const headers = { Authorization: `Bearer ${token}` };
  await fetch(`${lplate.url}/claims/v1/claims/${claim}/documents`, { method: 'POST', headers, body: form });
  for (let step = 0; step < 3; step += 1) await pass(lplate, 2);
  // After what it solved: this is the lesson that it works on.
  await mustBe('POST', '/range/v1/me/lessons/hostile/hints', 200);
  return { learner, policy, claim, subscription, exchanges };
}

/** A receiver that refuses, with headers as hostile as HTTP lets them be. Returns its address. */
async function receiver(t: { after(end: () => void): void }): Promise<string> {
  const server = createServer((incoming, answer) => {
    incoming.resume();
    answer.writeHead(302, inHeader('phrase'), {
      ...{ Location: `/${inHeader('location')}`, 'Content-Type': inHeader('type'), 'Retry-After': inHeader('after') },
    });
    answer.end(markup);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends what `fetch` would not: any byte in the address and in headers. Returns the id of the exchange. */
async function send(
  url: string,
  body: string | Uint8Array | undefined,
  headers: Record<string, string>,
): Promise<string> {
  const { host, hostname, port } = new URL(url);
  const path = url.slice(url.indexOf(host) + host.length);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const call = request({
    hostname,
    port,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...length },
  });
  call.end(body);
  const [answer] = await once(call, 'response');
  answer.resume();
  await once(answer, 'end');
  const id = answer.headers['x-request-id'];
  if (typeof id !== 'string') throw new Error(`${answer.statusCode} for ${url.slice(0, 200)}: without an id`);
  return id;
}
