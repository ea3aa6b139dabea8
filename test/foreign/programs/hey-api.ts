// A client that Hey API made of the published descriptions, under TypeScript's strict rules. It has their addresses.
import { client as claimsClient } from './claims/client.gen.js';
import * as service from './claims/index.js';
import { client as insurerClient } from './insurer/client.gen.js';
import * as policies from './insurer/index.js';

const throwOnError = true;

const { data: credentials } = await policies.createDemoClient({ throwOnError });
const { data: issued } = await policies.createToken({ throwOnError, body: credentials });
for (const client of [insurerClient, claimsClient]) client.setConfig({ auth: issued.access_token });

const startDate = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
const draft = { regNumber: 'WK-1234', holder: 'Ada Example', startDate };
const { data: created } = await policies.createPolicy({ throwOnError, body: draft });
const path = { policyId: created.id };
const { data: read } = await policies.readPolicy({ throwOnError, path });
const { data: listed } = await policies.listPolicies({ throwOnError, query: { pageSize: 5 } });
const { data: updated } = await policies.updatePolicy({ throwOnError, path, body: { holder: 'Grace Example' } });

const { data: registered } = await service.registerClaim({ throwOnError, body: { policyNumber: created.id } });
const { data: claim } = await service.readClaim({ throwOnError, path: { claimId: registered.claimId } });

const { data: cancelled } = await policies.cancelPolicy({ throwOnError, path });
const { error: refused } = await policies.updatePolicy({ path, body: { holder: 'Too Late' } });

console.log(
  JSON.stringify({
    created: created.status,
    read: read.regNumber,
    listed: listed.totalItems,
    updated: updated.holder,
    claim: claim.status,
    cancelled: cancelled.status,
    refused: refused?.title,
  }),
);
