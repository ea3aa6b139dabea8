// A client that openapi-typescript and openapi-fetch make of the published descriptions, under TypeScript's strict rules.
import createClient, { type Middleware } from 'openapi-fetch';
import type { paths as Claims } from './claims.ts';
import type { paths as Insurer } from './insurer.ts';

const origin = process.argv[2];
let token: string | undefined;
const authorize: Middleware = {
  onRequest({ request }) {
    if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
    return request;
  },
};

function found<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const insurer = createClient<Insurer>({ baseUrl: `${origin}/insurer/v1` });
insurer.use(authorize);
const claims = createClient<Claims>({ baseUrl: `${origin}/claims/v1` });
claims.use(authorize);

const credentials = found(await insurer.POST('/demo-clients'));
token = found(await insurer.POST('/auth/token', { body: credentials })).access_token;

const startDate = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
const created = found(
  await insurer.POST('/policies', { body: { regNumber: 'WK-1234', holder: 'Ada Example', startDate } }),
);
const params = { path: { policyId: created.id } };
const read = found(await insurer.GET('/policies/{policyId}', { params }));
const listed = found(await insurer.GET('/policies', { params: { query: { pageSize: 5 } } }));
const updated = found(await insurer.PUT('/policies/{policyId}', { params, body: { holder: 'Grace Example' } }));

const registered = found(await claims.POST('/claims', { body: { policyNumber: created.id } }));
const claim = found(await claims.GET('/claims/{claimId}', { params: { path: { claimId: registered.claimId } } }));

const cancelled = found(await insurer.POST('/policies/{policyId}/cancel', { params }));
const refused = await insurer.PUT('/policies/{policyId}', { params, body: { holder: 'Too Late' } });

console.log(
  JSON.stringify({
    created: created.status,
    read: read.regNumber,
    listed: listed.totalItems,
    updated: updated.holder,
    claim: claim.status,
    cancelled: cancelled.status,
    refused: refused.error?.title,
  }),
);
