import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Ready } from '../../src/process/ready.ts';
import { envelope } from '../vehicle-registry/envelopes.ts';
import type { Receiver } from './receiver.ts';

/*
 * A walk through all interfaces in more than a hundred calls, one after the other, with all that was answered. What a
 * call sends follows from the answers before.
 */

/** A call, and all bytes of its answer but those that HTTP/1.1 puts around them. */
export interface Exchanged {
  readonly call: string;
  readonly status: number | undefined;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string;
}

interface Sent {
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly body?: string | undefined;
  readonly headers?: Record<string, string>;
}

/** `settled` resolves when so many events were delivered to the receiver, those that come twice too, and that was saved. */
export async function hundredCalls(
  { url, secrets }: Ready,
  receiver: Receiver,
  settled: (events: number) => Promise<void>,
): Promise<Exchanged[]> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: Exchanged[] = [];

  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape
  async function send(method: string, path: string, sent: Sent = {}): Promise<any> {
    const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
    const headers: Record<string, string> = { Host: 'insurer.test' };
    if (sent.token !== undefined) headers.Authorization = `Bearer ${sent.token}`;
    if (sent.json !== undefined) headers['Content-Type'] = 'application/json';
    if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
    const options = { hostname, port, path, method, agent, headers: { ...headers, ...sent.headers } };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sending = request(options, async (answer) => {
      seen.push({
        ...{ call: `${method} ${path}`, status: answer.statusCode, headers: answer.rawHeaders },
        body: await text(answer),
      });
      resolve();
    });
    sending.on('error', reject);
    sending.end(body);
    await promise;
    const last = seen.at(-1)?.body ?? '';
    return /^[[{]/.test(last) ? JSON.parse(last) : last;
  }

  /** What is no request, on a connection of its own. */
  async function sendBytes(bytes: string): Promise<void> {
    const socket = connect(Number(port), hostname);
    socket.end(bytes);
    seen.push({ call: bytes, status: undefined, headers: [], body: await text(socket) });
  }

  const v1 = '/insurer/v1';
  const trainer = { token: secrets.trainerToken ?? '' };
  const client = async () => {
    const { client_id, client_secret } = await send('POST', `${v1}/demo-clients`);
    const { access_token: token } = await send('POST', `${v1}/auth/token`, { json: { client_id, client_secret } });
    return { client_id, client_secret, token };
  };

  // Pages, descriptions, keys.
  for (const path of ['/', '/docs', '/problems', '/problems/duplicate-policy', '/guides/range.md', '/healthz']) {
    await send('GET', path);
  }
  for (const path of [`${v1}/openapi.yaml`, '/claims/v1/openapi.json', '/claims/v1/asyncapi.yaml'])
    await send('GET', path);
  for (const path of ['/range/v1/openapi.yaml', '/insurer/v0/openapi.yaml']) await send('GET', path);
  await send('GET', '/.well-known/jwks.json');
  await send('GET', '/.well-known/oauth-authorization-server');

  // Credentials and tokens.
  const one = await client();
  const other = await client();
  const { token } = one;
  const form = `grant_type=client_credentials&client_id=${one.client_id}&client_secret=${one.client_secret}`;
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
  await send('POST', `${v1}/auth/token`, { body: form, headers: formType });
  await send('POST', `${v1}/auth/token`, { json: { client_id: one.client_id, client_secret: 'wrong' } });
  const basic = Buffer.from(`preset-reader:${secrets.readerClientSecret}`).toString('base64');
  const reader = await send('POST', `${v1}/auth/token`, {
    body: 'grant_type=client_credentials',
    headers: { ...formType, Authorization: `Basic ${basic}` },
  });
  await send('GET', `${v1}/policies`);
  await send('GET', `${v1}/policies`, { token: `${token}x` });
  await send('POST', `${v1}/policies`, { token: reader.access_token, json: { regNumber: 'NO-0001' } });

  // Policies.
  const create = (regNumber: string, more: Sent = {}) =>
    send('POST', `${v1}/policies`, { token, json: { regNumber, holder: 'Ada Example' }, ...more });
  const policies: { id: string }[] = [];
  for (let number = 1; number <= 5; number += 1) policies.push(await create(`SE-000${number}`));
  const [first = { id: '' }, second = { id: '' }] = policies;
  await create('SE-0001');
  await create('SE-0006', { headers: { 'Idempotency-Key': 'one' } });
  await create('SE-0006', { headers: { 'Idempotency-Key': 'one' } });
  await send('POST', `${v1}/policies`, { token, json: { colour: 'red' } });
  await send('POST', `${v1}/policies`, {
    token,
    body: '{"regNumber": "SE-1',
    headers: { 'Content-Type': 'application/json' },
  });
  await send('POST', `${v1}/policies`, { token, body: 'text', headers: { 'Content-Type': 'text/plain' } });
  await send('GET', `${v1}/policies?pageSize=2`, { token });
  await send('GET', `${v1}/policies?pageSize=2&page=2`, { token });
  await send('GET', `${v1}/policies?page=x`, { token });
  await send('GET', `${v1}/policies/${first.id}`, { token });
  await send('HEAD', `${v1}/policies/${first.id}`, { token });
  await send('GET', `${v1}/policies/${first.id}`, { token: other.token });
  await send('GET', `${v1}/policies/pol-1`, { token });
  await send('PUT', `${v1}/policies/${first.id}`, {
    token,
    json: { holder: 'Grace' },
    headers: { 'If-Match': '"1-active"' },
  });
  await send('PUT', `${v1}/policies/${first.id}`, {
    token,
    json: { holder: 'Hedy' },
    headers: { 'If-Match': '"1-active"' },
  });
  await send('POST', `${v1}/policies/${second.id}/cancel`, { token });
  await send('PUT', `${v1}/policies/${second.id}`, { token, json: { holder: 'Hedy' } });
  await send('DELETE', `${v1}/policies/${first.id}`, { token });
  await send('GET', `${v1}/nothing`, { token });
  await send('OPTIONS', `${v1}/policies`, {
    headers: { Origin: 'http://a.test', 'Access-Control-Request-Method': 'POST' },
  });
  await send('GET', `${v1}/coverage-options`);
  await send('GET', `${v1}/limited/ping`);
  const check = '{"regNumber":"SE-0001"}';
  const signature = createHmac('sha256', secrets.hmacSecret ?? '')
    .update(check)
    .digest('hex');
  for (const sign of [signature, 'none']) {
    const headers = { 'Content-Type': 'application/json', 'X-Signature': sign };
    await send('POST', `${v1}/signed/policy-check`, { body: check, headers });
  }

  // The vehicle registry.
  const soap = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' };
  await send('GET', '/vehicle-registry/v1?wsdl');
  await send('POST', '/vehicle-registry/v1', { body: envelope(), headers: soap });
  await send('POST', '/vehicle-registry/v1', {
    body: envelope().replaceAll(/[A-Z]{2}-\d{4}/g, 'XX-0000'),
    headers: soap,
  });
  await send('POST', '/vehicle-registry/v1', { body: '<a>', headers: soap });
  await send('GET', '/vehicle-registry/v2/vehicles/AB-1234');
  await send('GET', '/vehicle-registry/v2/vehicles/nothing');

  // Claims, their events, webhooks, and time.
  const claims = '/claims/v1';
  const topic = `${claims}/topics/claims.status-changed`;
  const clock = (advance: string) => send('POST', '/range/v1/me/clock', { token, json: { advance } });
  const subscription = await send('POST', `${claims}/subscriptions`, { token, json: { url: receiver.url } });
  for (const policy of policies.filter(({ id }) => id !== second.id)) {
    await send('POST', `${claims}/claims`, { token, json: { policyNumber: policy.id, paceSeconds: 1 } });
  }
  await send('POST', `${claims}/claims`, { token, json: { policyNumber: 'pol-1' } });
  await send('GET', `${topic}?after=earliest`, { token });
  await clock('PT1S');
  // Webhooks are called while other calls run, and have their place in the log between them.
  await settled(4);
  await send('GET', `${claims}/claims?status=UNDER_REVIEW`, { token });
  const batch = await send('GET', `${topic}?after=earliest&limit=3`, { token });
  await send('GET', `${topic}?after=${batch.next}`, { token });
  await send('GET', `${topic}?after=1-9`, { token });
  await clock('PT2S');
  await settled(12);
  const { items } = await send('GET', `${claims}/claims`, { token });
  await send('GET', `${claims}/claims/${items[0].claimId}`, { token });
  await send('GET', `${topic}?after=earliest&limit=100`, { token });
  await send('POST', `${claims}/subscriptions/${subscription.id}/test`, { token });
  await settled(13);
  await send('GET', `${claims}/subscriptions/${subscription.id}/deliveries?pageSize=100`, { token });
  await send('GET', `${claims}/subscriptions`, { token });
  await send('DELETE', `${claims}/subscriptions/${subscription.id}`, { token });
  const fleet = await send('POST', `${v1}/auth/token`, {
    json: { client_id: 'preset-fleet', client_secret: secrets.fleetClientSecret },
  });
  await send('GET', `${v1}/policies?pageSize=100`, { token: fleet.access_token });
  await send('GET', `${topic}?after=earliest&limit=100`, { token: fleet.access_token });

  // The range.
  const range = '/range/v1';
  const me = { token: other.token };
  await send('POST', `${range}/me/fleet`, me);
  await send('GET', `${v1}/policies?pageSize=100`, me);
  await send('PATCH', `${range}/me`, { ...me, json: { nickname: 'Team Blue' } });
  await send('POST', `${range}/me/drills`, {
    ...me,
    json: { name: 'unavailable', parameters: { share: 0.5 }, minutes: 1 },
  });
  for (let number = 0; number < 6; number += 1) await send('GET', `${claims}/claims`, me);
  await send('GET', `${range}/me/drills`, me);
  await send('DELETE', `${range}/me/drills/unavailable`, me);
  await send('POST', `${range}/me/capstones/month-end/runs`, me);
  await send('GET', `${range}/me/lessons`, { token });
  for (const path of ['/me', '/me/clock', '/me/exchanges?pageSize=100', '/me/exchanges?kind=delivery&pageSize=100']) {
    await send('GET', `${range}${path}`, { token });
  }
  const { items: exchanges } = await send('GET', `${range}/me/exchanges?path=${v1}/policies`, { token });
  for (const form of ['', '/har', '/curl'])
    await send('GET', `${range}/me/exchanges/${exchanges[0].id}${form}`, { token });
  await send('PUT', `${range}/trainer/announcement`, { ...trainer, json: { text: 'Lunch at noon.' } });
  await send('POST', `${range}/trainer/clock`, { ...trainer, json: { advance: 'P2D' } });
  await send('GET', `${range}/me`, { token });
  const third = await client();
  await send('GET', `${range}/me/clock`, { token: third.token });
  for (const path of ['/learners', '/exchanges?pageSize=100', '/export?content=exchanges', '/export.csv', '/calls']) {
    await send('GET', `${range}/trainer${path}`, trainer);
  }
  await send('POST', `${range}/trainer/reset`, trainer);
  await send('GET', `${v1}/policies`, { token: third.token });
  await sendBytes('NONSENSE\r\n\r\n');
  await send('POST', `${range}/trainer/reset?what=everything`, trainer);
  await client();
  agent.destroy();
  return seen;
}
