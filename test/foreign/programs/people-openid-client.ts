// An app that a person lets in, by openid-client. Arguments: issuer, origin, client, secret.
import * as oauth from 'openid-client';
import { letIn } from './callback.ts';

const [issuer = '', origin = '', id = '', secret = ''] = process.argv.slice(2);

const configuration = await oauth.discovery(new URL(issuer), id, undefined, oauth.ClientSecretBasic(secret), {
  algorithm: 'oauth2',
  execute: [oauth.allowInsecureRequests],
});

const { tokens, refusals } = await letIn(async (redirect_uri) => {
  const [pkceCodeVerifier, expectedState] = [oauth.randomPKCECodeVerifier(), oauth.randomState()];
  const url = oauth.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: 'policies:read claims:read',
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return {
    url: url.href,
    accept: (callback) => oauth.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier, expectedState }),
  };
});

async function policies(token: string): Promise<string[]> {
  const url = new URL('/insurer/v1/policies', origin);
  const answer = await oauth.fetchProtectedResource(configuration, token, url, 'GET');
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items.map((each) => each.id);
}

function unexpected(): never {
  throw new Error('it still holds');
}

const seen = await policies(tokens.access_token);
const renewed = await oauth.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
const again = await policies(renewed.access_token);
const { username } = await oauth.tokenIntrospection(configuration, renewed.access_token);
const left = renewed.refresh_token ?? '';
await oauth.tokenRevocation(configuration, left);
const call = await policies(renewed.access_token).then(unexpected, (error) => error.response.status);
const refresh = await oauth.refreshTokenGrant(configuration, left).then(unexpected, (error) => error.error);
console.log(JSON.stringify({ refusals, scope: tokens.scope, seen, again, username, ended: [call, refresh] }));
