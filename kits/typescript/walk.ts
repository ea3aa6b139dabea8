// A walk through L-Plate with a typed client: openapi-fetch, with the types that openapi-typescript makes of the descriptions.
import assert from 'node:assert/strict';
import { createHmac, randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import createClient, { type Middleware } from 'openapi-fetch';
import type { paths as Claims } from './claims.ts';
import type { paths as Insurer } from './insurer.ts';
import type { paths as Registry } from './vehicle-registry.ts';

const insurerUrl = 'http://localhost:8080/insurer/v1';
const soapUrl = 'http://localhost:8080/vehicle-registry/v1';
const insurer = createClient<Insurer>({ baseUrl: insurerUrl });
const claims = createClient<Claims>({ baseUrl: 'http://localhost:8080/claims/v1' });
const registry = createClient<Registry>({ baseUrl: 'http://localhost:8080/vehicle-registry/v2' });

/** What a call answered, or its problem thrown. */
function found<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

/** A client of its own, which sends no token. */
const open = createClient<Insurer>({ baseUrl: insurerUrl });
const credentials = found(await open.POST('/demo-clients'));
const newToken = async () => found(await open.POST('/auth/token', { body: credentials })).access_token;
let token = await newToken();

/** Sends the token with each request. When it has expired, gets a new one and sends the request once more. */
const repeatable = new WeakMap<Request, Request>();
const authorize: Middleware = {
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${token}`);
    repeatable.set(request, request.clone());
    return request;
  },
  async onResponse({ request, response }) {
    const again = repeatable.get(request);
    if (response.status !== 401 || !again) return response;
    token = await newToken();
    again.headers.set('Authorization', `Bearer ${token}`);
    return fetch(again);
  },
};
insurer.use(authorize);
claims.use(authorize);

const { options } = found(await insurer.GET('/coverage-options'));
assert.equal(options[0]?.code, 'MTPL-1M');

// A vehicle that nobody else has.
const letters = 'ABCDEGHIJKLMNOPRSTUWY';
const letter = () => letters.charAt(randomInt(letters.length));
const regNumber = `${letter()}${letter()}-${randomInt(1000, 9999)}`;

const policy = found(await insurer.POST('/policies', { body: { regNumber, holder: 'Ada Example' } }));
assert.equal(policy.status, 'active');
const params = { path: { policyId: policy.id } };
const read = found(await insurer.GET('/policies/{policyId}', { params }));
assert.equal(read.regNumber, regNumber);
const changed = found(await insurer.PUT('/policies/{policyId}', { params, body: { holder: 'Grace Example' } }));
assert.equal(changed.holder, 'Grace Example');
const list = found(await insurer.GET('/policies', { params: { query: { page: 1, pageSize: 10 } } }));
assert.deepEqual([list.page, list.items[0]?.id], [1, policy.id]);
const refused = await insurer.POST('/policies', { body: { regNumber } });
assert.deepEqual([refused.response.status, refused.error?.title], [409, 'The vehicle is already insured']);
const cancelled = found(await insurer.POST('/policies/{policyId}/cancel', { params }));
assert.equal(cancelled.status, 'cancelled');

// Made in the background. None of these policies began by this month, so there is only a trailer.
let statement = found(
  await insurer.POST('/statements', { body: { month: '2026-01', format: 'csv', currency: 'EUR' } }),
);
const ofStatement = { path: { statementId: statement.id } };
while (statement.status !== 'completed') {
  await setTimeout(1000);
  statement = found(await insurer.GET('/statements/{statementId}', { params: ofStatement }));
}
const content = await insurer.GET('/statements/{statementId}/content', { params: ofStatement, parseAs: 'text' });
assert.match(found(content), /TRAILER,0,/);

const registered = found(await claims.POST('/claims', { body: { policyNumber: policy.id, paceSeconds: 2 } }));
assert.equal(registered.status, 'REGISTERED');
const { claimId } = registered;
const claim = found(await claims.GET('/claims/{claimId}', { params: { path: { claimId } } }));
assert.equal(claim.policyNumber, policy.id);
const form = new FormData();
form.set('file', new Blob(['%PDF-1.7\n']), 'report.pdf');
// By the types a file is a text; what is sent is the form.
const sent = { params: { path: { claimId } }, body: { file: '' }, bodySerializer: () => form };
const document = found(await claims.POST('/claims/{claimId}/documents', sent));
const documents = found(await claims.GET('/claims/{claimId}/documents', { params: { path: { claimId } } }));
assert.deepEqual([document.mediaType, documents.items[0]?.digest], ['application/pdf', document.digest]);
const batch = found(await claims.GET('/topics/claims.status-changed', { params: { query: { after: 'earliest' } } }));
// By its type it is the text of a stream, where one is asked for.
assert.ok(typeof batch === 'object' && batch.next);

let erasure = found(await insurer.POST('/erasures', { body: { holder: 'Grace Example' } }));
while (erasure.status !== 'completed') {
  await setTimeout(1000);
  erasure = found(await insurer.GET('/erasures/{erasureId}', { params: { path: { erasureId: erasure.id } } }));
}
assert.deepEqual(
  erasure.touched.find(({ what }) => what === 'policies'),
  { what: 'policies', count: 1 },
);

// Signed are the bytes that are sent, so the body is written here. Your trainer has the key.
const body = { regNumber: 'AB-1234' };
const key = process.env.HMAC_SECRET;
const signature = key ? createHmac('sha256', key).update(JSON.stringify(body)).digest('hex') : '';
const signed = await open.POST('/signed/policy-check', { body, headers: { 'X-Signature': signature } });
assert.equal(signed.response.status, key ? 200 : 401);

const envelope = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetVehicleDataRequest xmlns="http://lplate.example/vehicle-registry/v1"><RegNumber>AB-1234</RegNumber></GetVehicleDataRequest></soap:Body></soap:Envelope>`;
const soap = await fetch(soapUrl, { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: envelope });
const vehicle = found(await registry.GET('/vehicles/{reg_number}', { params: { path: { reg_number: 'AB-1234' } } }));
assert.match(await soap.text(), new RegExp(`<Make>${vehicle.make}</Make>`));

console.log(
  JSON.stringify({ policy: policy.id, regNumber, claim: claimId, events: batch.events.length, make: vehicle.make }),
);
