// An app that a person lets in, by oauth4webapi. Arguments: issuer, origin, client, secret.
import * as oauth from 'oauth4webapi';
import { letIn } from './callback.ts';

const [issuer = '', origin = '', client_id = '', secret = ''] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true };
const client: oauth.Client = { client_id };
const authentication = oauth.ClientSecretPost(secret);

const discovered = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure });
const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered);

const { tokens, refusals } = await letIn(async (redirectUri) => {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    ...{ response_type: 'code', client_id, redirect_uri: redirectUri, scope: 'policies:read claims:read', state },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return {
    url: url.href,
    async accept(callback) {
      const sent = oauth.validateAuthResponse(server, client, callback, state);
      const answer = await oauth.authorizationCodeGrantRequest(
        ...([server, client, authentication, sent, redirectUri, verifier, insecure] as const),
      );
      return oauth.processAuthorizationCodeResponse(server, client, answer);
    },
  };
});

async function policies(token: string): Promise<string[]> {
  const url = new URL('/insurer/v1/policies', origin);
  const answer = await oauth.protectedResourceRequest(token, 'GET', url, undefined, undefined, insecure);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items.map((each) => each.id);
}

async function refresh(token: string): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure);
  return oauth.processRefreshTokenResponse(server, client, answer);
}

function unexpected(): never {
  throw new Error('it still holds');
}

const seen = await policies(tokens.access_token);
const renewed = await refresh(tokens.refresh_token ?? '');
const again = await policies(renewed.access_token);
const asked = await oauth.introspectionRequest(server, client, authentication, renewed.access_token, insecure);
const { username } = await oauth.processIntrospectionResponse(server, client, asked);
const left = renewed.refresh_token ?? '';
await oauth.processRevocationResponse(
  await oauth.revocationRequest(server, client, authentication, renewed.access_token, insecure),
);
const call = await policies(renewed.access_token).then(unexpected, (error) => error.response.status);
const refused = await refresh(left).then(unexpected, (error) => error.error);
console.log(JSON.stringify({ refusals, scope: tokens.scope, seen, again, username, ended: [call, refused] }));
