// A client that openapi-generator (typescript-fetch) made of the published descriptions, under TypeScript's strict rules.
import * as claims from './claims/index.js';
import * as insurer from './insurer/index.js';

const origin = process.argv[2];
const basePath = `${origin}/insurer/v1`;

const anybody = new insurer.ClientsAndTokensApi(new insurer.Configuration({ basePath }));
const { clientId, clientSecret } = await anybody.createDemoClient();
const tokenRequest = { grantType: 'client_credentials' as const, clientId, clientSecret };
const issued = await anybody.createToken({ tokenRequest });
// For oauth2 the generated code sends what it gets; for bearer it adds the word itself, and oauth2 wins.
const accessToken = (scheme?: string) => (scheme === 'oauth2' ? `Bearer ${issued.accessToken}` : issued.accessToken);

const policies = new insurer.PoliciesApi(new insurer.Configuration({ basePath, accessToken }));
const policyDraft = {
  regNumber: 'WK-1234',
  holder: 'Ada Example',
  startDate: new Date(Date.now() + 24 * 60 * 60 * 1000),
};
const created = await policies.createPolicy({ policyDraft });
const policyId = created.id;
const read = await policies.readPolicy({ policyId });
const listed = await policies.listPolicies({ pageSize: 5 });
const updated = await policies.updatePolicy({ policyId, policyChange: { holder: 'Grace Example' } });

const service = new claims.ClaimsApi(new claims.Configuration({ basePath: `${origin}/claims/v1`, accessToken }));
const registered = await service.registerClaim({ claimDraft: { policyNumber: policyId } });
const claim = await service.readClaim({ claimId: registered.claimId });

const cancelled = await policies.cancelPolicy({ policyId });
const refused = await policies.updatePolicy({ policyId, policyChange: { holder: 'Too Late' } }).then(
  () => undefined,
  async (error: unknown) => {
    if (!(error instanceof insurer.ResponseError)) throw error;
    return insurer.ProblemFromJSON(await error.response.json()).title;
  },
);

console.log(
  JSON.stringify({
    created: created.status,
    read: read.regNumber,
    listed: listed.totalItems,
    updated: updated.holder,
    claim: claim.status,
    cancelled: cancelled.status,
    refused,
  }),
);
