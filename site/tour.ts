import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LPlate, start } from '../src/library.ts';

/** What went over the wire, as the tour shows it. */
interface Exchange {
  readonly title: string;
  /** Why one looks at it. */
  readonly about: string;
  readonly request: {
    readonly line: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly response: {
    readonly line: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

interface Call {
  readonly title: string;
  readonly about: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly text?: string;
}

/** Where the tour is recorded. */
export const tourFile = join(import.meta.dirname, 'tour.json');

/** A service that answers the same at each start, under the address of the documentation. */
export function startExample(): Promise<LPlate> {
  return start({ seed: 47, now: '2026-12-01T09:00Z', publicUrl: 'http://localhost:8080' });
}

/** The headers that the tour shows. The others are the same for every answer, or tell of the connection. */
const shown = ['content-type', 'location', 'etag', 'retry-after', 'ratelimit-remaining'];

/** A token; its beginning is enough to see what it is. */
const longToken = /(eyJ[\w-]{12})[\w.-]+/g;

const envelope = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1">
      <RegNumber>EL-0021</RegNumber>
    </GetVehicleDataRequest>
  </soap:Body>
</soap:Envelope>`;

/** Goes through ten exchanges of a real client. */
export async function recordTour({ url }: LPlate): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];

  async function call({ title, about, method = 'POST', path, headers = {}, json, text }: Call) {
    const body = json ? JSON.stringify(json, null, 2) : (text ?? '');
    const sent = { ...headers, ...(json && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers: sent, ...(body && { body }) });
    const answer = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    exchanges.push({
      title,
      about,
      request: { line: `${method} ${path}`, headers: sent, body },
      response: {
        line: `${response.status} ${response.statusText}`,
        headers: Object.fromEntries([...response.headers].filter(([name]) => shown.includes(name))),
        body: isJson ? JSON.stringify(JSON.parse(answer), null, 2) : answer,
      },
    });
    return { answer, headers: response.headers };
  }

  const credentials = await call({
    title: 'Get credentials',
    about: 'A client of your own. A real insurer would send you the secret by another way.',
    path: '/insurer/v1/demo-clients',
  });
  const token = await call({
    title: 'Get a token',
    about: 'OAuth 2.0: the credentials are exchanged for a token, which is good for an hour.',
    path: '/insurer/v1/auth/token',
    json: JSON.parse(credentials.answer),
  });
  const headers = { authorization: `Bearer ${JSON.parse(token.answer).access_token}` };

  /** What the learner does in the range, between two exchanges. */
  async function prepare(what: string, json: object): Promise<void> {
    const body = JSON.stringify(json);
    const sent = { ...headers, 'content-type': 'application/json' };
    const response = await fetch(`${url}/range/v1/me/${what}`, { method: 'POST', headers: sent, body });
    if (!response.ok) throw new Error(`${what}: ${await response.text()}`);
  }

  const policy = await call({
    title: 'Insure a vehicle',
    about: 'The policy is stored, and has an address and a tag from now on.',
    path: '/insurer/v1/policies',
    headers,
    json: { regNumber: 'LP-2047', holder: 'Ada Example' },
  });
  const { id } = JSON.parse(policy.answer);
  await call({
    title: 'The same once more: refused',
    about:
      'A mock would say 201 again. Here the vehicle is insured already, and “type” leads to a page that explains it.',
    path: '/insurer/v1/policies',
    headers,
    json: { regNumber: 'lp2047' },
  });
  await call({
    title: 'Two mistakes at once',
    about: 'Every mistake is named, with the place where it is.',
    path: '/insurer/v1/policies',
    headers,
    json: { regNumber: '?', startDate: '2026-02-30' },
  });
  await call({
    title: 'Nothing changed',
    about: 'Who sends the tag back is told in one line that the copy is still good.',
    method: 'GET',
    path: `/insurer/v1/policies/${id}`,
    headers: { ...headers, 'if-none-match': policy.headers.get('etag') ?? '' },
  });
  await call({
    title: 'A legacy service',
    about: 'The vehicle registry still speaks SOAP, with a WSDL. It has a successor to move to.',
    path: '/vehicle-registry/v1',
    headers: {
      'content-type': 'text/xml; charset=utf-8',
      soapaction: '"http://lplate.example/vehicle-registry/v1/GetVehicleData"',
    },
    text: envelope,
  });
  await call({
    title: 'Report a claim',
    about: 'The claims desk works on it from now on, at a pace that you choose.',
    path: '/claims/v1/claims',
    headers,
    json: { policyNumber: id, paceSeconds: 1 },
  });
  await prepare('clock', { advance: 'PT2S' });
  await call({
    title: 'Follow what happens',
    about: 'Each change of a claim is an event: in batches as here, as a stream, or by signed webhooks.',
    method: 'GET',
    path: '/claims/v1/topics/claims.status-changed?after=earliest',
    headers,
  });
  await prepare('drills', { name: 'unavailable', parameters: { sequence: ['hit'], retryAfter: 3 } });
  await call({
    title: 'A bad day, on demand',
    about: 'A drill made the service fail once. Does your client wait, and try again?',
    method: 'GET',
    path: '/insurer/v1/policies',
    headers,
  });
  return JSON.parse(JSON.stringify(exchanges).replaceAll(longToken, '$1…'));
}

// node site/tour.ts records it anew.
if (import.meta.main) {
  const service = await startExample();
  await writeFile(tourFile, `${JSON.stringify(await recordTour(service), null, 2)}\n`);
  await service.close();
}
