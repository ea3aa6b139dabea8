// A client that Orval (fetch) made of the published descriptions, under TypeScript's strict rules.
import * as service from './claims.js';
import * as policies from './insurer.js';

/** The data of an answer with this status. */
function found<Answer extends { status: number; data: unknown }, Status extends Answer['status']>(
  answer: Answer,
  status: Status,
): Extract<Answer, { status: Status }>['data'] {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer.data as Extract<Answer, { status: Status }>['data'];
}

const credentials = found(await policies.createDemoClient(), 201);
const issued = found(await policies.createToken(credentials), 200);
const options = { headers: { Authorization: `Bearer ${issued.access_token}` } };

const startDate = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
const draft = { regNumber: 'WK-1234', holder: 'Ada Example', startDate };
const created = found(await policies.createPolicy(draft, options), 201);
const read = found(await policies.readPolicy(created.id, options), 200);
const listed = found(await policies.listPolicies({ pageSize: 5 }, options), 200);
const updated = found(await policies.updatePolicy(created.id, { holder: 'Grace Example' }, options), 200);

const registered = found(await service.registerClaim({ policyNumber: created.id }, options), 201);
const claim = found(await service.readClaim(registered.claimId, options), 200);

const cancelled = found(await policies.cancelPolicy(created.id, options), 200);
const refused = found(await policies.updatePolicy(created.id, { holder: 'Too Late' }, options), 409);

console.log(
  JSON.stringify({
    created: created.status,
    read: read.regNumber,
    listed: listed.totalItems,
    updated: updated.holder,
    claim: claim.status,
    cancelled: cancelled.status,
    refused: refused.title,
  }),
);
